//! An idle object of a watcher with `cache = none`, in about 100 bytes.

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::ObjectMeta;

use super::interned::Interned;
use super::slim_status::{SharedStatuses, SlimStatus};
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::status::bare::BareStatus;
use crate::watch::primary::held::Held;

/// An object without its name.
#[derive(Debug)]
pub(super) struct Slim {
    uid: [u8; 16],
    version: u64,
    generation: Option<NonZeroI64>,
    /// The hash of what counts as a change.
    content: u64,
    finalizers: Option<Arc<Vec<String>>>,
    labels: Option<Arc<BTreeMap<String, String>>>,
    status: Option<SlimStatus>,
    /// What few objects have.
    more: Option<Box<More>>,
}

#[derive(Debug)]
struct More {
    deletion: Option<Time>,
    annotations: Option<BTreeMap<String, String>>,
    status: Option<Arc<BareStatus>>,
}

/// The values that the objects of one watcher share.
#[derive(Debug, Default)]
pub(super) struct SharedValues {
    finalizers: Interned<Vec<String>>,
    labels: Interned<BTreeMap<String, String>>,
    statuses: SharedStatuses,
}

impl SharedValues {
    /// The slim form; `None`: the object has a write that the watch has not delivered, does not fit its type, or has unusual values.
    pub(super) fn slim(&mut self, held: &Held) -> Option<Slim> {
        let object = held.seen().filter(|_| held.wrote.is_none())?;
        let (meta, bare) = (object.meta(), object.bare()?);
        let (uid, version) = (uid(object.uid())?, number(object.resource_version())?);
        let generation = match meta.generation {
            None => None,
            Some(generation) => Some(NonZeroI64::new(generation)?),
        };
        let status = bare.status.as_deref().and_then(|status| self.statuses.slim(status));
        let own_status = bare.status.as_ref().filter(|_| status.is_none()).cloned();
        let more = More {
            deletion: meta.deletion_timestamp.clone(),
            annotations: meta.annotations.clone(),
            status: own_status,
        };
        let has_more = more.deletion.is_some() || more.annotations.is_some() || more.status.is_some();
        Some(Slim {
            uid,
            version,
            generation,
            content: bare.content,
            finalizers: meta.finalizers.as_ref().map(|list| self.finalizers.share(list, || Arc::new(list.clone()))),
            labels: meta.labels.as_ref().map(|labels| self.labels.share(labels, || Arc::new(labels.clone()))),
            status,
            more: has_more.then(|| Box::new(more)),
        })
    }

    /// Removes the values that only this object had.
    pub(super) fn release(&mut self, slim: &Slim) {
        slim.finalizers.iter().for_each(|finalizers| self.finalizers.release(finalizers));
        slim.labels.iter().for_each(|labels| self.labels.release(labels));
    }
}

impl Slim {
    /// The object. `blank` is one of its type without metadata.
    pub(super) fn object(&self, key: &Key, blank: &Object) -> Arc<Object> {
        let more = self.more.as_deref();
        let mut object = blank.copy();
        *object.meta_mut() = ObjectMeta {
            name: Some(key.name.to_string()),
            namespace: key.namespace.as_deref().map(ToOwned::to_owned),
            uid: Some(uid_text(self.uid)),
            resource_version: Some(self.version.to_string()),
            generation: self.generation.map(NonZeroI64::get),
            deletion_timestamp: more.and_then(|more| more.deletion.clone()),
            finalizers: self.finalizers.as_deref().cloned(),
            labels: self.labels.as_deref().cloned(),
            annotations: more.and_then(|more| more.annotations.clone()),
            ..ObjectMeta::default()
        };
        if let Some(bare) = object.bare_mut() {
            let own = || more.and_then(|more| more.status.clone());
            bare.content = self.content;
            bare.status = self.status.as_ref().and_then(SlimStatus::whole).map(Arc::new).or_else(own);
        }
        object.into()
    }
}

/// The bytes of a UID in its usual form.
fn uid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.split('-').collect();
    let uid = u128::from_str_radix(&digits, 16).ok()?.to_be_bytes();
    (uid_text(uid) == text).then_some(uid)
}

fn uid_text(uid: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(uid));
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// A version that is a number in its usual form.
fn number(version: &str) -> Option<u64> {
    version.parse::<u64>().ok().filter(|number| number.to_string() == version)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::pipeline::bare::{Bare, Metadata};

    const UID: &str = "0a1b2c3d-0001-4000-8000-00000000abcd";

    fn object(meta: &Value) -> Arc<Object> {
        let mut object: Bare<Metadata<ConfigMap>> = serde_json::from_value(json!({ "metadata": meta })).unwrap();
        object.state_mut().content = 7;
        object.state_mut().status = Some(Arc::default());
        Arc::new(object)
    }

    fn slim(shared: &mut SharedValues, meta: &Value) -> Option<Slim> {
        shared.slim(&Held::object(object(meta), None))
    }

    #[test]
    fn a_slim_object_has_all_that_the_cache_holds() {
        let key = Key::new(Some("a"), "x");
        let idle = json!({ "name": "x", "namespace": "a", "uid": UID, "resourceVersion": "70" });
        let other = json!({ "name": "x", "namespace": "a", "uid": UID, "resourceVersion": "70", "generation": 2, "finalizers": ["f"],
            "labels": { "team": "x" }, "annotations": { "b": "c" }, "deletionTimestamp": "2026-01-01T00:00:00Z" });
        let mut shared = SharedValues::default();
        for meta in [idle, other] {
            let (blank, whole) = (object(&json!({})), object(&meta));
            let again = slim(&mut shared, &meta).unwrap().object(&key, &*blank);
            assert_eq!((again.meta(), again.bare().unwrap().content), (whole.meta(), 7));
            assert_eq!(again.bare().unwrap().status, whole.bare().unwrap().status);
        }
    }

    #[test]
    fn an_object_with_unusual_values_is_not_slim() {
        let mut shared = SharedValues::default();
        let unusual = [("uid", json!("u")), ("resourceVersion", json!("v7")), ("generation", json!(0))];
        for (field, value) in unusual {
            let mut meta = json!({ "uid": UID, "resourceVersion": "7" });
            assert!(slim(&mut shared, &meta).is_some());
            meta[field] = value;
            assert!(slim(&mut shared, &meta).is_none(), "{field}");
        }
        let held = |wrote: &str| {
            let object = |version: &str| object(&json!({ "uid": UID, "resourceVersion": version }));
            Held::object(object("7"), Some(object(wrote)))
        };
        assert!(shared.slim(&held("8")).is_none(), "the watch has not delivered it");
    }

    #[test]
    fn a_uid_in_its_usual_form_becomes_a_number() {
        assert_eq!(uid(UID).map(uid_text).as_deref(), Some(UID));
        for other in ["u", "", "0A1B2C3D-0001-4000-8000-00000000ABCD", "0a1b2c3d00014000800000000000abcd"] {
            assert_eq!(uid(other), None, "{other}");
        }
        assert_eq!((number("70"), number("070"), number("x")), (Some(70), None, None));
    }
}

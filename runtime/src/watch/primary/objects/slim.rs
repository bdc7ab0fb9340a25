//! An idle object of a watcher with `cache = none`, in about 100 bytes.

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::ObjectMeta;

use super::idle::Form;
use super::interned::Interned;
use super::numbers::{number, uid, uid_text};
use super::peek::IdleObject;
#[cfg(feature = "metrics")]
use super::peek::see_conditions;
use super::slim_status::{SharedStatuses, SlimStatus};
#[cfg(feature = "metrics")]
use crate::condition::ConditionStatus;
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

/// The slim form of the objects of one watcher, with the values that they share.
pub(super) struct SlimForm {
    finalizers: Interned<Vec<String>>,
    labels: Interned<BTreeMap<String, String>>,
    statuses: SharedStatuses,
    /// An object of the type without metadata.
    blank: Arc<Object>,
}

impl Form for SlimForm {
    type Source = ();
    type Idle = Slim;

    fn source(&mut self, _: Option<&str>) -> Option<()> {
        Some(())
    }

    fn idle(&mut self, _: &Key, held: &Held, (): ()) -> Result<Slim, ()> {
        self.slim(held).ok_or(())
    }

    fn held(&self, key: &Key, slim: &Slim) -> Held {
        Held::object(slim.object(key, &*self.blank), None)
    }

    fn release(&mut self, _: &Key, slim: Slim) {
        slim.finalizers.iter().for_each(|finalizers| self.finalizers.release(finalizers));
        slim.labels.iter().for_each(|labels| self.labels.release(labels));
    }
}

impl SlimForm {
    pub(super) fn new(blank: Arc<Object>) -> Self {
        let (finalizers, labels) = (Interned::default(), Interned::default());
        Self { finalizers, labels, statuses: SharedStatuses::default(), blank }
    }

    /// `None`: the object has a write that the watch has not delivered, does not fit its type, or has unusual values.
    fn slim(&mut self, held: &Held) -> Option<Slim> {
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
}

impl Slim {
    /// The object. `blank` is one of its type without metadata.
    fn object(&self, key: &Key, blank: &Object) -> Arc<Object> {
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

impl IdleObject for Slim {
    fn uid(&self) -> String {
        uid_text(self.uid)
    }

    fn version(&self) -> String {
        self.version.to_string()
    }

    #[cfg(feature = "metrics")]
    fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus)) {
        let own = || self.more.as_ref().and_then(|more| more.status.as_deref());
        let status = self.status.as_ref().map(SlimStatus::shared).or_else(own);
        see_conditions(status.map(|status| &*status.conditions).unwrap_or_default(), see);
    }

    #[cfg(feature = "metrics")]
    fn policy(&self, name: &str) -> Option<&str> {
        self.more.as_ref()?.annotations.as_ref()?.get(name).map(String::as_str)
    }
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

    fn form() -> SlimForm {
        SlimForm::new(object(&json!({})))
    }

    fn slim(form: &mut SlimForm, meta: &Value) -> Option<Slim> {
        form.slim(&Held::object(object(meta), None))
    }

    #[test]
    fn a_slim_object_has_all_that_the_cache_holds() {
        let key = Key::new(Some("a"), "x");
        let idle = json!({ "name": "x", "namespace": "a", "uid": UID, "resourceVersion": "70" });
        let other = json!({ "name": "x", "namespace": "a", "uid": UID, "resourceVersion": "70", "generation": 2, "finalizers": ["f"],
            "labels": { "team": "x" }, "annotations": { "b": "c" }, "deletionTimestamp": "2026-01-01T00:00:00Z" });
        let mut form = form();
        for meta in [idle, other] {
            let whole = object(&meta);
            let idle = slim(&mut form, &meta).unwrap();
            assert_eq!((IdleObject::uid(&idle), IdleObject::version(&idle)), (UID.to_owned(), "70".to_owned()));
            let again = form.held(&key, &idle).seen().cloned().unwrap();
            assert_eq!((again.meta(), again.bare().unwrap().content), (whole.meta(), 7));
            assert_eq!(again.bare().unwrap().status, whole.bare().unwrap().status);
        }
    }

    #[test]
    fn an_object_with_unusual_values_is_not_slim() {
        let mut form = form();
        let unusual = [("uid", json!("u")), ("resourceVersion", json!("v7")), ("generation", json!(0))];
        for (field, value) in unusual {
            let mut meta = json!({ "uid": UID, "resourceVersion": "7" });
            assert!(slim(&mut form, &meta).is_some());
            meta[field] = value;
            assert!(slim(&mut form, &meta).is_none(), "{field}");
        }
        let held = |wrote: &str| {
            let object = |version: &str| object(&json!({ "uid": UID, "resourceVersion": version }));
            Held::object(object("7"), Some(object(wrote)))
        };
        assert!(form.slim(&held("8")).is_none(), "the watch has not delivered it");
    }
}

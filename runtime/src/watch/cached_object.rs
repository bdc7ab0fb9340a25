//! The cached part of a watched object: its version, its metadata, or the whole object.

use std::borrow::Cow;
use std::sync::Arc;

use kube::Resource;
use kube::api::{DynamicObject, ObjectMeta};
use serde_json::{Value, json};

use super::form::ObjectForm;
use super::object_version::ObjectVersion;
use crate::api::Target;
use crate::client::decode::{Meta, OwnerRecord, Whole};
use crate::status::OBSERVED_BY;
use crate::trigger::{number, text};
use crate::wiring::Cache;

/// One version of an object. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CachedObject {
    VersionRecord(Arc<VersionRecord>),
    Meta(Arc<ObjectMeta>),
    Whole(Arc<DynamicObject>),
}

/// The fields that show whether an object changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VersionRecord {
    uid: Box<str>,
    resource_version: Box<str>,
    generation: Option<i64>,
    controller: Option<Box<str>>,
}

/// A form of objects that can be cached.
pub(super) trait CacheForm: ObjectForm {
    fn into_cached(self) -> CachedObject;
}

impl CacheForm for OwnerRecord {
    fn into_cached(self) -> CachedObject {
        CachedObject::VersionRecord(Arc::new(VersionRecord::of(&self.0)))
    }
}

impl CacheForm for Meta {
    fn into_cached(self) -> CachedObject {
        CachedObject::Meta(self.0)
    }
}

impl CacheForm for Whole {
    fn into_cached(self) -> CachedObject {
        CachedObject::Whole(self.0)
    }
}

impl VersionRecord {
    fn of(meta: &ObjectMeta) -> Self {
        let controller = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        Self {
            uid: meta.uid.as_deref().unwrap_or_default().into(),
            resource_version: meta.resource_version.as_deref().unwrap_or_default().into(),
            generation: meta.generation,
            controller: controller.map(|owner| owner.uid.as_str().into()),
        }
    }
}

impl CachedObject {
    /// The part of an object from an API response that this cache stores.
    pub(crate) fn of(object: &Arc<DynamicObject>, cache: Cache) -> Self {
        match cache {
            Cache::None => Self::VersionRecord(Arc::new(VersionRecord::of(&object.metadata))),
            Cache::Metadata => Self::Meta(Arc::new(object.metadata.clone())),
            Cache::Full => Self::Whole(object.clone()),
        }
    }

    /// The whole object, if it is cached.
    pub(crate) fn object(&self) -> Option<&Arc<DynamicObject>> {
        match self {
            Self::Whole(object) => Some(object),
            Self::VersionRecord(_) | Self::Meta(_) => None,
        }
    }

    /// The metadata, if it is cached.
    pub(crate) fn meta(&self) -> Option<&ObjectMeta> {
        match self {
            Self::VersionRecord(_) => None,
            Self::Meta(meta) => Some(meta),
            Self::Whole(object) => Some(&object.metadata),
        }
    }

    /// The version of the object.
    pub(crate) fn seen(&self, target: &Target) -> ObjectVersion {
        let version = match self {
            Self::VersionRecord(version) => version,
            Self::Meta(meta) => return ObjectVersion::of_meta(target, meta),
            Self::Whole(object) => return ObjectVersion::of(target, object),
        };
        let resource_version = version.resource_version.to_string();
        ObjectVersion {
            target: target.clone(),
            uid: version.uid.to_string(),
            version: version.generation.map_or_else(|| resource_version.clone(), |generation| generation.to_string()),
            resource_version,
            controller: version.controller.as_deref().map(ToOwned::to_owned),
        }
    }

    /// A hash of the name, the uid and the version that counts.
    pub(super) fn number(&self, name: &str) -> u64 {
        let (uid, version) = self.counted();
        number(&[name, uid, &version])
    }

    /// The uid and the version for the digest of a pass that reads the object from this cache. Any change of the object changes it.
    pub(crate) fn counted_version(&self) -> String {
        let (uid, version) = self.counted();
        format!("{uid} {version}")
    }

    fn counted(&self) -> (&str, Cow<'_, str>) {
        let (meta, content) = match self {
            Self::VersionRecord(version) => return (&version.uid, (&*version.resource_version).into()),
            Self::Meta(meta) => (&**meta, None),
            Self::Whole(object) => (&object.metadata, counted_content(object)),
        };
        let version = || meta.resource_version.as_deref().unwrap_or_default().into();
        (meta.uid.as_deref().unwrap_or_default(), content.map_or_else(version, Cow::Owned))
    }

    /// Whether the cached parts are equal. For whole objects, a new resourceVersion or digest alone is not a difference.
    pub(super) fn is_same(&self, now: &Self) -> bool {
        match (self, now) {
            (Self::Whole(before), Self::Whole(now)) => is_same(before, now),
            _ => self == now,
        }
    }
}

/// The version of a whole object that has [`RECORDS`], from its other content; `None`: it has none, so that its resourceVersion counts.
fn counted_content(object: &DynamicObject) -> Option<String> {
    let status = object.data.get("status")?;
    RECORDS.iter().find_map(|name| status.get(name))?;
    let ObjectMeta { generation, labels, annotations, finalizers, owner_references, deletion_timestamp, .. } =
        &object.metadata;
    let meta = json!([generation, labels, annotations, finalizers, owner_references, deletion_timestamp]);
    let fields = content(&object.data).into_iter().map(|(parent, name, value)| format!("{parent} {name} {value}"));
    let texts: Vec<String> = fields.chain([meta.to_string()]).collect();
    Some(text(number(&texts.iter().map(String::as_str).collect::<Vec<_>>())))
}

fn is_same(before: &DynamicObject, now: &DynamicObject) -> bool {
    let (a, b) = (before.meta(), now.meta());
    a.uid == b.uid
        && a.generation == b.generation
        && a.labels == b.labels
        && a.annotations == b.annotations
        && a.finalizers == b.finalizers
        && a.owner_references == b.owner_references
        && a.deletion_timestamp == b.deletion_timestamp
        && (before.data == now.data || content(&before.data) == content(&now.data))
}

/// The fields in the status in which evenkeel records what a pass depended on. If they counted, two objects that read each other would
/// trigger each other, and store their digests in turn, without an end.
const RECORDS: [&str; 2] = ["observedInputs", OBSERVED_BY];

/// The fields of an object without its records, each with the name of its parent.
fn content(data: &Value) -> Vec<(&str, &str, &Value)> {
    let mut fields = Vec::new();
    for (name, value) in data.as_object().into_iter().flatten() {
        match value.as_object().filter(|_| name == "status") {
            Some(status) => {
                let counted = status.iter().filter(|(name, _)| !RECORDS.contains(&name.as_str()));
                fields.extend(counted.map(|(field, value)| (name.as_str(), field.as_str(), value)));
            }
            None => fields.push(("", name, value)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(of: &Value) -> DynamicObject {
        let mut object: DynamicObject =
            serde_json::from_value(json!({ "metadata": { "name": "a", "uid": "u", "generation": 1 } })).unwrap();
        object.data = json!({ "spec": 1 });
        for (name, value) in of.as_object().cloned().unwrap_or_default() {
            let mut meta = json!(object.metadata);
            meta[&name] = value;
            object.metadata = serde_json::from_value(meta).unwrap();
        }
        object
    }

    #[test]
    fn an_object_is_equal_if_only_its_version_changed() {
        let before = object(&json!({}));
        assert!(is_same(&before, &object(&json!({ "resourceVersion": "9", "selfLink": "x" }))));
        let others = [
            json!({ "uid": "v" }),
            json!({ "generation": 2 }),
            json!({ "labels": { "a": "b" } }),
            json!({ "annotations": { "a": "b" } }),
            json!({ "finalizers": ["a"] }),
            json!({ "ownerReferences": [{ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p" }] }),
            json!({ "deletionTimestamp": "2026-01-01T00:00:00Z" }),
        ];
        for other in others {
            assert!(!is_same(&before, &object(&other)), "{other}");
            assert!(!is_same(&object(&other), &before), "{other}");
        }
        let with = |data: Value| DynamicObject { data, ..before.clone() };
        assert!(!is_same(&before, &with(json!({ "spec": 2 }))));
        let status = |status: Value| with(json!({ "spec": 1, "status": status }));
        let digest = |digest: &str| status(json!({ "phase": "a", "observedInputs": { "digest": digest } }));
        assert!(is_same(&digest("1"), &digest("2")));
        assert!(is_same(&digest("1"), &status(json!({ "phase": "a" }))));
        for other in [json!({ "phase": "b", "observedInputs": { "digest": "1" } }), json!({}), json!("a")] {
            assert!(!is_same(&digest("1"), &status(other.clone())), "{other}");
            assert!(!is_same(&status(other.clone()), &digest("1")), "{other}");
        }
        assert!(!is_same(&digest("1"), &with(json!({ "spec": 1 }))));
    }

    #[test]
    fn a_version_record_names_only_the_controller() {
        let owner = |uid: &str, controller: Option<bool>| {
            let mut owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid });
            if let Some(controller) = controller {
                owner["controller"] = json!(controller);
            }
            owner
        };
        let controller =
            |owners: Value| VersionRecord::of(&object(&json!({ "ownerReferences": owners })).metadata).controller;
        assert_eq!(
            controller(json!([owner("a", None), owner("b", Some(false)), owner("c", Some(true))])),
            Some("c".into())
        );
        assert_eq!(controller(json!([owner("a", None), owner("b", Some(false))])), None);
        assert_eq!(controller(json!([])), None);
    }

    #[test]
    fn the_cache_mode_decides_what_is_cached() {
        let object = Arc::new(object(&json!({ "resourceVersion": "9" })));
        let cached = |cache| CachedObject::of(&object, cache);
        assert_eq!(cached(Cache::Full).object(), Some(&object));
        assert_eq!(cached(Cache::Full).meta(), Some(&object.metadata));
        assert_eq!((cached(Cache::Metadata).object(), cached(Cache::Metadata).meta()), (None, Some(&object.metadata)));
        assert_eq!((cached(Cache::None).object(), cached(Cache::None).meta()), (None, None));
    }

    #[test]
    fn a_record_in_the_status_is_no_change() {
        let of = |status: &Value, version: &str| {
            let object = object(&json!({ "resourceVersion": version }));
            DynamicObject { data: json!({ "spec": 1, "status": status }), ..object }
        };
        let counted = |object: DynamicObject| CachedObject::Whole(Arc::new(object)).counted_version();
        let with_status = |status: Value, version: &str| counted(of(&status, version));
        assert_eq!(with_status(json!({ "phase": "a" }), "9"), "u 9");
        for record in RECORDS {
            let with = |phase: &str, digest: u8| json!({ "phase": phase, record: { "digest": digest } });
            assert_eq!(with_status(with("a", 1), "8"), with_status(with("a", 2), "9"));
            assert_ne!(with_status(with("a", 1), "9"), with_status(with("b", 1), "9"));
            assert!(is_same(&of(&with("a", 1), "8"), &of(&with("a", 2), "9")));
            let mut labelled = of(&with("a", 1), "9");
            labelled.metadata.labels = Some([("a".into(), "b".into())].into());
            assert_ne!(with_status(with("a", 1), "9"), counted(labelled));
        }
    }

    #[test]
    fn the_hash_covers_name_uid_and_version() {
        for cache in [Cache::None, Cache::Metadata, Cache::Full] {
            let number = |name: &str, of: Value| CachedObject::of(&Arc::new(object(&of)), cache).number(name);
            let one = number("a", json!({ "resourceVersion": "1" }));
            assert_eq!(one, number("a", json!({ "resourceVersion": "1" })));
            assert_ne!(one, number("b", json!({ "resourceVersion": "1" })));
            assert_ne!(one, number("a", json!({ "resourceVersion": "2" })));
            assert_ne!(one, number("a", json!({ "resourceVersion": "1", "uid": "v" })));
            let version = |of: Value| CachedObject::of(&Arc::new(object(&of)), cache).counted_version();
            let [same, newer, other] = [("1", "u"), ("2", "u"), ("1", "v")]
                .map(|(number, uid)| version(json!({ "resourceVersion": number, "uid": uid })));
            assert!(same != newer && same != other && newer != other);
        }
    }
}

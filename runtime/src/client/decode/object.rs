//! The forms in which objects are cached, decoded directly from the response.

use std::borrow::Cow;
use std::sync::Arc;

use kube::Resource;
use kube::api::{DynamicObject, ObjectMeta};
use kube::core::{ApiResource, DynamicResourceScope, ObjectList};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::fallible::Decoded;
#[cfg(feature = "dependents")]
use super::marked::Marked;
use super::strip::{decode, lean, record};

/// Decodes a body as text, as kube does: each type is compiled once more for bytes.
pub(crate) fn from_body<'de, T: Deserialize<'de>>(body: &'de [u8]) -> serde_json::Result<T> {
    serde_json::from_str(std::str::from_utf8(body).map_err(serde_json::Error::custom)?)
}

/// The object in the response to a call: `whole`, or without the fields that no reconciler reads.
///
/// # Errors
/// The body is not an object.
pub(crate) fn object(body: &[u8], whole: bool) -> serde_json::Result<DynamicObject> {
    match whole {
        true => from_body(body),
        false => from_body(body).map(|Stripped(object)| object),
    }
}

/// The objects in a list response: `whole`, or without the fields that no reconciler reads.
///
/// # Errors
/// The body is not a list.
pub(crate) fn list(body: &[u8], whole: bool) -> serde_json::Result<Vec<DynamicObject>> {
    match whole {
        true => from_body(body).map(|list: ObjectList<DynamicObject>| list.items),
        false => {
            let list: ObjectList<Stripped> = from_body(body)?;
            Ok(list.items.into_iter().map(|Stripped(object)| object).collect())
        }
    }
}

/// Whether the response is a `Status`.
pub(crate) fn is_status(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Answer<'a> {
        #[serde(borrow)]
        kind: Cow<'a, str>,
    }
    from_body(body).is_ok_and(|answer: Answer<'_>| answer.kind == "Status")
}

/// An object without the fields that no reconciler reads.
#[derive(Clone, Debug)]
struct Stripped(DynamicObject);

impl<'de> Deserialize<'de> for Stripped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lean(deserializer).map(Self)
    }
}

/// A whole object, shared by all subscribers of a watch.
#[derive(Clone, Debug)]
pub(crate) struct Whole(pub(crate) Arc<DynamicObject>);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode(deserializer).map(Arc::new).map(Self)
    }
}

/// Decodes only the metadata of an object. The kind is skipped, as the URL of the watch already names it.
#[derive(Deserialize)]
struct Partial {
    #[serde(default)]
    metadata: ObjectMeta,
}

/// The metadata of an object, shared by all subscribers of a watch.
#[derive(Clone, Debug)]
pub(crate) struct Meta(pub(crate) Arc<ObjectMeta>);

impl<'de> Deserialize<'de> for Meta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode(deserializer).map(|partial: Partial| Self(Arc::new(partial.metadata)))
    }
}

/// The metadata fields that show the owner and the version of an object.
#[derive(Clone, Debug)]
pub(crate) struct OwnerRecord(pub(crate) ObjectMeta);

impl<'de> Deserialize<'de> for OwnerRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        record(deserializer).map(|partial: Partial| Self(partial.metadata))
    }
}

/// Implements `Resource` for a form; the watch target provides the dynamic type.
macro_rules! resource {
    ($item:ty $([$param:ident: $of:ty])?, $this:ident => $meta:expr, $meta_mut:expr) => {
        impl$(<const $param: $of>)? Resource for $item {
            type DynamicType = ApiResource;
            type Scope = DynamicResourceScope;

            fn kind(resource: &ApiResource) -> Cow<'_, str> {
                DynamicObject::kind(resource)
            }

            fn group(resource: &ApiResource) -> Cow<'_, str> {
                DynamicObject::group(resource)
            }

            fn version(resource: &ApiResource) -> Cow<'_, str> {
                DynamicObject::version(resource)
            }

            fn plural(resource: &ApiResource) -> Cow<'_, str> {
                DynamicObject::plural(resource)
            }

            fn meta(&self) -> &ObjectMeta {
                let $this = self;
                $meta
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                let $this = self;
                $meta_mut
            }
        }
    };
}

#[cfg(feature = "dependents")]
resource!(Marked<PART> [PART: u8], this => &this.meta, &mut this.meta);
resource!(Whole, this => &this.0.metadata, &mut Arc::make_mut(&mut this.0).metadata);
resource!(Meta, this => &this.0, Arc::make_mut(&mut this.0));
resource!(OwnerRecord, this => &this.0, &mut this.0);
resource!(Decoded, this => this.metadata(), this.metadata_mut());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_decode_as_metadata() {
        let object = r#"{"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"a": 1}}"#;
        let name = |meta: &ObjectMeta| meta.name.clone();
        assert_eq!(serde_json::from_str(object).map(|OwnerRecord(meta)| name(&meta)).unwrap(), Some("a".into()));
        assert_eq!(serde_json::from_str(object).map(|Meta(meta)| name(&meta)).unwrap(), Some("a".into()));
        for text in ["[]", r#"[{"name": "a"}]"#, "null", "3", r#"{"metadata": []}"#] {
            assert!(serde_json::from_str::<OwnerRecord>(text).is_err(), "{text}");
            assert!(serde_json::from_str::<Meta>(text).is_err(), "{text}");
        }
    }
}

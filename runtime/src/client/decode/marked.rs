//! Objects with marks, decoded without what their cache does not read.

use std::fmt;

use kube::api::ObjectMeta;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::strip::without_template;
use crate::dependent_rules::response::FieldOwner;

/// The metadata of an object.
pub(crate) const METADATA: u8 = 0;
/// What shows whether an object is ready: all but the template of its pods.
pub(crate) const READINESS: u8 = 1;
/// The whole object.
pub(crate) const WHOLE: u8 = 2;

/// A marked object, before its cache reduces it. `PART`: what of it is decoded.
#[derive(Clone, Debug)]
pub(crate) struct Marked<const PART: u8> {
    pub(crate) meta: ObjectMeta,
    /// Those of `metadata.managedFields`, which the object does not have.
    pub(crate) owners: Vec<FieldOwner>,
    pub(crate) object: Value,
}

impl<'de, const PART: u8> Deserialize<'de> for Marked<PART> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut owners = Vec::new();
        let object = deserializer.deserialize_map(Fields::Object(&mut owners, PART))?;
        if !object["metadata"].is_object() {
            return Err(D::Error::custom("an object has metadata"));
        }
        Ok(Self { meta: identifying(&object["metadata"]), owners, object })
    }
}

/// The spec without the template of the pods.
struct Spec(Value);

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        without_template(deserializer).map(Self)
    }
}

/// Decodes the fields of an object, or those of its metadata.
enum Fields<'o> {
    Object(&'o mut Vec<FieldOwner>, u8),
    Metadata(&'o mut Vec<FieldOwner>),
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            match (&mut self, &*name) {
                (Self::Object(owners, _), "metadata") => {
                    let value = map.next_value_seed(Fields::Metadata(owners))?;
                    fields.insert(name, value);
                }
                (Self::Object(_, READINESS), "spec") => {
                    let Spec(value) = map.next_value()?;
                    fields.insert(name, value);
                }
                (Self::Metadata(owners), "managedFields") => {
                    **owners = map.next_value::<Option<_>>()?.unwrap_or_default();
                }
                _ => {
                    let value = map.next_value()?;
                    fields.insert(name, value);
                }
            }
        }
        Ok(Value::Object(fields))
    }
}

/// The metadata by which an object is identified and its mark is read. Without serde, whose code for all metadata is large.
fn identifying(meta: &Value) -> ObjectMeta {
    let text = |field: &str| meta[field].as_str().map(ToOwned::to_owned);
    let annotations = meta["annotations"].as_object();
    let annotations = annotations
        .map(|all| all.iter().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect());
    ObjectMeta {
        name: text("name"),
        namespace: text("namespace"),
        uid: text("uid"),
        resource_version: text("resourceVersion"),
        annotations,
        ..ObjectMeta::default()
    }
}

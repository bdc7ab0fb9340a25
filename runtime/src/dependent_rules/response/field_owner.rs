//! Which field manager owns which fields of an object: the entries of `metadata.managedFields`.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::stable_hash::StableHash;

/// A field manager with the fields that it owns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FieldOwner {
    manager: Option<String>,
    operation: Option<String>,
    subresource: Option<String>,
    fields_v1: Fields,
}

impl FieldOwner {
    /// The owners of an object. Entries of another form are left out.
    #[must_use]
    pub fn all(object: &Value) -> Vec<Self> {
        let entries = object["metadata"]["managedFields"].as_array();
        entries.into_iter().flatten().filter_map(|entry| Self::deserialize(entry).ok()).collect()
    }

    /// Whether this manager owns the fields by this operation, other than those of a subresource.
    #[must_use]
    pub fn is(&self, manager: &str, operation: &str) -> bool {
        let is = |own: &Option<String>, text: &str| own.as_deref().unwrap_or_default() == text;
        is(&self.manager, manager) && is(&self.operation, operation) && is(&self.subresource, "")
    }

    /// A hash of the owned fields, which does not depend on their order.
    #[must_use]
    pub const fn fields(&self) -> u64 {
        self.fields_v1.hash
    }

    /// Whether it owns `spec.replicas`.
    #[must_use]
    pub const fn owns_replicas(&self) -> bool {
        self.fields_v1.has_replicas
    }
}

/// A set of fields, hashed while it is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Fields {
    hash: u64,
    has_replicas: bool,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Level::Object.deserialize(deserializer)
    }
}

/// Where in the object a set of fields is.
#[derive(Clone, Copy)]
enum Level {
    Object,
    Spec,
    Below,
}

impl Level {
    fn of(self, field: &str) -> Self {
        if matches!(self, Self::Object) && field == "f:spec" { Self::Spec } else { Self::Below }
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Fields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set of fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut all = Fields { hash: 1, has_replicas: false };
        while let Some(Field { hash: mut field, level, is_replicas }) = map.next_key_seed(FieldName(self))? {
            let below = map.next_value_seed(level)?;
            field.word(below.hash);
            // A sum, since their order does not matter.
            all.hash = all.hash.wrapping_add(field.finish());
            all.has_replicas |= is_replicas || below.has_replicas;
        }
        Ok(all)
    }

    // The rest is no set of fields; API servers send none.
    fn visit_unit<E>(self) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Fields, E> {
        Ok(Fields::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Fields, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Fields::default())
    }
}

/// The name of a field in a set.
struct FieldName(Level);

struct Field {
    hash: StableHash,
    level: Level,
    is_replicas: bool,
}

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Field, E> {
        let mut hash = StableHash::new();
        hash.add(name);
        let is_replicas = matches!(self.0, Level::Spec) && name == "f:replicas";
        Ok(Field { hash, level: self.0.of(name), is_replicas })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn owner(entry: &str) -> FieldOwner {
        let owner = serde_json::from_str(entry).unwrap();
        // The text and the value are the same to it.
        let value: Value = serde_json::from_str(entry).unwrap();
        assert_eq!(FieldOwner::all(&json!({ "metadata": { "managedFields": [value] } })), [FieldOwner::clone(&owner)]);
        owner
    }

    #[test]
    fn the_hash_depends_on_the_fields_only() {
        let of = |fields: &str| owner(&format!("{{\"fieldsV1\":{fields}}}")).fields();
        let one = of(r#"{"f:data":{".":{},"f:a":{}},"f:spec":{}}"#);
        assert_eq!(of(r#"{"f:spec":{},"f:data":{"f:a":{},".":{}}}"#), one);
        for other in [
            "{}",
            r#"{"f:data":{".":{},"f:a":{}}}"#,
            r#"{"f:data":{".":{},"f:b":{}},"f:spec":{}}"#,
            r#"{"f:data":{".":{}},"f:spec":{"f:a":{}}}"#,
            r#"{"f:data":{".":{},"f:a":{"f:spec":{}}}}"#,
        ] {
            assert_ne!(of(other), one, "{other}");
        }
    }

    #[test]
    fn replicas_are_those_of_the_spec() {
        let of = |fields: &str| owner(&format!("{{\"fieldsV1\":{fields}}}")).owns_replicas();
        assert!(of(r#"{"f:metadata":{},"f:spec":{"f:paused":{},"f:replicas":{}}}"#));
        assert!(!of(r#"{"f:status":{"f:replicas":{}},"f:spec":{"f:a":{"f:replicas":{}}},"f:replicas":{}}"#));
    }

    #[test]
    fn an_owner_has_manager_operation_and_subresource() {
        let text = r#"{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":null,"manager":"a","operation":"Apply"}"#;
        assert!(owner(text).is("a", "Apply") && !owner(text).is("a", "Update") && !owner(text).is("b", "Apply"));
        assert!(!owner(r#"{"manager":"a","operation":"Apply","subresource":"status"}"#).is("a", "Apply"));
        assert!(owner(r#"{"fieldsV1":[1,"a",{"b":null}]}"#).is("", ""));
    }
}

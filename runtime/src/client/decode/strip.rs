//! Decoding that skips two large fields that no reconciler reads: `managedFields`, and the copy of the object from `kubectl apply`.
//!
//! They are skipped during decoding, not removed afterwards, since building and dropping a tree takes time.

use std::borrow::Cow;

use futures::Stream;
use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::forward::hand_on_scalars;
use super::raw::Text;

/// The annotation in which `kubectl apply` stores a copy of the object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

tokio::task_local! {
    static WHOLE: bool;
}

/// The events of a watch, whose objects are decoded whole or stripped.
pub(crate) fn keeping_all<S: Stream>(whole: bool, events: S) -> impl Stream<Item = S::Item> {
    let mut events = Box::pin(events);
    futures::stream::poll_fn(move |cx| WHOLE.sync_scope(whole, || events.as_mut().poll_next(cx)))
}

/// Decodes an object, stripped unless the watch keeps whole objects.
pub(super) fn decode<'de, K: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    if keeps_all() { K::deserialize(deserializer) } else { lean(deserializer) }
}

/// Whether the watch keeps whole objects.
pub(super) fn keeps_all() -> bool {
    WHOLE.try_with(|whole| *whole).unwrap_or(false)
}

/// Decodes an object without the stripped fields.
pub(super) fn lean<'de, K: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    K::deserialize(StripDeserializer { inner: deserializer, depth: Depth::Object })
}

/// Decodes the metadata of an object without the fields that an owner record does not need, and skips the rest.
pub(super) fn record<'de, K: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    K::deserialize(StripDeserializer { inner: deserializer, depth: Depth::OwnerRecord })
}

/// Decodes the spec of an object without the template of the pods, which says nothing about the readiness of the object.
#[cfg(feature = "dependents")]
pub(super) fn without_template<'de, D: Deserializer<'de>>(deserializer: D) -> Result<serde_json::Value, D::Error> {
    serde_json::Value::deserialize(StripDeserializer { inner: deserializer, depth: Depth::Spec })
}

/// The level within the object.
#[derive(Clone, Copy)]
enum Depth {
    Object,
    Metadata,
    Annotations,
    #[cfg(feature = "dependents")]
    Spec,
    /// An object whose metadata alone is decoded.
    OwnerRecord,
    OwnerMeta,
}

/// The action for a field.
enum FieldAction {
    Drop,
    Keep,
    /// Keep the field and strip its contents.
    Enter(Depth),
}

impl Depth {
    fn action(self, field: &str) -> FieldAction {
        match (self, field) {
            (Self::Metadata, "managedFields") | (Self::Annotations, LAST_APPLIED) => FieldAction::Drop,
            #[cfg(feature = "dependents")]
            (Self::Spec, "template") => FieldAction::Drop,
            (Self::OwnerMeta, "managedFields" | "annotations" | "labels" | "finalizers") => FieldAction::Drop,
            (Self::Object, "metadata") => FieldAction::Enter(Self::Metadata),
            (Self::OwnerRecord, "metadata") => FieldAction::Enter(Self::OwnerMeta),
            (Self::OwnerRecord, _) => FieldAction::Drop,
            (Self::Metadata, "annotations") => FieldAction::Enter(Self::Annotations),
            _ => FieldAction::Keep,
        }
    }
}

/// A deserializer, a visitor or a seed that drops fields.
struct StripDeserializer<T> {
    inner: T,
    depth: Depth,
}

macro_rules! forward {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($arg: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($arg,)* StripDeserializer { inner: visitor, depth: self.depth })
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for StripDeserializer<D> {
    type Error = D::Error;

    forward! {
        deserialize_any();
        deserialize_map();
        deserialize_option();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_newtype_struct(name: &'static str);
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct enum identifier
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StripDeserializer<V> {
    type Value = V::Value;

    hand_on_scalars!();

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(StripDeserializer { inner, depth: self.depth })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(StripDeserializer { inner, depth: self.depth })
    }

    /// Rejects lists: serde can read a struct from one, but all levels here are JSON objects.
    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<V::Value, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Fields { inner, depth: self.depth, enter: None })
    }
}

/// The fields of one level.
struct Fields<A> {
    inner: A,
    depth: Depth,
    /// The level of the next value, if its fields are checked.
    enter: Option<Depth>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(Text(name)) = self.inner.next_key()? {
            self.enter = match self.depth.action(&name) {
                FieldAction::Drop => {
                    self.inner.next_value::<IgnoredAny>()?;
                    continue;
                }
                FieldAction::Keep => None,
                FieldAction::Enter(depth) => Some(depth),
            };
            let key = match name {
                Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                owned @ Cow::Owned(_) => seed.deserialize(CowStrDeserializer::new(owned)),
            };
            return key.map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.enter.take() {
            Some(depth) => self.inner.next_value_seed(StripDeserializer { inner: seed, depth }),
            None => self.inner.next_value_seed(seed),
        }
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for StripDeserializer<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(StripDeserializer { inner, depth: self.depth })
    }
}

#[cfg(test)]
mod tests {
    use kube::api::{DynamicObject, ObjectMeta, PartialObjectMeta};
    use serde_json::{Value, json};

    use super::*;

    fn fat() -> Value {
        json!({
            "apiVersion": "example.com/v1", "kind": "Thing",
            "metadata": {
                "name": "a", "namespace": "b", "uid": "u", "generation": 3, "labels": { "managedFields": "mine" },
                "annotations": { LAST_APPLIED: "{}", "note": "kept\n" },
                "managedFields": [{ "manager": "kubectl", "fieldsV1": { "f:spec": {} } }],
            },
            "spec": { "metadata": { "managedFields": [1], "annotations": { LAST_APPLIED: "deep" } }, "text": "\"quoted\"" },
        })
    }

    fn without_ballast() -> Value {
        let mut lean = fat();
        let meta = lean["metadata"].as_object_mut().unwrap();
        meta.remove("managedFields");
        meta["annotations"].as_object_mut().unwrap().remove(LAST_APPLIED);
        lean
    }

    #[test]
    fn only_metadata_of_the_object_itself_is_stripped() {
        let text = fat().to_string();
        let decoded: DynamicObject = lean(&mut serde_json::Deserializer::from_str(&text)).unwrap();
        assert_eq!(serde_json::to_value(decoded).unwrap(), without_ballast());
        let decoded: Value = lean(fat()).unwrap();
        assert_eq!(decoded, without_ballast(), "from a tree, too");
    }

    #[test]
    fn an_owner_record_retains_the_identifying_metadata() {
        let text = fat().to_string();
        let decoded: PartialObjectMeta<DynamicObject> = record(&mut serde_json::Deserializer::from_str(&text)).unwrap();
        let expected = json!({ "name": "a", "namespace": "b", "uid": "u", "generation": 3 });
        assert_eq!(decoded.metadata, serde_json::from_value::<ObjectMeta>(expected).unwrap());
    }

    #[test]
    fn invalid_objects_fail_as_with_serde_json() {
        for text in ["3", "null", "\"a\"", "[]", "{", "{\"metadata\": 3}", "{\"metadata\": {\"annotations\": []}}"] {
            let plain = serde_json::from_str::<PartialObjectMeta<DynamicObject>>(text).map(|o| o.metadata);
            let ours = lean::<PartialObjectMeta<DynamicObject>, _>(&mut serde_json::Deserializer::from_str(text));
            assert_eq!(
                plain.map_err(|error| error.to_string()),
                ours.map(|o| o.metadata).map_err(|error| error.to_string()),
                "{text}"
            );
        }
    }
}

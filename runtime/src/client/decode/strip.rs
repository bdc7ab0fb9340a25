//! Decoding that skips two large fields that no reconciler reads: `managedFields`, and the copy of the object from `kubectl apply`.
//!
//! They are skipped during decoding, not removed afterwards, since building and dropping a tree takes time.

use std::borrow::Cow;

use futures::Stream;
use serde::Deserialize;
use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

use super::forward::hand_on_scalars;
use super::object_text::LAST_APPLIED;
use super::raw::Text;

tokio::task_local! {
    static WHOLE: bool;
}

/// The events of a watch, whose objects are decoded whole or stripped.
pub(crate) fn keeping_all<S: Stream>(whole: bool, events: S) -> impl Stream<Item = S::Item> {
    let mut events = Box::pin(events);
    futures::stream::poll_fn(move |cx| WHOLE.sync_scope(whole, || events.as_mut().poll_next(cx)))
}

/// Decodes `whole` objects or stripped ones, as in a watch.
#[cfg(feature = "compact")]
pub(super) fn keeping<T>(whole: bool, decode: impl FnOnce() -> T) -> T {
    WHOLE.sync_scope(whole, decode)
}

/// Decodes an object, stripped unless the watch keeps whole objects.
pub(super) fn decode<'de, K: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    if keeps_all() { whole(deserializer) } else { lean(deserializer) }
}

/// Whether the watch keeps whole objects.
pub(super) fn keeps_all() -> bool {
    WHOLE.try_with(|whole| *whole).unwrap_or(false)
}

/// Decodes a whole object.
pub(super) fn whole<'de, K: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
    K::deserialize(StripDeserializer { inner: deserializer, depth: Depth::Whole })
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// A value that is decoded whole.
    Whole,
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
    /// Keep the field; its contents are at this level.
    Keep(Depth),
}

impl Depth {
    fn action(self, field: &str) -> FieldAction {
        match (self, field) {
            (Self::Metadata, "managedFields") | (Self::Annotations, LAST_APPLIED) => FieldAction::Drop,
            #[cfg(feature = "dependents")]
            (Self::Spec, "template") => FieldAction::Drop,
            (Self::OwnerMeta, "managedFields" | "annotations" | "labels" | "finalizers") => FieldAction::Drop,
            (Self::Object, "metadata") => FieldAction::Keep(Self::Metadata),
            (Self::OwnerRecord, "metadata") => FieldAction::Keep(Self::OwnerMeta),
            (Self::OwnerRecord, _) => FieldAction::Drop,
            (Self::Metadata, "annotations") => FieldAction::Keep(Self::Annotations),
            _ => FieldAction::Keep(Self::Whole),
        }
    }
}

/// A deserializer, a visitor or a seed that drops fields. Whole values pass through it, too: each type is decoded by one deserializer only.
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

/// The methods for values without fields. The visitor rejects an object.
macro_rules! plain {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($arg: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($arg,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for StripDeserializer<D> {
    type Error = D::Error;

    forward! {
        deserialize_any();
        deserialize_map();
        deserialize_option();
        deserialize_newtype_struct(name: &'static str);
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(
            name,
            fields,
            Struct { inner: StripDeserializer { inner: visitor, depth: self.depth } },
        )
    }

    plain! {
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
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

    /// Rejects lists where fields are dropped: all these levels are JSON objects.
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        match self.depth {
            Depth::Whole => self.inner.visit_seq(items),
            _ => Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Fields { inner, depth: self.depth, value: Depth::Whole })
    }
}

/// The visitor of a struct. serde can read a struct from a list, too, which no API server accepts: the code for it would decode each field
/// once more.
struct Struct<V> {
    inner: StripDeserializer<V>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Struct<V> {
    type Value = V::Value;

    hand_on_scalars!();

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(fields)
    }
}

/// The fields of one level.
struct Fields<A> {
    inner: A,
    depth: Depth,
    /// The level of the next value.
    value: Depth,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Fields<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        if self.depth == Depth::Whole {
            return self.inner.next_key_seed(seed);
        }
        while let Some(Text(name)) = self.inner.next_key()? {
            match self.depth.action(&name) {
                FieldAction::Drop => {
                    self.inner.next_value::<IgnoredAny>()?;
                }
                FieldAction::Keep(depth) => {
                    self.value = depth;
                    let key = match name {
                        Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                        owned @ Cow::Owned(_) => seed.deserialize(CowStrDeserializer::new(owned)),
                    };
                    return key.map(Some);
                }
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(StripDeserializer { inner: seed, depth: self.value })
    }

    fn size_hint(&self) -> Option<usize> {
        match self.depth {
            Depth::Whole => self.inner.size_hint(),
            _ => None,
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

//! Decoding that allocates exact capacities for lists. A list that grows while it is filled retains unused capacity, and objects stay in
//! a cache for a long time.
//!
//! JSON does not contain the length of a list, so the items are counted first, as the whole text is available.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess};
use serde::de::{VariantAccess, Visitor};

use super::capacities::Capacities;
use super::forward::hand_on_scalars;
use super::raw::TEXT;

/// A deserializer of JSON text, a visitor or a seed, with the lengths of the lists.
pub(super) struct ExactCapacity<'s, T> {
    inner: T,
    shapes: &'s Capacities,
}

impl<'s, T> ExactCapacity<'s, T> {
    pub(super) const fn new(inner: T, shapes: &'s Capacities) -> Self {
        Self { inner, shapes }
    }
}

macro_rules! forward {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($arg: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($arg,)* ExactCapacity::new(visitor, self.shapes))
        }
    )*};
}

/// The methods for values without lists.
macro_rules! plain {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ExactCapacity<'_, D> {
    type Error = D::Error;

    forward! {
        deserialize_any();
        deserialize_option();
        deserialize_seq();
        deserialize_map();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
    }

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        // A raw value consumes its lists without this deserializer, so the position is lost.
        if name == TEXT {
            self.shapes.lose();
            return self.inner.deserialize_newtype_struct(name, visitor);
        }
        self.inner.deserialize_newtype_struct(name, ExactCapacity::new(visitor, self.shapes))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(SkipValue(self.shapes))?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ExactCapacity<'_, V> {
    type Value = V::Value;

    hand_on_scalars!();

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(ExactCapacity::new(inner, self.shapes))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(ExactCapacity::new(inner, self.shapes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let left = self.shapes.enter();
        self.inner.visit_seq(Items { inner, shapes: self.shapes, left })
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.shapes.enter();
        self.inner.visit_map(ExactCapacity::new(inner, self.shapes))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(ExactCapacity::new(inner, self.shapes))
    }
}

/// The items of a list.
struct Items<'s, A> {
    inner: A,
    shapes: &'s Capacities,
    left: Option<usize>,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.left = self.left.map(|left| left.saturating_sub(1));
        self.inner.next_element_seed(ExactCapacity::new(seed, self.shapes))
    }

    fn size_hint(&self) -> Option<usize> {
        self.left.or_else(|| self.inner.size_hint())
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ExactCapacity<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(ExactCapacity::new(seed, self.shapes))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ExactCapacity<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(ExactCapacity::new(inner, self.shapes))
    }
}

impl<'s, 'de, A: EnumAccess<'de>> EnumAccess<'de> for ExactCapacity<'s, A> {
    type Error = A::Error;
    type Variant = ExactCapacity<'s, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, ExactCapacity::new(variant, self.shapes)))
    }
}

/// Most variants are strings. For the others the position is lost, since the enclosing JSON object was not counted.
impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for ExactCapacity<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.shapes.lose();
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.shapes.lose();
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.shapes.lose();
        self.inner.struct_variant(fields, visitor)
    }
}

/// Skips a value and everything in it.
struct SkipValue<'s>(&'s Capacities);

macro_rules! scalar {
    ($($method:ident($ty:ty);)*) => {$(
        fn $method<E: Error>(self, _: $ty) -> Result<(), E> {
            Ok(())
        }
    )*};
}

impl<'de> Visitor<'de> for SkipValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything at all")
    }

    scalar! {
        visit_bool(bool);
        visit_i64(i64);
        visit_u64(u64);
        visit_f64(f64);
        visit_str(&str);
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.pass();
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.0.pass();
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Pod, PodSpec};
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::super::object_text::ObjectText;
    use super::*;

    fn capacities(text: &str) -> Capacities {
        ObjectText::of(text, false).capacities
    }

    fn exact<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
        let shapes = capacities(text);
        T::deserialize(ExactCapacity::new(&mut serde_json::Deserializer::from_str(text), &shapes))
    }

    /// Asserts that no list has spare capacity.
    fn assert_tight(pod: &Pod) {
        let spec = pod.spec.as_ref().unwrap();
        assert_eq!((spec.containers.len(), spec.containers.capacity()), (2, 2));
        let env = spec.containers.iter().map(|container| container.env.as_ref().unwrap());
        assert!(env.into_iter().all(|env| env.len() == 5 && env.capacity() == 5));
        assert_eq!(spec.volumes.as_ref().map(Vec::capacity), Some(1));
        assert_eq!(pod.metadata.finalizers.as_ref().map(Vec::capacity), Some(1));
    }

    fn pod() -> Value {
        let env: Vec<_> = (0..5).map(|at| json!({ "name": format!("V{at}"), "value": "[,]" })).collect();
        let container =
            |name: &str| json!({ "name": name, "env": env, "args": ["-c", "echo \"[\""], "unknown": [[1], [2, 3]] });
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "a", "managedFields": [{ "manager": "x", "fieldsV1": { "f:a": { "f:b": {} } } }], "finalizers": ["f"] },
            "spec": { "strange": { "deep": [{ "er": [] }] }, "containers": [container("a"), container("b")], "volumes": [{ "name": "v" }] },
        })
    }

    #[test]
    fn decoded_lists_have_exact_capacity() {
        let text = pod().to_string();
        assert_tight(&exact(&text).unwrap());
        let (shapes, mut json) = (capacities(&text), serde_json::Deserializer::from_str(&text));
        assert_tight(&super::super::strip::lean(ExactCapacity::new(&mut json, &shapes)).unwrap());
        assert_eq!(shapes.enter(), None, "all of them are behind us");
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Plain,
        Pair(u8, u8),
        Inner { of: Vec<u8> },
        One(Vec<u8>),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        List(Vec<u8>),
        Text(String),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct All {
        words: Vec<Word>,
        either: Vec<Either>,
        pair: (i8, Option<f32>),
        any: Value,
        large: i128,
        #[serde(flatten)]
        rest: std::collections::BTreeMap<String, Vec<u8>>,
    }

    #[test]
    fn every_type_decodes_as_with_serde_json() {
        let text = json!({
            "words": ["plain", { "pair": [1, 2] }, { "inner": { "of": [1, 2] } }, { "one": [3] }, "plain"],
            "either": [[1], "x"], "pair": [-1, null], "any": { "a": [1, [2]] }, "large": -7, "more": [1, 2], "most": [],
        })
        .to_string();
        let decoded: All = exact(&text).unwrap();
        assert_eq!(decoded, serde_json::from_str::<All>(&text).unwrap());
        for wrong in ["{", "[]", "{\"words\":[\"none\"]}", "{\"words\":{}}", "{\"words\":[],\"words\":[]}"] {
            let (ours, plain) = (exact::<All>(wrong), serde_json::from_str::<All>(wrong));
            assert_eq!(ours.map_err(|e| e.to_string()), plain.map_err(|e| e.to_string()), "{wrong}");
        }
    }

    #[test]
    fn an_invalid_spec_fails_with_serde_json_message() {
        let text = json!({ "containers": [{ "name": "a" }, { "name": 1 }] }).to_string();
        let (ours, plain) = (exact::<PodSpec>(&text), serde_json::from_str::<PodSpec>(&text));
        assert_eq!(ours.unwrap_err().to_string(), plain.unwrap_err().to_string());
    }
}

//! The author's fields of a status, each in its serialized form, so that a comparison does not build a JSON tree.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{Error as _, Impossible, SerializeMap, SerializeStruct, Serializer};
use serde_json::{Error, Value};

use super::contract::StatusContract;
use super::framework_fields::{DEPENDENTS, FRAMEWORK_FIELDS};
use crate::json_scan::is_sorted;

/// The fields by their JSON names.
pub(crate) type Fields = BTreeMap<Cow<'static, str>, Field>;

/// One field, as JSON.
#[derive(Clone, Debug)]
pub(crate) struct Field(Arc<[u8]>);

impl Field {
    /// The field as JSON text whose keys are sorted.
    pub(crate) fn sorted_text(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) if is_sorted(text) => text.into(),
            _ => self.value().to_string().into(),
        }
    }

    /// The field as a JSON value; null if it is nested too deeply for clients to parse.
    pub(crate) fn value(&self) -> Value {
        let text = std::str::from_utf8(&self.0).map_err(Error::custom);
        text.and_then(serde_json::from_str).unwrap_or_else(|error| {
            tracing::warn!(%error, "a status field cannot be decoded; it is omitted");
            Value::Null
        })
    }
}

impl PartialEq for Field {
    /// Compares the values if the texts differ, since maps without an order can serialize differently.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.value() == other.value()
    }
}

/// The author's fields of a status. Fields that are null are omitted.
///
/// # Errors
/// The status cannot be serialized as a JSON object, for example because a map has keys that are not strings.
pub(crate) fn author_fields<S: StatusContract>(status: &S) -> Result<Fields, Error> {
    status.serialize(Fielder { keeps_dependents: status.dependents().is_some(), ..Fielder::new() })
}

/// Serializes each field of a struct separately, and skips those of the framework.
struct Fielder {
    fields: Fields,
    /// Whether the field `dependents` belongs to the framework.
    keeps_dependents: bool,
    key: String,
    text: Vec<u8>,
}

impl Fielder {
    fn new() -> Self {
        // Most fields are shorter, so the buffer does not grow.
        Self { fields: Fields::new(), keeps_dependents: false, key: String::new(), text: Vec::with_capacity(512) }
    }

    fn add(&mut self, name: Cow<'static, str>, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        if FRAMEWORK_FIELDS.contains(&&*name) || self.keeps_dependents && name == DEPENDENTS {
            return Ok(());
        }
        self.text.clear();
        serde_json::to_writer(&mut self.text, value)?;
        if self.text != b"null" {
            self.fields.insert(name, Field(self.text.as_slice().into()));
        }
        Ok(())
    }
}

impl SerializeStruct for Fielder {
    type Ok = Fields;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.add(Cow::Borrowed(name), value)
    }

    fn end(self) -> Result<Fields, Error> {
        Ok(self.fields)
    }
}

/// A struct with flattened fields is serialized as a map.
impl SerializeMap for Fielder {
    type Ok = Fields;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match serde_json::to_value(key)? {
            Value::String(name) => name,
            plain @ (Value::Number(_) | Value::Bool(_)) => plain.to_string(),
            _ => return Err(Error::custom("the name of a field is a string")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let name = std::mem::take(&mut self.key);
        self.add(Cow::Owned(name), value)
    }

    fn end(self) -> Result<Fields, Error> {
        Ok(self.fields)
    }
}

type Nothing = Impossible<Fields, Error>;

fn no_object<T>() -> Result<T, Error> {
    Err(Error::custom("a status is an object"))
}

macro_rules! no_object {
    ($($method:ident($($type:ty),*) -> $result:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$result, Error> {
            no_object()
        })*
    };
}

impl Serializer for Fielder {
    type Ok = Fields;
    type Error = Error;
    type SerializeSeq = Nothing;
    type SerializeTuple = Nothing;
    type SerializeTupleStruct = Nothing;
    type SerializeTupleVariant = Nothing;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Nothing;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Fields, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Fields, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Fields, Error> {
        no_object()
    }

    no_object! {
        serialize_bool(bool) -> Fields;
        serialize_i8(i8) -> Fields;
        serialize_i16(i16) -> Fields;
        serialize_i32(i32) -> Fields;
        serialize_i64(i64) -> Fields;
        serialize_u8(u8) -> Fields;
        serialize_u16(u16) -> Fields;
        serialize_u32(u32) -> Fields;
        serialize_u64(u64) -> Fields;
        serialize_f32(f32) -> Fields;
        serialize_f64(f64) -> Fields;
        serialize_char(char) -> Fields;
        serialize_str(&str) -> Fields;
        serialize_bytes(&[u8]) -> Fields;
        serialize_none() -> Fields;
        serialize_unit() -> Fields;
        serialize_unit_struct(&'static str) -> Fields;
        serialize_unit_variant(&'static str, u32, &'static str) -> Fields;
        serialize_seq(Option<usize>) -> Nothing;
        serialize_tuple(usize) -> Nothing;
        serialize_tuple_struct(&'static str, usize) -> Nothing;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Nothing;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Nothing;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(text: &str) -> Field {
        Field(text.as_bytes().into())
    }

    impl Field {
        pub(crate) fn of(value: &impl serde::Serialize) -> Self {
            field(&serde_json::to_string(value).unwrap())
        }
    }

    #[test]
    fn fields_with_equal_values_are_equal() {
        assert_eq!(field("{\"a\":1,\"b\":2}"), field("{\"b\":2,\"a\":1}"));
        assert_ne!(field("{\"a\":1}"), field("{\"a\":2}"));
        assert_ne!(field("[1,2]"), field("[2,1]"));
    }

    #[derive(Serialize)]
    struct Status {
        #[serde(rename = "observedGeneration")]
        generation: u8,
        none: Option<u8>,
        flag: bool,
    }

    #[derive(Serialize)]
    struct Flattened {
        #[serde(flatten)]
        inner: Status,
        #[serde(flatten)]
        more: BTreeMap<u8, [(); 1]>,
    }

    fn left(status: &impl Serialize) -> Vec<(String, Value)> {
        let fields = status.serialize(Fielder::new()).unwrap();
        fields.iter().map(|(name, field)| (name.to_string(), field.value())).collect()
    }

    #[test]
    fn framework_fields_and_nulls_are_left_out() {
        let status = || Status { generation: 1, none: None, flag: false };
        assert_eq!(left(&Some(status())), [("flag".to_owned(), json!(false))]);
        let flattened = Flattened { inner: status(), more: [(7, [()])].into() };
        assert_eq!(left(&flattened), [("7".to_owned(), json!([null])), ("flag".to_owned(), json!(false))]);
    }

    #[derive(Serialize)]
    struct Wrapped(Status);

    #[derive(Serialize)]
    enum Chosen {
        One(u8),
    }

    #[test]
    fn a_newtype_status_has_the_inner_fields() {
        let wrapped = Wrapped(Status { generation: 1, none: None, flag: true });
        assert_eq!(left(&wrapped), [("flag".to_owned(), json!(true))]);
    }

    #[test]
    fn a_non_object_has_no_fields() {
        let chosen = Chosen::One(1).serialize(Fielder::new());
        for error in [[1].serialize(Fielder::new()), "x".serialize(Fielder::new()), chosen] {
            assert!(error.unwrap_err().to_string().contains("an object"));
        }
    }
}

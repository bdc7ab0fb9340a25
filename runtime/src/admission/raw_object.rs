//! An object of a request, which is not decoded: each of its members is scanned once, while the request is read.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object in their order.
pub(super) struct RawObject<'a>(Vec<(Name<'a>, &'a RawValue)>);

/// The name of a member, borrowed if it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl<'a> RawObject<'a> {
    /// The members.
    pub(super) fn members(&self) -> impl Iterator<Item = (&Name<'a>, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name, *value))
    }

    /// The object as JSON.
    pub(super) fn text(&self) -> String {
        let length = self.0.iter().map(|(Name(name), value)| name.len() + value.get().len() + 4).sum::<usize>();
        let mut text = String::with_capacity(length + 2);
        text.push('{');
        for (number, (Name(name), value)) in self.0.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            text.push_str(&Value::from(&**name).to_string());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        text
    }

    /// The object as a tree.
    pub(super) fn tree(&self) -> serde_json::Result<Value> {
        serde_json::from_str(&self.text())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = RawObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject<'de>, A::Error> {
                // apiVersion, kind, metadata, spec, status.
                let mut members = Vec::with_capacity(5);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawObject(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_object_is_the_same_object() {
        for text in ["{}", r#"{"a":1}"#, r#"{ "a" : {"b": [ 2 ]}, "c\"\u00e9": null, "a": "\u0061" }"#] {
            let object: RawObject = serde_json::from_str(text).unwrap();
            assert_eq!(object.tree().unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        for text in ["1", "[]", "\"a\""] {
            let error = serde_json::from_str::<RawObject>(text).err().unwrap().to_string();
            assert!(error.contains("expected an object"), "{error}");
        }
        assert!(serde_json::from_str::<Option<RawObject>>("null").unwrap().is_none());
    }
}

//! An object that is not decoded yet: its text if the source is JSON text, so that it can be read twice.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::object_text::ObjectText;
use super::side_channel::take_text;

/// The newtype name for which the deserializers of serde_json return the raw text. Other deserializers treat it as any newtype, and the
/// result is a tree.
pub(super) const TEXT: &str = "$serde_json::private::RawValue";

/// One JSON value that is not decoded yet.
pub(super) enum Raw<'de> {
    Text(Cow<'de, str>),
    /// A text whose lists are counted.
    Counted(ObjectText),
    Tree(Value),
}

impl Raw<'_> {
    /// The text of the object, if the source is text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Counted(counted) => Some(&counted.text),
            Self::Tree(_) => None,
        }
    }

    /// The same with its lists counted; `strips`: without what no reconciler reads.
    pub(super) fn counted(self, strips: bool) -> Self {
        match self {
            Self::Text(text) => Self::Counted(ObjectText::of(&text, strips)),
            counted => counted,
        }
    }

    /// # Errors
    /// The text is too deeply nested or invalid.
    pub(super) fn tree(self) -> serde_json::Result<Value> {
        match self {
            Self::Text(text) => serde_json::from_str(&text),
            Self::Counted(counted) => serde_json::from_str(&counted.text),
            Self::Tree(tree) => Ok(tree),
        }
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = deserializer.deserialize_newtype_struct(TEXT, Whole)?;
        let Raw::Text(text) = &raw else { return Ok(raw) };
        Ok(take_text(text).map_or(raw, Raw::Counted))
    }
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    /// Reads a map with one field, whose value is the text.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw<'de>, A::Error> {
        map.next_key::<IgnoredAny>()?;
        map.next_value::<Text<'de>>().map(|Text(text)| Raw::Text(text))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw<'de>, D::Error> {
        Value::deserialize(deserializer).map(Raw::Tree)
    }
}

/// A string, borrowed from the response if it has no escapes.
pub(super) struct Text<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Visit)
    }
}

#[cfg(test)]
mod tests {
    use kube::core::WatchEvent;

    use super::*;

    #[derive(Clone)]
    struct IsBorrowed(bool);

    impl<'de> Deserialize<'de> for IsBorrowed {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let raw = Raw::deserialize(deserializer)?;
            let borrowed = matches!(raw, Raw::Text(Cow::Borrowed(_)));
            assert_eq!(raw.tree().unwrap(), serde_json::json!({ "metadata": { "name": "a\n" } }));
            Ok(Self(borrowed))
        }
    }

    fn is_borrowed(event: &str) -> bool {
        match serde_json::from_str(event).unwrap() {
            WatchEvent::Added(IsBorrowed(borrowed)) => borrowed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_event_is_decoded_without_copying_its_text() {
        assert!(is_borrowed(r#"{"type": "ADDED", "object": {"metadata": {"name": "a\n"}}}"#));
    }

    #[test]
    fn an_event_with_the_type_last_is_decoded() {
        assert!(!is_borrowed(r#"{"object": {"metadata": {"name": "a\n"}}, "type": "ADDED"}"#));
    }
}

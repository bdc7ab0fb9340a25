//! An object whose members are not parsed: what is not converted stays as it is, however deep or large.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The members of an object, by name.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Members<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, Raw<'a>>);

/// A member that is borrowed from the request, or a new one.
#[derive(Clone, Debug)]
struct Raw<'a>(Cow<'a, RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'a RawValue>::deserialize(deserializer).map(|raw| Self(Cow::Borrowed(raw)))
    }
}

impl<'a> Members<'a> {
    /// The members of the object; `None` if the value is none.
    pub(super) fn of(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    pub(super) fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name).map(|raw| &*raw.0)
    }

    /// A text; `None` if the member is missing or no text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// A member as JSON; `None` if it is missing.
    ///
    /// # Errors
    /// It is nested too deeply.
    pub(super) fn value(&self, name: &str) -> Option<Result<Value, String>> {
        let raw = self.get(name)?;
        Some(serde_json::from_str(raw.get()).map_err(|error| error.to_string()))
    }

    /// Sets a member.
    pub(super) fn set(&mut self, name: &'static str, value: &impl Serialize) {
        self.set_named(Cow::Borrowed(name), value);
    }

    pub(super) fn set_named(&mut self, name: Cow<'a, str>, value: &impl Serialize) {
        // Values with text keys only: writing them to memory does not fail.
        if let Ok(raw) = to_raw_value(value) {
            self.0.insert(name, Raw(Cow::Owned(raw)));
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|name, _| keep(name));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object as JSON text.
    pub(super) fn to_raw(&self) -> Box<RawValue> {
        to_raw_value(self).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, raw)| (name, &*raw.0)))
    }
}

//! The digest of a manifest, which decides whether it is sent again.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::sha256::Sha256;

/// A hash of 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of what is sent, without the settings and without the version, which do not change the object.
    pub(super) fn of_object(object: &Value, settings: &BTreeMap<String, String>) -> Self {
        let annotations = object["metadata"]["annotations"].as_object();
        // An object whose annotations are all settings is the same as one without annotations.
        let all_settings = annotations.is_some_and(|all| all.keys().all(|name| settings.contains_key(name)));
        let is_left_out = |path: &[&str]| match path {
            ["apiVersion"] => true,
            ["metadata", "annotations", name] => settings.contains_key(*name),
            ["metadata", "annotations"] => all_settings,
            _ => false,
        };
        let mut text = Vec::new();
        write(object, &mut Vec::new(), &is_left_out, &mut text);
        Self::of_bytes(&text)
    }

    /// The digest of the settings and of the version: what is sent, too, but changes nothing that the object does.
    pub(super) fn of_settings(version: &str, settings: &BTreeMap<String, String>) -> Self {
        let text = |(name, value): (&String, &String)| Value::from([name.as_str(), value]).to_string();
        Self::end(settings.iter().map(text).fold(Sha256::new().chain(version), Sha256::chain))
    }

    /// The digest of a value.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        let mut text = Vec::new();
        write(value, &mut Vec::new(), &|_| false, &mut text);
        Self::of_bytes(&text)
    }

    /// The digest of these bytes.
    pub(crate) fn of_bytes(bytes: impl AsRef<[u8]>) -> Self {
        Self::end(Sha256::new().chain(bytes))
    }

    /// The digest of a sequence of digests.
    #[must_use]
    pub fn of_all(all: impl IntoIterator<Item = Self>) -> Self {
        Self::end(all.into_iter().fold(Sha256::new(), |hash, one| hash.chain(one.0)))
    }

    fn end(hash: Sha256) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&hash.end()[..16]);
        Self(first)
    }

    /// Parses the form that [`Display`](fmt::Display) prints.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| is_hex)?;
        Some(Self(number.to_be_bytes()))
    }

    /// Its first half.
    pub(crate) const fn number(self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// A number from 0 to 1 that is different for each digest.
    pub(crate) fn fraction(self) -> f64 {
        f64::from(u16::from_be_bytes([self.0[0], self.0[1]])) / f64::from(u16::MAX)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes the value with sorted keys, as a crate of the author may have switched on the order of insertion.
fn write<'v>(value: &'v Value, path: &mut Vec<&'v str>, is_left_out: &dyn Fn(&[&str]) -> bool, text: &mut Vec<u8>) {
    match value {
        Value::Object(fields) => {
            text.push(b'{');
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| name.as_str());
            for (name, value) in fields {
                path.push(name);
                if !is_left_out(path) {
                    scalar(name, text);
                    text.push(b':');
                    write(value, path, is_left_out, text);
                    text.push(b',');
                }
                path.pop();
            }
            text.push(b'}');
        }
        Value::Array(items) => {
            text.push(b'[');
            path.push("[]");
            for item in items {
                write(item, path, is_left_out, text);
                text.push(b',');
            }
            path.pop();
            text.push(b']');
        }
        one => scalar(one, text),
    }
}

/// Appends a text, a number or a word as JSON.
fn scalar<T: Serialize + ?Sized>(value: &T, text: &mut Vec<u8>) {
    // Writing to memory does not fail, and a scalar has no keys.
    let written = serde_json::to_writer(&mut *text, value);
    debug_assert!(written.is_ok(), "a scalar is JSON");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dependent_rules::manifest::{Manifest, Scope};

    fn digest(meta: &Value, spec: &Value) -> Digest {
        let object = json!({ "apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec });
        let scope = Scope { namespaced: true, default_namespace: Some("a"), prefix: None };
        Manifest::new(&object, scope).unwrap().content
    }

    #[test]
    fn the_digest_depends_on_the_content_only() {
        let (meta, spec) = (json!({ "name": "x" }), json!({ "a": 1, "b": [1, 2] }));
        let first = digest(&meta, &spec);
        let settings = json!({ "name": "x", "uid": "1", "annotations": { "evenkeel.dev/delete-policy": "orphan" } });
        assert_eq!(digest(&settings, &spec), first, "settings and fields of the server do not count");
        assert_eq!(digest(&meta, &serde_json::from_str(r#"{ "b": [1, 2], "a": 1 }"#).unwrap()), first);
        for changed in [json!({ "a": 1, "b": [2, 1] }), json!({ "a": 1, "b": [12] }), json!({ "a": "1", "b": [1, 2] })]
        {
            assert_ne!(digest(&meta, &changed), first, "{changed}");
        }
        let annotated = json!({ "name": "x", "annotations": { "evenkeel.dev/delete-policy": "orphan", "a": "b" } });
        assert_ne!(digest(&annotated, &spec), first);
    }

    #[test]
    fn a_new_version_changes_the_settings_only() {
        let digests = |version: &str| {
            let object = json!({ "apiVersion": format!("x.io/{version}"), "kind": "Foo", "metadata": { "name": "a" } });
            let manifest = Manifest::new(&object, Scope { namespaced: false, default_namespace: None, prefix: None });
            let manifest = manifest.unwrap();
            (manifest.content, manifest.settings_digest())
        };
        let ((old, old_settings), (new, new_settings)) = (digests("v1"), digests("v2"));
        assert_eq!(old, new);
        assert_ne!(old_settings, new_settings);
    }

    #[test]
    fn the_digest_is_parsed_as_it_is_printed() {
        let one = digest(&json!({ "name": "x" }), &json!({}));
        assert_eq!(Digest::parse(&one.to_string()), Some(one));
        for wrong in ["", "1", &"+".repeat(32), &format!("{one}0")] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
        assert!((0.0..=1.0).contains(&one.fraction()));
    }
}

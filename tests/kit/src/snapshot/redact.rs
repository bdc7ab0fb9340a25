//! Placeholders for values that differ in every run.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use k8s_openapi::ByteString;
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use crate::strategy::meta;

static UID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").ok());
static MOMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)").ok());

/// Replaces the volatile values in a set of objects by placeholders.
pub(crate) struct Redactor {
    /// Kind and name of the object with each uid.
    uids: BTreeMap<String, String>,
    /// Placeholders of generated names.
    names: BTreeMap<String, String>,
}

impl Redactor {
    pub(crate) fn new(objects: &[&Value]) -> Self {
        let uids = objects.iter().map(|object| (meta(object, "uid").to_owned(), described(object)));
        let mut redactor = Self { uids: uids.filter(|(uid, _)| !uid.is_empty()).collect(), names: generated(objects) };
        let names = redactor.names.clone();
        for text in redactor.uids.values_mut() {
            *text = renamed(&names, text);
        }
        redactor
    }

    /// Returns the object in its reproducible form. The text in the bytes of a Secret or a ConfigMap is redacted, too.
    pub(crate) fn object(&self, mut object: Value) -> Value {
        let bytes = match object["kind"].as_str() {
            Some("Secret") => "data",
            Some("ConfigMap") => "binaryData",
            _ => return self.redacted(object),
        };
        if let Some(values) = object.get_mut(bytes).and_then(Value::as_object_mut) {
            values.values_mut().for_each(|value| *value = self.bytes(value.take()));
        }
        self.redacted(object)
    }

    /// Redacts bytes that are a text; other bytes stay.
    fn bytes(&self, encoded: Value) -> Value {
        let decoded = serde_json::from_value::<ByteString>(encoded.clone()).ok();
        let Some(text) = decoded.and_then(|bytes| String::from_utf8(bytes.0).ok()) else { return encoded };
        json!(ByteString(self.text(&text).into_bytes()))
    }

    /// Redacts a value and everything in it.
    pub(crate) fn redacted(&self, object: Value) -> Value {
        match object {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.redacted(item)).collect()),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            other => other,
        }
    }

    fn fields(&self, fields: Map<String, Value>) -> Map<String, Value> {
        let sorted: BTreeMap<String, Value> = fields.into_iter().collect();
        let redacted = sorted.into_iter().map(|(key, value)| match (&*key, value) {
            ("conditions", Value::Array(mut conditions)) => {
                // The order of conditions depends on the server.
                conditions.sort_by_key(|condition| condition["type"].as_str().unwrap_or_default().to_owned());
                (key, self.redacted(Value::Array(conditions)))
            }
            // The order of finalizers depends on timing.
            ("finalizers", Value::Array(mut finalizers)) => {
                finalizers.sort_by_key(|finalizer| finalizer.as_str().unwrap_or_default().to_owned());
                (key, self.redacted(Value::Array(finalizers)))
            }
            // The address of a service is not predictable.
            ("clusterIP" | "clusterIPs", value) if value != "None" => (key, address(value)),
            (_, value) => (key, self.redacted(value)),
        });
        redacted.collect()
    }

    fn text(&self, text: &str) -> String {
        let text = renamed(&self.names, text);
        let text = replaced(&UID, &text, |uid| match self.uids.get(uid) {
            Some(owner) => format!("<uid of {owner}>"),
            None => "<uid>".to_owned(),
        });
        replaced(&MOMENT, &text, |_| "<time>".to_owned())
    }
}

fn address(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(address).collect()),
        Value::String(text) if !matches!(&*text, "" | "None") => Value::String("<address>".to_owned()),
        other => other,
    }
}

fn described(object: &Value) -> String {
    format!("{} {}", object["kind"].as_str().unwrap_or("object"), meta(object, "name"))
}

/// Numbers the generated names of each prefix, in the order of their resource versions.
fn generated(objects: &[&Value]) -> BTreeMap<String, String> {
    let mut made: BTreeMap<&str, Vec<(u64, &str)>> = BTreeMap::new();
    for object in objects {
        let (prefix, name) = (meta(object, "generateName"), meta(object, "name"));
        if !prefix.is_empty() && name.len() > prefix.len() && name.starts_with(prefix) {
            let version = meta(object, "resourceVersion").parse().unwrap_or_default();
            made.entry(prefix).or_default().push((version, name));
        }
    }
    let numbered = made.into_iter().flat_map(|(prefix, mut names)| {
        names.sort_unstable();
        names.into_iter().zip(1..).map(move |((_, name), number)| (name.to_owned(), format!("{prefix}<{number}>")))
    });
    numbered.collect()
}

fn renamed(names: &BTreeMap<String, String>, text: &str) -> String {
    names.iter().fold(text.to_owned(), |text, (name, placeholder)| text.replace(name.as_str(), placeholder))
}

fn replaced(what: &LazyLock<Option<Regex>>, text: &str, with: impl Fn(&str) -> String) -> String {
    match &**what {
        Some(what) => what.replace_all(text, |found: &Captures<'_>| with(&found[0])).into_owned(),
        None => text.to_owned(),
    }
}

/// Removes a field, such as `status.digest`.
pub(super) fn remove(object: &mut Value, field: &str) {
    let (parents, last) = field.rsplit_once('.').map_or((None, field), |(parents, last)| (Some(parents), last));
    let parent = parents.into_iter().flat_map(|parents| parents.split('.')).try_fold(object, |at, key| at.get_mut(key));
    if let Some(fields) = parent.and_then(Value::as_object_mut) {
        fields.remove(last);
    }
}

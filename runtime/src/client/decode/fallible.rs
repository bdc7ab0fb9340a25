//! Decoding that survives an object which does not fit its type: it hurts nobody but itself.

use std::borrow::Cow;
use std::panic::UnwindSafe;
use std::sync::Arc;

use kube::api::ObjectMeta;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::capacities::Shapes;
use super::exact_capacity::Exact;
use super::raw::Raw;
use super::strip::decode;
use crate::kind::Kind;

/// An object, or what could be read of it.
#[derive(Clone, Debug)]
pub(crate) enum Guarded<K> {
    Sound(Arc<K>),
    Broken(Broken),
}

/// An object that does not fit its type.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) meta: Box<ObjectMeta>,
    /// Where, as a path: `spec.replicas`; empty where it is not one field.
    pub(crate) field: String,
    pub(crate) error: String,
}

impl<'de, K: Kind> Deserialize<'de> for Guarded<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if let Raw::Text(text) = &raw
            && let Ok(object) = guarded(|| from_text::<K>(text))
        {
            return Ok(Self::Sound(Arc::new(object)));
        }
        // Once more, as a tree: it is searched for what does not fit.
        let value: Value = raw.tree().and_then(decode).map_err(D::Error::custom)?;
        match guarded(|| K::deserialize(&value)) {
            Ok(object) => Ok(Self::Sound(Arc::new(object))),
            Err(error) => {
                let meta = ObjectMeta::deserialize(&value["metadata"]).map_err(D::Error::custom)?;
                let field = culprit::<K>(&value, &error);
                Ok(Self::Broken(Broken { meta: Box::new(meta), field, error }))
            }
        }
    }
}

/// From a text, with lists that have room for what is in them.
fn from_text<K: Kind>(text: &str) -> serde_json::Result<K> {
    let shapes = Shapes::of(text);
    decode(Exact::new(&mut serde_json::Deserializer::from_str(text), &shapes))
}

/// Types bring decoders of their own: one that panics must not take the watch with it.
fn guarded<K>(decode: impl FnOnce() -> serde_json::Result<K> + UnwindSafe) -> Result<K, String> {
    let decoded = std::panic::catch_unwind(decode);
    decoded
        .unwrap_or_else(|_| Err(serde_json::Error::custom("its decoder panicked")))
        .map_err(|error| error.to_string())
}

/// The path of the field without which the error is another one: serde does not tell where it was.
fn culprit<K: Kind>(object: &Value, error: &str) -> String {
    let mut path = Vec::new();
    while let Some(step) = steps(at(object, &path), error).into_iter().find(|step| {
        let longer: Vec<String> = path.iter().chain([step]).cloned().collect();
        let rest = without(object, &longer);
        guarded(|| K::deserialize(&rest)).err().is_none_or(|other| other != error)
    }) {
        path.push(step);
    }
    path.join(".")
}

fn at<'v>(object: &'v Value, path: &[String]) -> &'v Value {
    path.iter().fold(object, |value, step| match value {
        Value::Array(items) => step.parse().ok().and_then(|i: usize| items.get(i)).unwrap_or(&Value::Null),
        other => &other[step.as_str()],
    })
}

/// The children that may hold the culprit: what misses a field is no scalar.
fn steps(value: &Value, error: &str) -> Vec<String> {
    let missing = error.starts_with("missing field");
    let fits = |child: &Value| !missing || child.is_object() || child.is_array();
    match value {
        Value::Object(fields) => fields.iter().filter(|(_, v)| fits(v)).map(|(name, _)| name.clone()).collect(),
        Value::Array(items) => items.iter().enumerate().filter(|(_, v)| fits(v)).map(|(i, _)| i.to_string()).collect(),
        _ => Vec::new(),
    }
}

fn without(object: &Value, path: &[String]) -> Value {
    let mut copy = object.clone();
    let Some((last, parents)) = path.split_last() else { return copy };
    let mut value = &mut copy;
    for step in parents {
        value = match value {
            Value::Array(items) => match step.parse().ok().and_then(|i: usize| items.get_mut(i)) {
                Some(item) => item,
                None => return copy,
            },
            other => &mut other[step.as_str()],
        };
    }
    match value {
        Value::Object(fields) => {
            fields.remove(last);
        }
        Value::Array(items) => items.retain({
            let mut at = 0;
            move |_| {
                at += 1;
                (at - 1).to_string() != *last
            }
        }),
        _ => {}
    }
    copy
}

impl<K: Kind> Guarded<K> {
    pub(super) fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::Sound(object) => object.meta(),
            Self::Broken(broken) => &broken.meta,
        }
    }

    pub(super) fn metadata_mut(&mut self) -> &mut ObjectMeta {
        match self {
            Self::Sound(object) => Arc::make_mut(object).meta_mut(),
            Self::Broken(broken) => &mut broken.meta,
        }
    }
}

impl Broken {
    /// `team-a/app: spec.replicas: invalid type ..`.
    pub(crate) fn text(&self) -> String {
        let colon = if self.field.is_empty() { "" } else { ": " };
        format!("{}{colon}{}", self.field, without_value(&self.error))
    }
}

/// serde quotes a string that does not fit, which may be a secret.
fn without_value(error: &str) -> Cow<'_, str> {
    let quoted = ["invalid type: string \"", "invalid value: string \""];
    let Some(start) = quoted.into_iter().find(|start| error.starts_with(start)) else { return Cow::Borrowed(error) };
    let kept = start.trim_end_matches([' ', '"']);
    let rest = error.rfind("\", expected ").map_or("", |at| &error[at + 1..]);
    Cow::Owned(format!("{kept}{rest}"))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use kube::ResourceExt;
    use serde_json::json;

    use super::*;

    fn broken(object: Value) -> String {
        match serde_json::from_value(object).unwrap() {
            Guarded::<Deployment>::Broken(broken) => {
                assert_eq!(broken.meta.name.as_deref(), Some("app"));
                broken.text()
            }
            Guarded::Sound(object) => panic!("decoded: {object:?}"),
        }
    }

    #[test]
    fn a_wrong_type_is_told_with_its_path() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "app" },
            "spec": { "paused": true, "replicas": "two", "selector": {}, "template": {} } });
        let text = broken(object);
        assert!(text.starts_with("spec.replicas: invalid type: string, expected i32"), "{text}");
    }

    #[test]
    fn a_wrong_item_of_a_list_is_told_with_its_place() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "app" },
            "spec": { "selector": {}, "template": { "spec": { "containers": [{ "name": "a" }, { "name": 1 }] } } } });
        let text = broken(object);
        assert!(text.starts_with("spec.template.spec.containers.1.name: invalid type"), "{text}");
    }

    #[test]
    fn managed_fields_are_not_kept() {
        let object = json!({ "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": "app", "managedFields": [{ "manager": "kubectl" }] } });
        let guarded: Guarded<Deployment> = serde_json::from_value(object).unwrap();
        assert_eq!(guarded.managed_fields(), []);
    }
}

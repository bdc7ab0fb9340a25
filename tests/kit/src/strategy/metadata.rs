//! Validation of metadata, common to all kinds.

use serde_json::Value;

use super::fields::{finalizers, is_deleting, meta};
use crate::api_error::quoted;
use crate::names;
use crate::registry::Kind;
use crate::schema::Cause;

/// Finalizers of Kubernetes itself, which need no domain.
const OWN_FINALIZERS: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// The metadata errors of a new object.
pub(crate) fn created(kind: &Kind, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (name, prefix) = (meta(object, "name"), meta(object, "generateName"));
    if !prefix.is_empty() {
        causes.extend(name_causes(kind, "metadata.generateName", prefix, prefix.trim_end_matches('-')));
    }
    if name.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
    } else {
        causes.extend(name_causes(kind, "metadata.name", name, name));
    }
    causes.extend(common(object));
    causes
}

/// The metadata errors of an updated object.
pub(crate) fn updated(live: &Value, object: &Value) -> Vec<Cause> {
    let mut causes = common(object);
    for field in ["uid", "deletionTimestamp"] {
        let (old, new) = (&live["metadata"][field], &object["metadata"][field]);
        if old != new {
            causes.push(Cause::invalid(&format!("metadata.{field}"), new, "field is immutable"));
        }
    }
    let known = finalizers(live);
    let added: Vec<&str> = finalizers(object).into_iter().filter(|finalizer| !known.contains(finalizer)).collect();
    if is_deleting(live) && !added.is_empty() {
        let list = added.iter().map(|finalizer| format!("{finalizer:?}")).collect::<Vec<_>>().join(", ");
        let why = "no new finalizers can be added if the object is being deleted, found new finalizers";
        causes.push(Cause::forbidden("metadata.finalizers", &format!("{why} []string{{{list}}}")));
    }
    causes
}

fn name_causes(kind: &Kind, field: &str, shown: &str, checked: &str) -> Vec<Cause> {
    let complaints = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => names::label(checked),
        ("", "Service") => names::service(checked),
        ("rbac.authorization.k8s.io", _) => names::segment(checked),
        _ => names::subdomain(checked),
    };
    complaints.into_iter().map(|complaint| Cause::invalid(field, quoted(shown), &complaint)).collect()
}

fn common(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let map = |field: &str| object["metadata"][field].as_object().into_iter().flatten();
    for (key, value) in map("labels") {
        causes.extend(complaints("metadata.labels", key, names::qualified(key)));
        let value = value.as_str().unwrap_or_default();
        causes.extend(complaints("metadata.labels", value, names::label_value(value)));
    }
    for (key, _) in map("annotations") {
        causes.extend(complaints("metadata.annotations", key, names::qualified(&key.to_lowercase())));
    }
    for finalizer in finalizers(object) {
        causes.extend(complaints("metadata.finalizers", finalizer, names::qualified(finalizer)));
    }
    for owner in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
        causes.extend(owner_causes(owner));
    }
    causes.extend(rivals(object));
    causes
}

fn complaints(field: &'static str, value: &str, found: Vec<String>) -> impl Iterator<Item = Cause> {
    let value = value.to_owned();
    found.into_iter().map(move |complaint| Cause::invalid(field, quoted(&value), &complaint))
}

/// The error for two owner references with `controller: true`.
fn rivals(object: &Value) -> Option<Cause> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    let mut controllers = owners.iter().filter(|owner| owner["controller"] == true);
    let name = |owner: &Value| {
        format!("{}/{}", owner["kind"].as_str().unwrap_or_default(), owner["name"].as_str().unwrap_or_default())
    };
    let (first, second) = (name(controllers.next()?), name(controllers.next()?));
    let why = "Only one reference can have Controller set to true. Found \"true\" in references for";
    let list = serde_json::json!(owners);
    Some(Cause::invalid("metadata.ownerReferences", list, format!("{why} {first} and {second}")))
}

fn owner_causes(owner: &Value) -> Vec<Cause> {
    let missing = |field: &&&str| owner[**field].as_str().unwrap_or_default().is_empty();
    let fields = ["apiVersion", "kind", "name", "uid"];
    let causes = fields.iter().filter(missing);
    causes
        .map(|field| Cause::invalid(&format!("metadata.ownerReferences.{field}"), quoted(""), "must not be empty"))
        .collect()
}

/// Warnings about finalizers without a domain.
pub(crate) fn finalizer_warnings(object: &Value) -> Vec<String> {
    let bare = finalizers(object).into_iter().filter(|name| !name.contains('/') && !OWN_FINALIZERS.contains(name));
    let advice = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
    bare.map(|name| format!("metadata.finalizers: \"{name}\": {advice}")).collect()
}

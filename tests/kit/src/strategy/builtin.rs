//! The behaviour of individual built-in kinds in addition to the common rules.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use super::fields::restore;
use super::{fixed, pod, policy, policy_binding, priority, service, status, webhook, workload};
use crate::api_error::quoted;
use crate::registry::Kind;
use crate::schema::Cause;

/// Kind-specific changes of a new object.
pub(super) fn fresh(kind: &Kind, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => namespace(object),
        ("", "ConfigMap") => drop_empty(object),
        ("", "Secret") => secret(object),
        ("", "Service") => service::fresh(object),
        _ => {}
    }
}

/// Sets fields of a new object after its managed fields are recorded, so that they have no owner.
pub(crate) fn complete(kind: &Kind, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => {
            object["spec"] = json!({"finalizers": ["kubernetes"]});
            object["status"] = json!({"phase": "Active"});
        }
        ("", "Pod") => pod::complete(object),
        ("batch", "Job") => job(object),
        _ => {}
    }
    status::complete(kind, object);
}

/// Kind-specific changes of an updated object.
pub(super) fn changed(kind: &Kind, live: &Value, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => restore(live, object, "spec"),
        ("", "ConfigMap") => drop_empty(object),
        ("", "Secret") => secret(object),
        ("", "Pod") => pod::changed(live, object),
        ("", "Service") => service::changed(live, object),
        _ => {}
    }
}

/// Handles a status write of a built-in kind: all fields except the status and the metadata are restored.
pub(super) fn keep_spec(kind: &Kind, live: &Value, sent: &mut Value) {
    status::complete(kind, sent);
    let keys: Vec<String> = live.as_object().into_iter().chain(sent.as_object()).flat_map(Map::keys).cloned().collect();
    for key in keys.iter().filter(|key| !matches!(key.as_str(), "status" | "metadata")) {
        restore(live, sent, key);
    }
}

fn namespace(object: &mut Value) {
    let name = object["metadata"]["name"].clone();
    if !object["metadata"]["labels"].is_object() {
        object["metadata"]["labels"] = json!({});
    }
    object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name;
}

/// Merges `stringData` into `data` and sets the default type.
fn secret(object: &mut Value) {
    let plain = object.as_object_mut().and_then(|fields| fields.remove("stringData"));
    for (key, text) in plain.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if !object["data"].is_object() {
            object["data"] = json!({});
        }
        object["data"][key] = json!(BASE64_STANDARD.encode(text.as_str().unwrap_or_default()));
    }
    drop_empty(object);
    if object["type"].as_str().unwrap_or_default().is_empty() {
        object["type"] = json!("Opaque");
    }
}

/// Removes empty maps of data.
fn drop_empty(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else { return };
    for field in ["data", "binaryData"] {
        if fields.get(field).and_then(Value::as_object).is_some_and(Map::is_empty) {
            fields.remove(field);
        }
    }
}

/// Adds the labels by which a Job finds its pods.
fn job(object: &mut Value) {
    let (uid, name) = (object["metadata"]["uid"].clone(), object["metadata"]["name"].clone());
    if object["spec"]["manualSelector"] == true || !object["spec"]["template"].is_object() {
        return;
    }
    let template = &mut object["spec"]["template"];
    let prefixes = ["", "batch.kubernetes.io/"];
    for (label, value) in [("controller-uid", &uid), ("job-name", &name)] {
        for prefix in prefixes {
            template["metadata"]["labels"][format!("{prefix}{label}")] = value.clone();
        }
    }
    object["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] = uid;
}

/// Kind-specific errors of a built-in object; only a small part of the validation of a Kubernetes API server.
pub(crate) fn causes(kind: &Kind, object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let moved = live.filter(|_| kind.is_builtin()).map(|live| fixed::causes(kind, live, object)).unwrap_or_default();
    [moved, present(kind, object, live)].concat()
}

fn present(kind: &Kind, object: &Value, live: Option<&Value>) -> Vec<Cause> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "ConfigMap" | "Secret") => [key_causes(object), size_causes(object)].concat(),
        ("", "Service") => service::causes(object, live),
        ("apiregistration.k8s.io", "APIService") => api_service_causes(object),
        ("scheduling.k8s.io", "PriorityClass") => priority::causes(object, live),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet") => workload::causes(kind, object, live),
        ("coordination.k8s.io", "Lease") => lease_causes(object),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => role_causes(object, live),
        ("events.k8s.io", "Event") if live.is_none() => event_causes(object),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => {
            webhook::causes(object)
        }
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => policy::causes(object),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => policy_binding::causes(object),
        _ => Vec::new(),
    }
}

fn key_causes(object: &Value) -> Vec<Cause> {
    let keys = ["data", "binaryData"]
        .map(|field| object[field].as_object().into_iter().flatten().map(move |(key, _)| (field, key)));
    let wrong = |key: &str| {
        !key.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter)) || key.is_empty()
    };
    let why = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  \
               or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    let found = keys.into_iter().flatten().filter(|(_, key)| wrong(key));
    found.map(|(field, key)| Cause::invalid(&format!("{field}[{key}]"), quoted(key), why)).collect()
}

/// Rejects more than one megabyte of data.
fn size_causes(object: &Value) -> Vec<Cause> {
    const LIMIT: usize = 1024 * 1024;
    let plain = |text: &str| text.len();
    let coded =
        |text: &str| (text.len() / 4 * 3).saturating_sub(text.bytes().rev().take_while(|byte| *byte == b'=').count());
    let secret = object["kind"] == "Secret";
    let size = |field: &str, length: &dyn Fn(&str) -> usize| -> usize {
        let values = object[field].as_object().into_iter().flatten();
        values.filter_map(|(_, value)| value.as_str()).map(length).sum()
    };
    let whole = if secret { size("data", &coded) } else { size("data", &plain) + size("binaryData", &coded) };
    let cause = || Cause {
        reason: "FieldValueTooLong".to_owned(),
        message: format!("Too long: must have at most {LIMIT} bytes"),
        field: if secret { "data" } else { "[]" }.to_owned(),
    };
    (whole > LIMIT).then(cause).into_iter().collect()
}

/// Rejects timestamps that a Kubernetes API server can't parse; a `MicroTime` has exactly six fractional digits.
pub(crate) fn times(kind: &Kind, object: &Value) -> Result<(), String> {
    let pointers: &[&str] = match (kind.group.as_str(), kind.kind.as_str()) {
        ("coordination.k8s.io", "Lease") => &["/spec/acquireTime", "/spec/renewTime"],
        ("" | "events.k8s.io", "Event") => &["/eventTime", "/series/lastObservedTime"],
        _ => &[],
    };
    for pointer in pointers {
        let Some(time) = object.pointer(pointer).and_then(Value::as_str) else { continue };
        let digits = time.split_once('.').map(|(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
        if digits != Some(6) {
            return Err(format!(
                "parsing time {time:?} as \"2006-01-02T15:04:05.000000Z07:00\": six digits are wanted"
            ));
        }
    }
    Ok(())
}

fn lease_causes(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (field, least) in [("leaseDurationSeconds", 1), ("leaseTransitions", 0)] {
        let value = object["spec"][field].as_i64();
        if let Some(value) = value.filter(|value| *value < least) {
            let why = if least == 1 { "must be greater than 0" } else { "must be greater than or equal to 0" };
            causes.push(Cause::invalid(&format!("spec.{field}"), value, why));
        }
    }
    causes
}

/// The name of an APIService consists of its version and group.
fn api_service_causes(object: &Value) -> Vec<Cause> {
    let text = |field: &str| object["spec"][field].as_str().unwrap_or_default();
    let (name, wanted) = (super::fields::meta(object, "name"), format!("{}.{}", text("version"), text("group")));
    let why = format!("must be `spec.version+\".\"+spec.group`: {}", quoted(&wanted));
    let cause = || Cause::invalid("metadata.name", quoted(name), &why);
    (name != wanted).then(cause).into_iter().collect()
}

fn role_causes(object: &Value, live: Option<&Value>) -> Vec<Cause> {
    let changed = live.is_some_and(|live| live["roleRef"] != object["roleRef"]);
    let cause = || Cause::invalid("roleRef", &object["roleRef"], "cannot change roleRef");
    changed.then(cause).into_iter().collect()
}

/// Validates a new Event; events.k8s.io requires more than core/v1.
fn event_causes(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (namespace, about) =
        (super::fields::meta(object, "namespace"), object["regarding"]["namespace"].as_str().unwrap_or_default());
    if object["eventTime"].is_null() {
        causes.push(Cause::required("eventTime", ""));
    }
    if !matches!(text("type"), "Normal" | "Warning") {
        causes.push(Cause::invalid("type", quoted(text("type")), format!("has invalid value: {}", text("type"))));
    }
    if causes.is_empty() {
        for field in ["reportingController", "reportingInstance", "action", "reason"] {
            if text(field).is_empty() {
                causes.push(Cause::required(field, ""));
            }
        }
    }
    // Events about an object without a namespace belong to `default`.
    if about.is_empty() && !matches!(namespace, "default" | "kube-system") {
        causes.push(Cause::invalid("involvedObject.namespace", quoted(about), "does not match event.namespace"));
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_data_is_merged_into_data() {
        let mut object = json!({"stringData": {"a": "hello", "b": "hi", "c": "abc"}});
        secret(&mut object);
        assert_eq!(object, json!({"type": "Opaque", "data": {"a": "aGVsbG8=", "b": "aGk=", "c": "YWJj"}}));
    }
}

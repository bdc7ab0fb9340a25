//! What is changed in manifests of single kinds before they are sent.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Map, Value, json};

use super::type_meta::TypeMeta;

/// Fills in and folds the fields for which server-side apply needs it.
pub(super) fn adapt(kind: &TypeMeta, object: &mut Map<String, Value>) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => fold_string_data(object),
        // Server-side apply of Kubernetes 1.20 fails for a port without protocol: it is part of the key of the list.
        ("", "Service") => object.get_mut("spec").into_iter().for_each(fill_in_protocol),
        _ => pod_spec(kind, object).into_iter().for_each(fill_in_protocol_of_containers),
    }
}

/// Removes the field that deletes a finished Job, since it would be created again and again. Returns whether it was there.
pub(super) fn take_ttl(kind: &TypeMeta, object: &mut Map<String, Value>) -> bool {
    let is_job = kind.group == "batch" && kind.kind == "Job";
    let spec = object.get_mut("spec").filter(|_| is_job).and_then(Value::as_object_mut);
    spec.and_then(|spec| spec.remove("ttlSecondsAfterFinished")).is_some_and(|ttl| !ttl.is_null())
}

/// `stringData` is write-only, so that server-side apply could not remove a key that leaves it. Fields of another form stay as they are: the
/// API server refuses them with a message of its own.
fn fold_string_data(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.get("stringData") else { return };
    let encode = |text: &str| json!(BASE64_STANDARD.encode(text));
    let encoded = texts.iter().map(|(key, text)| Some((key.clone(), encode(text.as_str()?))));
    let Some(encoded) = encoded.collect::<Option<Map<_, _>>>() else { return };
    match secret.get_mut("data") {
        Some(Value::Object(data)) => data.extend(encoded),
        None | Some(Value::Null) => _ = secret.insert("data".into(), encoded.into()),
        Some(_) => return,
    }
    secret.remove("stringData");
}

fn fill_in_protocol(holder: &mut Value) {
    for port in holder.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(port) = port {
            port.entry("protocol").or_insert_with(|| json!("TCP"));
        }
    }
}

fn fill_in_protocol_of_containers(pod: &mut Value) {
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        pod.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(fill_in_protocol);
    }
}

/// The spec of the pods that the object is or makes.
fn pod_spec<'o>(kind: &TypeMeta, object: &'o mut Map<String, Value>) -> Option<&'o mut Value> {
    let path = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => "",
        ("", "PodTemplate") => return object.get_mut("template")?.get_mut("spec"),
        ("", "ReplicationController")
        | ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("batch", "Job") => "/template/spec",
        ("batch", "CronJob") => "/jobTemplate/spec/template/spec",
        _ => return None,
    };
    object.get_mut("spec")?.pointer_mut(path)
}

//! What is changed in manifests of single kinds before they are sent.

use k8s_openapi::ByteString;
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

/// `stringData` is write-only, so that server-side apply could not remove a key that leaves it.
fn fold_string_data(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.remove("stringData") else { return };
    let data = secret.entry("data").or_insert_with(|| json!({}));
    for (key, text) in texts {
        let encoded = text.as_str().map(|text| json!(ByteString(text.as_bytes().to_vec())));
        // A value that is no text goes out as it is; the API server refuses it.
        data[key] = encoded.unwrap_or(text);
    }
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

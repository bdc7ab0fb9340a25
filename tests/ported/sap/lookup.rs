//! Finding an object of a set.

use evenkeel::dependents::plan::Plan;
use serde_json::{Value, json};

use super::fixture::plan;

/// `g/v1/K ns1/n1`, `ns1/n1`, `/n3`: a manifest, and whether its kind is namespaced.
fn object(text: &str) -> (Value, bool) {
    let (type_, name) = text.split_once(' ').unwrap_or(("v1/ConfigMap", text));
    let ((api_version, kind), (namespace, name)) = (type_.rsplit_once('/').unwrap(), name.split_once('/').unwrap());
    let mut meta = json!({ "name": name });
    if !namespace.is_empty() {
        meta["namespace"] = json!(namespace);
    }
    (json!({ "apiVersion": api_version, "kind": kind, "metadata": meta }), !namespace.is_empty())
}

pub(super) async fn adapter(given: Value) -> Value {
    let objects: Vec<_> =
        given["inventory"].as_array().unwrap().iter().map(|text| object(text.as_str().unwrap())).collect();
    if let Some(namespace) = given["namespace"].as_str() {
        return json!({ "used": is_used(objects, namespace) });
    }
    let Ok(Plan { items, .. }) = plan(&objects) else { return json!({ "invariant_violation": true }) };
    let key = plan(&[object(given["key"].as_str().unwrap())]).unwrap();
    json!({ "invariant_violation": false, "found": items.iter().position(|item| item.id == key.items[0].id) })
}

/// Whether a namespace cannot be created after the objects of the set.
fn is_used(mut objects: Vec<(Value, bool)>, name: &str) -> bool {
    let annotations = json!({ "evenkeel.dev/apply-order": "1" });
    let meta = json!({ "name": name, "annotations": annotations });
    objects.push((json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": meta }), false));
    plan(&objects).is_err()
}

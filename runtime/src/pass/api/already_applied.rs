//! Detects an apply that would change nothing, from the fields that our earlier apply owns.
//!
//! A process that has just started does not remember what it applied, so it reads the `managedFields` entry of its field manager. The apply
//! changes nothing if the entry owns exactly the fields to be sent and each field has the value to be sent. Any doubt counts as a
//! difference, which costs one apply.

use kube::api::DynamicObject;
use serde_json::{Map, Value};

/// Whether applying `sent` under the field manager would change nothing.
pub(in crate::pass) fn is_applied(sent: &Value, live: &DynamicObject, manager: &str) -> bool {
    let mut entries = live.metadata.managed_fields.iter().flatten();
    let ours = entries.find(|entry| {
        entry.manager.as_deref() == Some(manager)
            && entry.operation.as_deref() == Some("Apply")
            && entry.subresource.is_none()
            && entry.api_version.as_deref() == sent["apiVersion"].as_str()
    });
    let (Some(fields), Ok(live)) = (ours.and_then(|entry| entry.fields_v1.as_ref()), serde_json::to_value(live)) else {
        return false;
    };
    is_same(&fields.0, &without_identity(sent.clone()), &live)
}

/// Removes the fields that identify the object, which no manager owns.
fn without_identity(mut sent: Value) -> Value {
    let Some(object) = sent.as_object_mut() else { return sent };
    object.retain(|name, _| name != "apiVersion" && name != "kind");
    if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        meta.retain(|name, _| name != "name" && name != "namespace");
    }
    object.retain(|name, value| name != "metadata" || value.as_object().is_none_or(|meta| !meta.is_empty()));
    sent
}

/// Whether `sent` has exactly the fields of the set, each with its live value.
fn is_same(set: &Value, sent: &Value, live: &Value) -> bool {
    let Some(set) = set.as_object() else { return false };
    let below = set.iter().filter(|(name, _)| *name != ".").count();
    match (below, sent) {
        (0, _) => sent == live || (set.contains_key(".") && is_empty(sent)),
        (_, Value::Object(sent)) => below == sent.len() && are_same_fields(set, sent, live),
        (_, Value::Array(sent)) => below == sent.len() && are_same_items(set, sent, live),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn are_same_fields(set: &Map<String, Value>, sent: &Map<String, Value>, live: &Value) -> bool {
    sent.iter().all(|(name, value)| {
        let (set, live) = (set.get(&format!("f:{name}")), live.get(name));
        set.zip(live).is_some_and(|(set, live)| is_same(set, value, live))
    })
}

/// Compares the items of a list that is merged. Each is found by its keys or by its value, and their order must be the same.
fn are_same_items(set: &Map<String, Value>, sent: &[Value], live: &Value) -> bool {
    let Some(live) = live.as_array() else { return false };
    let mut places = Vec::new();
    for (name, set) in set.iter().filter(|(name, _)| *name != ".") {
        let Some(is_it) = item(name) else { return false };
        let (Some(from), Some(to)) = (sent.iter().position(&is_it), live.iter().position(&is_it)) else { return false };
        let is_value = name.starts_with("v:");
        if !is_value && !is_same(set, &sent[from], &live[to]) {
            return false;
        }
        places.push((from, to));
    }
    places.sort_unstable();
    places.is_sorted_by_key(|(_, to)| *to)
}

/// Matcher for the list item of `k:{"name":"web"}` or `v:"web"`. `None`: the name is an index, which no merged list has.
fn item(name: &str) -> Option<impl Fn(&Value) -> bool + use<>> {
    let (kind, text) = name.split_once(':')?;
    let wanted: Value = serde_json::from_str(text).ok().filter(|_| kind == "k" || kind == "v")?;
    let by_key = kind == "k";
    Some(move |item: &Value| match wanted.as_object().filter(|_| by_key) {
        Some(keys) => keys.iter().all(|(key, value)| item.get(key) == Some(value)),
        None => *item == wanted,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MANAGER: &str = "op/widget";

    fn live(fields: &Value, content: &Value) -> DynamicObject {
        let entry = json!([{ "manager": MANAGER, "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields }]);
        let mut object = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
        object.as_object_mut().unwrap().extend(content.as_object().cloned().unwrap());
        object["metadata"]["name"] = json!("x");
        object["metadata"]["managedFields"] = entry;
        serde_json::from_value(object).unwrap()
    }

    fn sent(content: &Value) -> Value {
        let mut object = json!({ "apiVersion": "v1", "kind": "ConfigMap" });
        object.as_object_mut().unwrap().extend(content.as_object().cloned().unwrap());
        object["metadata"]["name"] = json!("x");
        object
    }

    #[test]
    fn equal_values_of_owned_fields_need_no_apply() {
        let fields = json!({ "f:data": { ".": {}, "f:a": {} } });
        let theirs_too = live(&fields, &json!({ "data": { "a": "1", "theirs": "2" } }));
        assert!(is_applied(&sent(&json!({ "data": { "a": "1" } })), &theirs_too, MANAGER));
        for changed in [json!({ "a": "2" }), json!({ "a": "1", "b": "2" }), json!({}), json!({ "b": "1" })] {
            assert!(!is_applied(&sent(&json!({ "data": changed })), &theirs_too, MANAGER), "{changed}");
        }
        assert!(!is_applied(&sent(&json!({})), &theirs_too, MANAGER), "what is no longer sent has to go");
        for (set, data) in [(json!({}), json!({})), (json!({ ".": {} }), json!({ "a": "1" }))] {
            let whole = live(&json!({ "f:data": set }), &json!({ "data": { "theirs": "2" } }));
            assert!(!is_applied(&sent(&json!({ "data": data })), &whole, MANAGER), "{data} for {set}");
        }
        assert!(!is_applied(&sent(&json!({ "data": { "a": "1" } })), &theirs_too, "another/manager"));
        let another =
            json!({ "apiVersion": "v2", "kind": "ConfigMap", "metadata": { "name": "x" }, "data": { "a": "1" } });
        assert!(!is_applied(&another, &theirs_too, MANAGER), "of another version");
    }

    #[test]
    fn list_items_are_matched_by_key_in_order() {
        let fields = json!({ "f:spec": { "f:containers": {
            "k:{\"name\":\"a\"}": { ".": {}, "f:name": {}, "f:image": {} }, "k:{\"name\":\"b\"}": { ".": {}, "f:name": {} } } } });
        let list = |items: Value| json!({ "spec": { "containers": items } });
        let there = live(
            &fields,
            &list(
                json!([{ "name": "a", "image": "i", "policy": "default" }, { "name": "x" }, { "name": "b", "policy": "default" }]),
            ),
        );
        let (a, b) = (json!({ "name": "a", "image": "i" }), json!({ "name": "b" }));
        assert!(is_applied(&sent(&list(json!([a, b]))), &there, MANAGER));
        assert!(!is_applied(&sent(&list(json!([b, a]))), &there, MANAGER), "another order");
        assert!(!is_applied(&sent(&list(json!([a]))), &there, MANAGER));
        assert!(!is_applied(&sent(&list(json!([{ "name": "a", "image": "j" }, b]))), &there, MANAGER));
    }

    #[test]
    fn an_atomic_field_is_compared_as_a_whole() {
        let fields = json!({ "f:metadata": { "f:finalizers": { "v:\"a/b\"": {} } }, "f:rules": {} });
        let there = live(&fields, &json!({ "metadata": { "finalizers": ["c/d", "a/b"] }, "rules": [{ "a": 1 }] }));
        let rules = |rules: Value| sent(&json!({ "metadata": { "finalizers": ["a/b"] }, "rules": rules }));
        assert!(is_applied(&rules(json!([{ "a": 1 }])), &there, MANAGER));
        assert!(!is_applied(&rules(json!([{ "a": 1, "b": 2 }])), &there, MANAGER));
        let bare = live(&json!({ "f:spec": { ".": {} } }), &json!({ "spec": { "theirs": 1 } }));
        assert!(is_applied(&sent(&json!({ "spec": {} })), &bare, MANAGER), "that it is there is all that is ours");
    }
}

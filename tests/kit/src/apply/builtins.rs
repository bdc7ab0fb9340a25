//! Server-side apply of built-in objects. The expected values were transcribed from recordings of an API server.

#![allow(clippy::needless_pass_by_value, reason = "json! reads best where it is used")]

use serde_json::{Value, json};

use super::actor::{Actor, Force, Lists, Rules};
use super::apply;

#[test]
fn containers_and_their_lists_merge_by_key() {
    let actor = |manager| Actor {
        manager,
        api_version: "apps/v1",
        subresource: None,
        time: "2026-01-01T00:00:01Z",
        rules: Rules::default(),
    };
    let config = |container: Value, more: Value| {
        let mut spec = json!({"template": {"spec": {"containers": [container]}}});
        crate::patch::merge_patch(&mut spec, &more);
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec})
    };
    let first =
        json!({"name": "c", "image": "i", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]});
    let labels = json!({"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}}});
    let live = apply(None, &config(first, labels), Lists::Deduced, &actor("m1"), Force::No).unwrap();
    let fields = json!({"f:spec": {"f:selector": {}, "f:template": {
        "f:metadata": {"f:labels": {"f:a": {}}},
        "f:spec": {"f:containers": {"k:{\"name\":\"c\"}": {".": {}, "f:image": {}, "f:name": {},
            "f:env": {"k:{\"name\":\"A\"}": {".": {}, "f:name": {}, "f:value": {}}},
            "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}}});
    assert_eq!(live["metadata"]["managedFields"][0]["fieldsV1"], fields);

    let second = json!({"name": "c", "env": [{"name": "B", "value": "2"}]});
    let live = apply(Some(&live), &config(second, json!({})), Lists::Deduced, &actor("m2"), Force::No).unwrap();
    let env = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]);
    assert_eq!(live.pointer("/spec/template/spec/containers/0/env"), Some(&env));
    let other = config(json!({"name": "c", "image": "j"}), json!({}));
    let refusal = apply(Some(&live), &other, Lists::Deduced, &actor("m2"), Force::No).unwrap_err();
    assert!(refusal.to_string().ends_with(".spec.template.spec.containers[name=\"c\"].image"));
}

#[test]
fn config_map_data_is_owned_by_key() {
    let actor = |manager| Actor {
        manager,
        api_version: "v1",
        subresource: None,
        time: "2026-01-01T00:00:01Z",
        rules: Rules::default(),
    };
    let config = |data: Value| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "finalizers": ["ex.dev/f"],
        "ownerReferences": [{"uid": "2", "name": "o"}]}, "data": data})
    };
    let live = apply(None, &config(json!({"x": "1"})), Lists::Deduced, &actor("m1"), Force::No).unwrap();
    let fields = json!({"f:data": {"f:x": {}}, "f:metadata": {
        "f:finalizers": {"v:\"ex.dev/f\"": {}}, "f:ownerReferences": {"k:{\"uid\":\"2\"}": {}}}});
    assert_eq!(live["metadata"]["managedFields"][0]["fieldsV1"], fields);
    let live = apply(Some(&live), &config(json!({"y": "2"})), Lists::Deduced, &actor("m2"), Force::No).unwrap();
    assert_eq!(live["data"], json!({"x": "1", "y": "2"}));
}

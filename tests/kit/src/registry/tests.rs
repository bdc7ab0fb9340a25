//! The table of built-in kinds. The expected values come from API servers.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use serde_json::json;

use super::*;

fn kind(group: &str, version: &str, plural: &str) -> Arc<Kind> {
    Registry::builtin().lookup(group, version, plural).unwrap()
}

#[test]
fn a_kind_is_found_by_its_path_and_by_its_name() {
    let registry = Registry::builtin();
    assert_eq!(registry.lookup("apps", "v1", "deployments").unwrap().kind, "Deployment");
    assert_eq!(registry.by_gvk("", "v1", "ConfigMap").unwrap().plural, "configmaps");
    assert!(registry.lookup("apps", "v2", "deployments").is_none());
}

#[test]
fn both_event_groups_share_one_store() {
    assert_eq!(kind("", "v1", "events").storage, kind("events.k8s.io", "v1", "events").storage);
}

#[test]
fn only_some_kinds_accept_unconditional_updates() {
    let refused: Vec<String> =
        Registry::builtin().iter().filter(|kind| !kind.unconditional_update).map(|kind| kind.kind.clone()).collect();
    let expected = [
        "Service",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "CustomResourceDefinition",
        "APIService",
        "Lease",
        "RuntimeClass",
        "PodDisruptionBudget",
    ];
    assert_eq!(refused, expected);
}

#[test]
fn only_few_kinds_allow_create_on_update() {
    assert!(kind("coordination.k8s.io", "v1", "leases").create_on_update);
    assert!(kind("rbac.authorization.k8s.io", "v1", "roles").create_on_update);
    assert!(!kind("", "v1", "configmaps").create_on_update);
}

#[test]
fn decoding_reports_unknown_fields() {
    let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "foo": 1},
        "spec": {"replicas": 2, "selector": {}, "template": {"spec": {"containers": [{"name": "c", "bogus": 1, "image": null}]}}}});
    let decoded = kind("apps", "v1", "deployments").decode(&object).unwrap();
    assert_eq!(decoded.unknown, ["metadata.foo", "spec.template.spec.containers[0].bogus"]);
    assert_eq!(
        decoded.value,
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"replicas": 2, "selector": {}, "template": {"spec": {"containers": [{"name": "c"}]}}}})
    );
}

#[test]
fn decoding_refuses_a_wrong_type() {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": 1}});
    let error = kind("", "v1", "configmaps").decode(&object).unwrap_err();
    assert!(error.contains("expected a string"), "{error}");
}

#[test]
fn quantities_may_be_numbers() {
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 2, "memory": "1Gi"}}}]}});
    let decoded = kind("", "v1", "pods").decode(&object).unwrap();
    assert_eq!(
        decoded.value.pointer("/spec/containers/0/resources/limits"),
        Some(&json!({"cpu": "2", "memory": "1Gi"}))
    );
}

#[test]
fn field_selectors_read_what_each_kind_offers() {
    let pod = json!({"metadata": {"name": "p", "namespace": "n"}, "spec": {"nodeName": "w1"}});
    let pods = kind("", "v1", "pods");
    assert_eq!(pods.field("spec.nodeName", &pod).as_deref(), Some("w1"));
    assert_eq!(pods.field("status.phase", &pod).as_deref(), Some(""));
    assert_eq!(pods.field("metadata.namespace", &pod).as_deref(), Some("n"));
    assert_eq!(pods.field("spec.bogus", &pod), None);
    assert_eq!(pods.unselectable("spec.bogus"), "field label not supported: spec.bogus");
}

#[test]
fn each_event_group_has_its_own_reference_fields() {
    let event = json!({"regarding": {"name": "p"}, "reportingController": "c"});
    let (core, events) = (kind("", "v1", "events"), kind("events.k8s.io", "v1", "events"));
    assert_eq!(core.field("involvedObject.name", &event).as_deref(), Some("p"));
    assert_eq!(events.field("regarding.name", &event).as_deref(), Some("p"));
    assert_eq!(core.field("source", &event).as_deref(), Some("c"));
    assert!(!core.is_selectable("regarding.name") && !events.is_selectable("involvedObject.name"));
}

#[test]
fn the_field_selector_error_lists_the_known_fields() {
    let message = kind("", "v1", "configmaps").unselectable("data.k");
    assert_eq!(message, r#""data.k" is not a known field selector: only "metadata.name", "metadata.namespace""#);
}

#[test]
fn numbers_in_a_crd_schema_are_unchanged() {
    let schema = json!({"openAPIV3Schema": {"type": "object", "default": {"size": 5},
        "properties": {"size": {"type": "integer", "multipleOf": 3, "minimum": 0}}}});
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": {"versions": [{"name": "v1", "schema": schema}]}});
    let decoded = kind("apiextensions.k8s.io", "v1", "customresourcedefinitions").decode(&crd).unwrap();
    assert_eq!(decoded.value, crd);
}

#[test]
fn crd_defaults_are_not_quantity_maps() {
    let schema = json!({"openAPIV3Schema": {"type": "object", "default": {"observedGeneration": -1}}});
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "spec": {"versions": [{"name": "v1", "schema": schema}]}});
    let decoded = kind("apiextensions.k8s.io", "v1", "customresourcedefinitions").decode(&crd).unwrap();
    assert_eq!(decoded.value, crd);
}

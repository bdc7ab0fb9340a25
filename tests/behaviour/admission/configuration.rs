//! The webhook configurations that are computed from the wiring.

use evenkeel::Operator;
use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use serde_json::{Value, json};

use super::kinds::{Repo, Team, operator, repo};

#[validate(reads(Team))]
async fn team_exists(_: &Repo, _cx: &mut Review) -> Result<(), Denial> {
    Ok(())
}

#[mutate(on(create))]
fn who(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

fn target() -> WebhookTarget {
    WebhookTarget::service("source-system", "source-controller-webhooks")
}

#[test]
fn the_configuration_of_the_example_is_complete() {
    let operator = Operator::new("source-controller").reconciler::<repo>(()).admission::<(team_exists, who)>(());
    let configurations = operator.webhook_configurations(&target()).unwrap();
    let changed =
        "request.operation != 'UPDATE' || !has(oldObject.spec) || !has(object.spec) || object.spec != oldObject.spec";
    let service = |path: &str| json!({ "service": { "name": "source-controller-webhooks", "namespace": "source-system", "path": path, "port": 443 } });
    let rule = |operations: Value| {
        json!([{ "apiGroups": ["tests.evenkeel.dev"], "apiVersions": ["v1"], "resources": ["repos"], "operations": operations,
            "scope": "Namespaced" }])
    };
    let wanted = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "source-controller" },
        "webhooks": [{
            "name": "team-exists.repos.tests.evenkeel.dev", "rules": rule(json!(["CREATE", "UPDATE"])), "matchPolicy": "Equivalent",
            "matchConditions": [{ "name": "changed", "expression": changed }], "clientConfig": service("/admit/team-exists"),
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5, "failurePolicy": "Fail",
        }],
    });
    assert_eq!(json!(configurations.validating), wanted);
    let wanted = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": { "name": "source-controller" },
        "webhooks": [{
            "name": "mutate.repos.tests.evenkeel.dev", "rules": rule(json!(["CREATE"])), "matchPolicy": "Equivalent",
            "clientConfig": service("/admit/mutate-repos.v1.tests.evenkeel.dev"),
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5, "failurePolicy": "Fail",
        }],
    });
    assert_eq!(json!(configurations.mutating), wanted);
}

/// The only validating webhook.
fn only(operator: &Operator, target: &WebhookTarget) -> Value {
    let configurations = operator.webhook_configurations(target).unwrap();
    assert!(configurations.mutating.is_none());
    let webhooks = json!(configurations.validating.unwrap().webhooks);
    assert_eq!(webhooks.as_array().unwrap().len(), 1);
    webhooks[0].clone()
}

#[validate(
    on(create, update, delete),
    failure = "ignore",
    timeout = "12s",
    when = "object.spec.paused != true",
    objects = "tier in (a, b)",
    namespaces = "team=a",
    unchanged
)]
fn all_arguments(_: &Repo) -> Result<(), Denial> {
    Ok(())
}

#[test]
fn each_argument_is_a_field_of_the_webhook() {
    let webhook =
        only(&operator::<all_arguments>().namespaces(["a", "b"]), &WebhookTarget::url("https://192.0.2.1:9443/"));
    assert_eq!(webhook["rules"][0]["operations"], json!(["CREATE", "UPDATE", "DELETE"]));
    assert_eq!((&webhook["failurePolicy"], &webhook["timeoutSeconds"]), (&json!("Ignore"), &json!(12)));
    let condition = json!([{ "name": "when", "expression": "object.spec.paused != true" }]);
    assert_eq!(webhook["matchConditions"], condition);
    let objects = json!({ "matchExpressions": [{ "key": "tier", "operator": "In", "values": ["a", "b"] }] });
    assert_eq!(webhook["objectSelector"], objects);
    let by_name = json!({ "key": "kubernetes.io/metadata.name", "operator": "In", "values": ["a", "b"] });
    assert_eq!(webhook["namespaceSelector"], json!({ "matchLabels": { "team": "a" }, "matchExpressions": [by_name] }));
    assert_eq!(webhook["clientConfig"], json!({ "url": "https://192.0.2.1:9443/admit/all-arguments" }));
}

#[validate(subresource = "status", on(update))]
fn of_status(_: &Repo) -> Result<(), Denial> {
    Ok(())
}

#[test]
fn a_subresource_is_in_the_rule() {
    let webhook = only(&operator::<of_status>(), &target());
    assert_eq!(webhook["rules"][0]["resources"], json!(["repos/status"]));
    assert_eq!(webhook["matchConditions"], Value::Null);
}

#[validate(failure = "ignore")]
fn of_config(_: &ConfigMap) -> Result<(), Denial> {
    Ok(())
}

#[validate(anyway)]
fn of_namespaces(_: &Namespace) -> Result<(), Denial> {
    Ok(())
}

#[test]
fn foreign_kinds_are_not_reviewed_in_the_own_namespace_and_in_kube_system() {
    let excluded = |names: Value| json!({ "matchExpressions": [{ "key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": names }] });
    let webhook = only(&operator::<of_config>(), &target());
    assert_eq!(webhook["namespaceSelector"], excluded(json!(["kube-system", "source-system"])));
    assert_eq!(webhook["name"], "of-config.configmaps.core");
    assert_eq!(webhook["rules"][0]["apiGroups"], json!([""]));
    let webhook = only(&operator::<of_namespaces>(), &WebhookTarget::url("https://x"));
    assert_eq!(webhook["namespaceSelector"], excluded(json!(["kube-system"])));
    assert_eq!((&webhook["rules"][0]["scope"], &webhook["failurePolicy"]), (&json!("Cluster"), &json!("Fail")));
}

#[mutate(timeout = "7s", unchanged, on(update))]
fn after(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[mutate(failure = "ignore")]
fn of_pods(_: &mut Pod) -> Result<(), Denial> {
    Ok(())
}

#[test]
fn the_mutating_functions_of_a_kind_share_a_webhook() {
    let operator = operator::<who>().admission::<(of_pods, after)>(());
    let configurations = operator.webhook_configurations(&target()).unwrap();
    assert!(configurations.validating.is_none());
    let webhooks = json!(configurations.mutating.unwrap().webhooks);
    let names: Vec<_> = webhooks.as_array().unwrap().iter().map(|webhook| &webhook["name"]).collect();
    assert_eq!(names, ["mutate.repos.tests.evenkeel.dev", "mutate.pods.core"]);
    assert_eq!(webhooks[0]["timeoutSeconds"], 12);
    assert_eq!(webhooks[0]["rules"][0]["operations"], json!(["CREATE", "UPDATE"]));
    assert_eq!(webhooks[0]["matchConditions"], Value::Null, "one of them reviews each update");
    assert_eq!(webhooks[1]["clientConfig"]["service"]["path"], "/admit/mutate-pods.v1");
}

#[test]
fn an_operator_without_functions_has_no_configuration() {
    let configurations = Operator::new("plain").reconciler::<repo>(()).webhook_configurations(&target()).unwrap();
    assert!(configurations.validating.is_none() && configurations.mutating.is_none());
}

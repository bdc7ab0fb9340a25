//! The CRD of a kind with several versions.

use std::path::Path;

use evenkeel::WebhookServer;
use evenkeel::admission::WebhookTarget;
use evenkeel::introspection::Roles;
use evenkeel_testkit::assert_generated;
use serde_json::{Value, json};

use super::kinds::{CRD, operator, repo};

fn definition(target: &WebhookTarget) -> Value {
    let definitions = operator().definitions_calling(target);
    assert_eq!(definitions.len(), 1);
    serde_json::to_value(&definitions[0]).unwrap()
}

#[test]
fn the_crd_has_all_versions_and_calls_the_operator() {
    let mut definition = definition(&WebhookTarget::service("shops", "converter-webhooks"));
    for version in definition["spec"]["versions"].as_array_mut().unwrap() {
        let schema =
            version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].as_object().unwrap().clone();
        version["schema"] = schema.keys().map(String::as_str).collect();
    }
    let text = serde_json::to_string_pretty(&definition).unwrap() + "\n";
    assert_generated(Path::new(env!("CARGO_MANIFEST_DIR")).join("behaviour/conversion/crd.txt"), &text);
}

#[test]
fn a_url_gets_the_path_of_the_kind() {
    let definition = definition(&WebhookTarget::url("https://192.0.2.1:9443/"));
    let client = &definition["spec"]["conversion"]["webhook"]["clientConfig"];
    assert_eq!(client, &json!({ "url": format!("https://192.0.2.1:9443/convert/{CRD}") }));
}

#[test]
fn the_target_is_that_of_the_server_or_the_default_service() {
    let service = |operator: evenkeel::Operator| {
        let definition = serde_json::to_value(operator.definitions().remove(0)).unwrap();
        let client = definition["spec"]["conversion"]["webhook"]["clientConfig"]["service"].clone();
        (client["namespace"].clone(), client["name"].clone())
    };
    assert_eq!(service(operator()), (json!("default"), json!("converter-webhooks")));
    let server = WebhookServer::at(([127, 0, 0, 1], 0)).target(WebhookTarget::service("a", "b"));
    assert_eq!(service(operator().webhooks(server)), (json!("a"), json!("b")));
}

#[test]
fn a_kind_without_further_versions_calls_nothing() {
    let operator = evenkeel::Operator::new("converter").reconciler::<repo>(());
    assert_eq!(operator.definitions()[0].spec.conversion, None);
    assert_eq!(operator.definitions(), operator.definitions_calling(&WebhookTarget::service("a", "b")));
}

#[test]
fn the_webhook_roles_reach_the_crd_by_its_name() {
    let crds = |roles: Roles| {
        let rules = roles.cluster_role.unwrap().rules.unwrap();
        let rules = rules.into_iter().filter(|rule| rule.api_groups == Some(vec!["apiextensions.k8s.io".to_owned()]));
        rules.map(|rule| (rule.verbs, rule.resource_names)).collect::<Vec<_>>()
    };
    let verbs = ["get", "list", "patch", "watch"].map(str::to_owned).to_vec();
    assert_eq!(crds(operator().webhook_roles("shops")), [(verbs, Some(vec![CRD.to_owned()]))]);
    assert_eq!(crds(evenkeel::Operator::new("converter").reconciler::<repo>(()).webhook_roles("shops")), []);
}

//! The manifest of an operator, in evenkeel's form and in that of Grafana.

mod format;

use std::path::Path;

use evenkeel::Operator;
use evenkeel::introspection::Contract;
use evenkeel::operator::Reason;
use evenkeel::prelude::*;
use evenkeel_testkit::assert_generated;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use serde::Serialize;
use serde_json::Value;

use crate::admission::kinds::{Repo, Team, operator as reviewer, repo};
use crate::rules::kind::depot;
use crate::rules::shapes::{robots_tag, url_stays};

#[validate(on(create, update, delete), reads(Team))]
async fn team_exists(_repo: &Repo, _cx: &mut Review) -> Result<(), Denial> {
    Ok(())
}

#[validate(subresource = "status")]
fn status_is_kept(_repo: &Repo) -> Result<(), Denial> {
    Ok(())
}

#[mutate(on(create))]
fn named(_repo: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[validate(failure = "ignore")]
fn small(_map: &ConfigMap) -> Result<(), Denial> {
    Ok(())
}

#[route(get, "/archive/{format}", of = Repo)]
fn archive(repo: &Repo, request: Call<'_>) -> Reply {
    Reply::text(format!("{}.{}", repo.spec.url, request.param("format")))
}

struct Names;

#[watcher(plain)]
impl Names {
    async fn sync(&self, _namespace: &Namespace) -> Result<(), ApiError> {
        Ok(())
    }

    async fn delete(&self, _namespace: &Namespace) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Everything that an operator can have.
fn whole() -> Operator {
    Operator::new("shop")
        .version("1.2.0")
        .reconciler::<repo>(())
        .reconciler::<depot>(())
        .watcher::<Names>(Names)
        .rules::<(url_stays, robots_tag)>()
        .admission::<(team_exists, status_is_kept, named, small)>(())
        .routes::<archive>(())
}

fn yaml<'a, T: Serialize + 'a>(objects: impl IntoIterator<Item = &'a T>) -> String {
    objects.into_iter().map(|object| format!("---\n{}", serde_saphyr::to_string(object).unwrap())).collect()
}

fn golden(name: &str, text: &str) {
    assert_generated(Path::new(env!("CARGO_MANIFEST_DIR")).join("behaviour/app").join(name), text);
}

#[test]
fn the_manifest_lists_kinds_functions_and_rights() {
    golden("manifest.yaml", &yaml([&whole().app_manifest()]));
}

#[test]
fn each_group_has_a_manifest_of_grafana() {
    let manifests = whole().grafana_manifests().unwrap();
    let names: Vec<_> = manifests.iter().map(|manifest| manifest.metadata.name.clone().unwrap()).collect();
    assert_eq!(names, ["shop-rules-tests-evenkeel-dev", "shop-tests-evenkeel-dev"]);
    golden("grafana.yaml", &yaml(&manifests));
}

#[test]
fn an_operator_of_one_group_gives_the_app_its_own_name() {
    let manifests = reviewer::<status_is_kept>().grafana_manifests().unwrap();
    let [manifest] = &*manifests else { panic!("{manifests:?}") };
    assert_eq!(manifest.metadata.name.as_deref(), Some("reviewer"));
    let spec = &manifest.data["spec"];
    assert_eq!((&spec["appName"], &spec["preferredVersion"]), (&Value::from("reviewer"), &Value::from("v1")));
    assert_eq!(spec["versions"][0]["kinds"][0]["admission"], Value::Null, "it reviews a subresource only");
}

#[test]
fn the_manifests_of_grafana_have_its_format() {
    for manifest in whole().grafana_manifests().unwrap() {
        format::check(&manifest);
    }
}

#[test]
fn a_name_that_grafana_does_not_accept_is_refused() {
    for name in ["1shop", "s"] {
        let error = Operator::new(name).reconciler::<repo>(()).grafana_manifests().unwrap_err();
        assert_eq!(error.reason(), Reason::Setup);
        assert!(error.to_string().starts_with(&format!("`{name}` cannot be the name of an app in Grafana")), "{error}");
    }
}

#[test]
fn an_operator_without_kinds_has_no_manifest_of_grafana() {
    let operator = Operator::new("alone").admission::<small>(());
    assert!(operator.grafana_manifests().unwrap().is_empty());
    let manifest = operator.app_manifest();
    assert!(manifest.kinds.is_empty() && manifest.other_kinds[0].kind == "ConfigMap", "{manifest:?}");
}

#[test]
fn the_contract_names_the_reviewed_writes() {
    let contract = whole().contract();
    let reviewed: Vec<_> = contract.admission.keys().map(String::as_str).collect();
    assert_eq!(reviewed, ["configmaps", "repos.tests.evenkeel.dev"]);
    let repos = &contract.admission["repos.tests.evenkeel.dev"];
    let validation: Vec<_> = repos.validation.iter().map(String::as_str).collect();
    assert_eq!(validation, ["CREATE", "CREATE of status", "DELETE", "UPDATE", "UPDATE of status"]);
    assert_eq!(repos.mutation.iter().map(String::as_str).collect::<Vec<_>>(), ["CREATE"]);
    let route = "GET /apis/tests.evenkeel.dev/v1/namespaces/{ns}/repos/{name}/archive/{format}";
    assert_eq!(contract.routes.get(route).map(String::as_str), Some("get repos/archive"));
    assert!(contract.versions.is_empty(), "each kind has one version");
    assert_eq!(Contract::parse(&contract.to_string()).unwrap(), contract);
}

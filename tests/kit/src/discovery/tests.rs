//! Discovery documents. The expected values were recorded on an API server.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::crd::{prepare, publish};

const V2: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn registry() -> Registry {
    let mut crd = json!({
        "metadata": {"name": "widgets.ex.dev"},
        "spec": {
            "group": "ex.dev", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"], "categories": ["all", "ex"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "port": {"x-kubernetes-int-or-string": true}, "color": {"type": "string"}}}},
                "selectableFields": [{"jsonPath": ".color"}],
                "subresources": {"status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
            }],
        },
    });
    prepare(&mut crd, None).unwrap();
    for _ in 0..2 {
        crd["status"] = publish(&[Arc::new(crd.clone())], Timestamp::UNIX_EPOCH).statuses[0].1.clone();
    }
    Registry::builtin().with_custom(publish(&[Arc::new(crd)], Timestamp::UNIX_EPOCH).kinds)
}

fn ask<'a>(path: &'a str, accept: &'a str) -> Ask<'a> {
    Ask { method: &Method::GET, path, query: "", accept, if_none_match: None, host: "h:1" }
}

fn get(path: &str) -> Answer {
    answer(&registry(), &Release::default(), &ask(path, "application/json"))
}

fn document(path: &str) -> Value {
    serde_json::from_str(&get(path).body).unwrap()
}

#[test]
fn a_group_lists_its_versions() {
    let version = json!({"groupVersion": "apps/v1", "version": "v1"});
    assert_eq!(
        document("/apis/apps"),
        json!({"kind": "APIGroup", "apiVersion": "v1", "name": "apps", "versions": [version], "preferredVersion": version})
    );
    let groups = document("/apis");
    let names: Vec<&str> =
        groups["groups"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"ex.dev") && !names.contains(&""));
}

#[test]
fn a_custom_version_lists_the_kind_and_its_subresources() {
    let all = json!(["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]);
    let changes = json!(["get", "patch", "update"]);
    assert_eq!(
        document("/apis/ex.dev/v1"),
        json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "ex.dev/v1", "resources": [
            {"name": "widgets", "singularName": "widget", "namespaced": true, "kind": "Widget", "verbs": all,
                "shortNames": ["wd"], "categories": ["all", "ex"], "storageVersionHash": "0LJlA516Wws="},
            {"name": "widgets/status", "singularName": "", "namespaced": true, "kind": "Widget", "verbs": changes},
            {"name": "widgets/scale", "singularName": "", "namespaced": true, "group": "autoscaling", "version": "v1",
                "kind": "Scale", "verbs": changes},
        ]})
    );
}

#[test]
fn namespaces_have_no_deletecollection() {
    let core = document("/api/v1");
    assert_eq!((core["groupVersion"].as_str(), core.get("apiVersion")), (Some("v1"), None));
    let resources = core["resources"].as_array().unwrap();
    let of = |name: &str| resources.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(of("configmaps")["storageVersionHash"], "qFsyl6wFWjQ=");
    assert_eq!(of("namespaces/finalize")["verbs"], json!(["update"]));
    assert!(!of("namespaces")["verbs"].as_array().unwrap().contains(&json!("deletecollection")));
}

#[test]
fn aggregated_discovery_lists_all_groups() {
    let aggregated = answer(&registry(), &Release::default(), &ask("/apis", &format!("{V2},application/json")));
    assert_eq!((aggregated.code, aggregated.content_type), (200, V2));
    let list: Value = serde_json::from_str(&aggregated.body).unwrap();
    let ex = list["items"].as_array().unwrap().iter().find(|one| one["metadata"]["name"] == "ex.dev").unwrap();
    let widgets = &ex["versions"][0]["resources"][0];
    assert_eq!(widgets["responseKind"], json!({"group": "ex.dev", "version": "v1", "kind": "Widget"}));
    assert_eq!(
        widgets["subresources"][1],
        json!({"subresource": "scale", "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
            "verbs": ["get", "patch", "update"]})
    );
    let per_group = answer(&registry(), &Release::default(), &ask("/apis/ex.dev", V2));
    assert_eq!((per_group.code, per_group.content_type), (200, JSON));
}

#[test]
fn a_matching_etag_returns_304() {
    let first = answer(&registry(), &Release::default(), &ask("/api", V2));
    let again = Ask { if_none_match: first.etag.as_deref(), ..ask("/api", V2) };
    let again = answer(&registry(), &Release::default(), &again);
    assert_eq!((again.code, again.body.as_str(), again.etag), (304, "", first.etag));
}

#[test]
fn unsupported_media_types_return_406() {
    let code = |accept: &str| answer(&registry(), &Release::default(), &ask("/apis", accept)).code;
    let beta = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    assert_eq!((code(beta), code("text/html")), (406, 406));
    assert_eq!((code(&format!("{beta},application/json")), code(""), code("text/html, */*")), (200, 200, 200));
}

#[test]
fn unknown_paths_return_three_kinds_of_404() {
    assert_eq!((get("/apis/nope").code, get("/apis/nope").content_type), (404, TEXT));
    assert_eq!(document("/apis/apps/v9")["reason"], "NotFound");
    assert_eq!(document("/api/v1/")["reason"], "NotFound");
    assert_eq!((get("/nope").code, &document("/nope")["paths"][0]), (404, &json!("/api")));
}

#[test]
fn health_accepts_any_method_and_documents_only_get() {
    assert_eq!(get("/readyz/ping").body, "ok");
    let verbose = Ask { query: "verbose", ..ask("/livez", "") };
    let verbose = answer(&registry(), &Release::default(), &verbose);
    assert_eq!(verbose.body, "[+]ping ok\nlivez check passed\n");
    let post = |path| answer(&registry(), &Release::default(), &Ask { method: &Method::POST, ..ask(path, "") }).code;
    assert_eq!((post("/healthz"), post("/apis")), (200, 405));
}

#[test]
fn version_reports_the_configured_release() {
    assert_eq!(document("/version")["minor"], "36");
    assert_eq!(Release { minor: 32 }.document()["gitVersion"], "v1.32.0+evenkeel");
}

#[test]
fn openapi_patch_has_the_field_validation_parameter() {
    let index = document("/openapi/v3");
    let url = index["paths"]["apis/ex.dev/v1"]["serverRelativeURL"].as_str().unwrap();
    let path = url.split('?').next().unwrap();
    let patch = &document(path)["paths"]["/apis/ex.dev/v1/namespaces/{namespace}/widgets/{name}"]["patch"];
    assert_eq!(patch["operationId"], "patchExDevV1NamespacedWidget");
    assert_eq!(patch["x-kubernetes-group-version-kind"], json!({"group": "ex.dev", "version": "v1", "kind": "Widget"}));
    let names: Vec<&str> =
        patch["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
    let core = document("/openapi/v3/api/v1");
    assert_eq!(core["paths"]["/api/v1/namespaces/{name}"]["patch"]["operationId"], "patchCoreV1Namespace");
}

#[test]
fn openapi_has_the_full_schema_of_custom_kinds() {
    let schema = &document("/openapi/v3/apis/ex.dev/v1")["components"]["schemas"]["dev.ex.v1.Widget"];
    assert_eq!(
        schema["properties"]["port"],
        json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]})
    );
    assert_eq!(schema["x-kubernetes-selectable-fields"], json!([{"fieldPath": "color"}]));
    assert_eq!(
        schema["x-kubernetes-group-version-kind"],
        json!([{"group": "ex.dev", "version": "v1", "kind": "Widget"}])
    );
}

#[test]
fn an_unknown_group_version_has_an_empty_openapi_document() {
    assert_eq!((get("/openapi/v3/apis/nope/v1").code, get("/openapi/v3/apis/nope/v1").body.as_str()), (200, ""));
}

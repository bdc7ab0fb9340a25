//! The schema of a status: its default, its map of conditions, and nothing required.

use kube::CustomResourceExt;
use serde_json::json;

use crate::northstar::GitRepository;

#[test]
fn an_empty_status_does_not_look_observed() {
    let crd = serde_json::to_value(GitRepository::crd()).unwrap();
    let status = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    assert_eq!(status["default"], json!({ "observedGeneration": -1 }), "{status:#}");
    assert_eq!(status["type"], "object");
    assert!(status.get("required").is_none(), "{status:#}");
}

#[test]
fn conditions_are_a_map_keyed_by_type() {
    let crd = serde_json::to_value(GitRepository::crd()).unwrap();
    let status = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    let conditions = &status["properties"]["conditions"];
    assert_eq!(conditions["x-kubernetes-list-type"], "map");
    assert_eq!(conditions["x-kubernetes-list-map-keys"], json!(["type"]));
    assert!(conditions["items"]["required"].as_array().unwrap().contains(&json!("type")));
    assert!(conditions.get("default").is_none(), "{conditions:#}");
    assert!(status["properties"]["tags"].get("default").is_none(), "{status:#}");
}

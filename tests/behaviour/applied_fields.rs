//! The digest of the applied fields changes if, and only if, an object is no longer as it was applied.

use evenkeel::dependents::response::{FieldOwner, applied_fields};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const MANAGER: &str = "operator/shop";

on_each_server!(changes_of_applied_fields_are_found, an_autoscaler_changes_no_applied_field);

trait Object: Clone + std::fmt::Debug + Serialize + DeserializeOwned {}
impl<K: Clone + std::fmt::Debug + Serialize + DeserializeOwned> Object for K {}

/// Applies a manifest, and returns the resource version and the digest of the applied fields.
async fn apply<K: Object>(api: &Api<K>, manager: &str, manifest: &Value) -> (Value, Option<u64>) {
    let params = PatchParams::apply(manager).force();
    shown(&api.patch("x", &params, &Patch::Apply(manifest)).await.unwrap())
}

async fn merge<K: Object>(api: &Api<K>, patch: Value) -> Option<u64> {
    shown(&api.patch("x", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()).1
}

fn shown<K: Object>(object: &K) -> (Value, Option<u64>) {
    let object = serde_json::to_value(object).unwrap();
    (object["metadata"]["resourceVersion"].clone(), applied_fields(&object, &FieldOwner::all(&object), MANAGER))
}

async fn changes_of_applied_fields_are_found(world: World) -> World {
    let api = world.api::<ConfigMap>();
    let config =
        |meta: Value, data: Value| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data });
    let wanted = config(json!({ "name": "x", "labels": { "app": "web" } }), json!({ "a": "1", "b": "2" }));
    let (version, applied) = apply(&api, MANAGER, &wanted).await;
    assert!(applied.is_some());
    assert_eq!(apply(&api, MANAGER, &wanted).await, (version, applied), "nothing is written");
    let beside =
        json!({ "metadata": { "labels": { "theirs": "x" }, "annotations": { "theirs": "x" } }, "data": { "c": "3" } });
    assert_eq!(merge(&api, beside).await, applied, "fields that the manifest does not have");
    assert_eq!(
        apply(&api, "another", &config(json!({ "name": "x" }), json!({ "a": "1" }))).await.1,
        applied,
        "the same value"
    );
    let forced = apply(&api, "another", &config(json!({ "name": "x" }), json!({ "a": "4" }))).await.1;
    assert_ne!(forced, applied, "another value");
    assert_eq!(apply(&api, MANAGER, &wanted).await.1, applied, "corrected");
    for change in [
        json!({ "data": { "b": "5" } }),
        json!({ "data": { "b": null } }),
        json!({ "metadata": { "labels": { "app": null } } }),
        json!({ "metadata": { "managedFields": [{}] } }),
    ] {
        assert_ne!(merge(&api, change.clone()).await, applied, "{change}");
        assert_eq!(apply(&api, MANAGER, &wanted).await.1, applied, "corrected: {change}");
    }
    world
}

async fn an_autoscaler_changes_no_applied_field(world: World) -> World {
    let api = world.api::<Deployment>();
    let labels = json!({ "app": "x" });
    let pod = json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "none" }] } });
    let deployment = |replicas: Option<u32>| {
        let mut spec = json!({ "selector": { "matchLabels": labels }, "template": pod });
        if let Some(replicas) = replicas {
            spec["replicas"] = json!(replicas);
        }
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "x" }, "spec": spec })
    };
    let (_, applied) = apply(&api, MANAGER, &deployment(None)).await;
    assert_eq!(merge(&api, json!({ "spec": { "replicas": 3 } })).await, applied, "the manifest has no replicas");
    let (_, scaled) = apply(&api, MANAGER, &deployment(Some(2))).await;
    assert_ne!(scaled, applied);
    assert_ne!(merge(&api, json!({ "spec": { "replicas": 3 } })).await, scaled, "the manifest has replicas");
    world
}

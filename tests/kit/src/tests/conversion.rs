//! Conversion webhooks that a service in the process answers.

use std::time::Duration;

use axum::routing::post;
use axum::{Json, Router};
use futures::{StreamExt, TryStreamExt};
use kube::api::{ApiResource, DeleteParams, DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::{Cluster, eventually};

fn api(client: Client, version: &str) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("ex.dev", version, "Cat"), "cats");
    Api::namespaced_with(client, "default", &kind)
}

/// A cluster with cats in v1, which is stored, and v2. The service `cats` converts them.
async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    let version = |name: &str| {
        let spec = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        json!({"name": name, "served": true, "storage": name == "v1",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}})
    };
    let client = json!({"service": {"namespace": "default", "name": "cats", "path": "/convert"}});
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "cats.ex.dev"},
        "spec": {"group": "ex.dev", "scope": "Namespaced", "names": {"plural": "cats", "kind": "Cat"},
            "versions": [version("v1"), version("v2")],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}}}});
    cluster.seed(crd.to_string()).await.unwrap();
    cluster
}

/// Sets `spec.version` to the version.
fn service() -> Router {
    let answer = |Json(review): Json<Value>| async move {
        let request = &review["request"];
        let mut object = request["objects"][0].clone();
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        object["spec"]["version"] = request["desiredAPIVersion"].clone();
        let response = json!({"uid": request["uid"], "convertedObjects": [object], "result": {"status": "Success"}});
        Json(json!({"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}))
    };
    Router::new().route("/convert", post(answer))
}

async fn create(cluster: &Cluster, version: &str, name: &str) -> kube::Result<DynamicObject> {
    let object =
        json!({"apiVersion": format!("ex.dev/{version}"), "kind": "Cat", "metadata": {"name": name}, "spec": {}});
    api(cluster.client(), version).create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await
}

fn message<T>(result: kube::Result<T>) -> String {
    match result {
        Err(kube::Error::Api(status)) => status.message.clone(),
        Err(other) => panic!("expected a Status, found {other}"),
        Ok(_) => panic!("expected an error"),
    }
}

#[tokio::test]
async fn a_service_converts_objects_in_process() {
    let cluster = cluster().await;
    create(&cluster, "v1", "a").await.unwrap();
    let head =
        "conversion webhook for ex.dev/v1, Kind=Cat failed: Post \"https://cats.default.svc:443/convert?timeout=30s\"";
    let read = || async { api(cluster.client(), "v2").get("a").await };
    assert_eq!(message(read().await), format!("{head}: service \"cats\" not found"));
    cluster.webhook_service("default", "cats", service());
    assert_eq!(read().await.unwrap().data["spec"]["version"], "ex.dev/v2");
    let made = create(&cluster, "v2", "b").await.unwrap();
    assert_eq!(made.data["spec"]["version"], "ex.dev/v2");
    assert_eq!(api(cluster.client(), "v1").get("b").await.unwrap().data["spec"]["version"], "ex.dev/v1");
}

#[tokio::test]
async fn a_watch_ends_with_an_error_if_a_conversion_fails() {
    let cluster = cluster().await;
    cluster.webhook_service("default", "cats", service());
    let cats = api(cluster.client(), "v2");
    let mut events = cats.watch(&WatchParams::default(), "0").await.unwrap().boxed();
    create(&cluster, "v1", "a").await.unwrap();
    let first = events.try_next().await.unwrap();
    assert!(matches!(&first, Some(WatchEvent::Added(cat)) if cat.data["spec"]["version"] == "ex.dev/v2"), "{first:?}");
    cluster.remove_webhook_service("default", "cats");
    create(&cluster, "v1", "b").await.unwrap();
    let failed = events.try_next().await.unwrap();
    assert!(matches!(&failed, Some(WatchEvent::Error(status)) if status.code == 500), "{failed:?}");
    assert!(events.try_next().await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_conversion_has_a_timeout_in_virtual_time() {
    let cluster = cluster().await;
    create(&cluster, "v1", "a").await.unwrap();
    let slow = Router::new().fallback(|| tokio::time::sleep(Duration::from_secs(60)));
    cluster.webhook_service("default", "cats", slow);
    let start = tokio::time::Instant::now();
    let error = message(api(cluster.client(), "v2").get("a").await);
    assert!(error.ends_with(": context deadline exceeded"), "{error}");
    assert_eq!(start.elapsed().as_secs(), 30);
}

/// Fails for the object `bad`.
fn choosy() -> Router {
    let answer = |Json(review): Json<Value>| async move {
        let request = &review["request"];
        let mut object = request["objects"][0].clone();
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        let result = match object["metadata"]["name"] == "bad" {
            true => json!({"status": "Failure", "message": "bad is refused"}),
            false => json!({"status": "Success"}),
        };
        let response = json!({"uid": request["uid"], "convertedObjects": [object], "result": result});
        Json(json!({"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response}))
    };
    Router::new().route("/convert", post(answer))
}

#[tokio::test]
async fn a_refused_object_fails_the_list_and_the_deletion_of_the_collection() {
    let cluster = cluster().await;
    cluster.webhook_service("default", "cats", choosy());
    for name in ["a", "bad"] {
        create(&cluster, "v1", name).await.unwrap();
    }
    let refused = "conversion webhook for ex.dev/v1, Kind=Cat failed: bad is refused";
    let (v1, v2) = (api(cluster.client(), "v1"), api(cluster.client(), "v2"));
    assert_eq!(message(v2.list(&ListParams::default()).await), refused);
    assert_eq!(message(v2.delete("bad", &DeleteParams::default()).await), refused);
    let deleted = v2.delete_collection(&DeleteParams::default(), &ListParams::default()).await;
    assert_eq!(message(deleted.map(drop)), refused);
    assert_eq!(v1.list(&ListParams::default()).await.unwrap().items.len(), 2);
    v1.delete("bad", &DeleteParams::default()).await.unwrap();
    assert_eq!(v2.list(&ListParams::default()).await.unwrap().items.len(), 1);
    v2.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
    assert!(v1.list(&ListParams::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn garbage_is_collected_while_a_conversion_fails() {
    let cluster = cluster().await;
    let owner = create(&cluster, "v1", "a").await.unwrap();
    let owners = json!([{"apiVersion": "ex.dev/v2", "kind": "Cat", "name": "a", "uid": owner.metadata.uid}]);
    let owned = json!({"apiVersion": "ex.dev/v1", "kind": "Cat", "metadata": {"name": "b", "ownerReferences": owners}});
    let v1 = api(cluster.client(), "v1");
    v1.create(&PostParams::default(), &serde_json::from_value(owned).unwrap()).await.unwrap();
    v1.delete("a", &DeleteParams::default()).await.unwrap();
    eventually(Duration::from_secs(5), || async { v1.get_opt("b").await.unwrap().is_none().then_some(()) }).await;
}

//! The claim of an object with an owner.

use std::time::Duration;

use evenkeel::Class;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::reasons::retry;
use crate::script::{End, Wrong};
use crate::stage::{FINALIZER, Stage};

pub(super) async fn adapter(given: Value) -> Value {
    let mut stage = Stage::new().await;
    let owner = &given["owner"];
    if owner == "absent" || owner["ready"] == "False" {
        let waits =
            Wrong::new(Class::Transient, "WaitingForOwner", "the owner is not there").retried(evenkeel::Retry::Fast);
        stage.script.lock().claim = End::Wrong(waits);
    } else {
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "o" } });
        let uid = stage.world.create::<ConfigMap>(map).await.metadata.uid;
        let of = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": uid });
        let of = if owner["kind"] == "kubernetes object" { of } else { Value::Null };
        stage.script.lock().claims = Some(json!({ "owner": of }));
    }
    stage.create(json!({}), json!({})).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    let (object, ready) = (stage.object().await, stage.ready().await);
    tokio::time::sleep(Duration::from_secs(600)).await;
    let meta = &object["metadata"];
    json!({
        "ready": ready,
        "retry": retry(&stage.script.pauses("claim")),
        "finalizer_added": meta["finalizers"] == json!([FINALIZER]),
        "owner_reference_set": meta["ownerReferences"].is_array(),
        "marker_annotation_saved": meta["annotations"]["example.com/resource-id"] == "id",
    })
}

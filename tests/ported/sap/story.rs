//! Histories behind fixes of the original.

use evenkeel_tests::recording_client::Fault;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, CustomResourceExt, ResourceExt};
use serde_json::{Value, json};

use super::component::{Baz, Component};
use super::lab::{Lab, holds, of_definition, of_map};
use super::ownership::taken;

pub(super) async fn adapter(given: Value) -> Value {
    match given["story"].as_str().unwrap() {
        "a dependent taken over by another owner while the component is deleted" => taken_over().await,
        "orphaned CRD" => orphaned().await,
        "first pass computes a digest" => first_pass().await,
        "finalizer written by merge patch while a user edits" => edited().await,
        other => panic!("no adapter tells `{other}`"),
    }
}

/// The deletion of an object is held up, and another owner takes it meanwhile.
async fn taken_over() -> Value {
    let lab = Lab::running().await;
    lab.open("x", of_map("wanted", &json!({}))).await;
    lab.world.wire.fault(|call| {
        (call.method == "DELETE" && call.path.contains("/configmaps/")).then_some(Fault::Answer(503, None))
    });
    lab.delete("x").await;
    lab.edit("c", "other", json!({ "metadata": taken() })).await;
    lab.world.wire.mend();
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    assert!(lab.component("x").await.is_null());
    json!({ "deleted": lab.map("c").await.is_null() })
}

/// The component is deleted and leaves its CRD behind.
async fn orphaned() -> Value {
    let lab = Lab::running().await;
    let mut spec = of_definition();
    spec["policies"] = json!({ "delete": "orphan" });
    lab.open("x", spec).await;
    lab.delete("x").await;
    let definitions: Api<CustomResourceDefinition> = Api::all(lab.world.client.clone());
    let definition = definitions.get(Baz::crd_name()).await.unwrap();
    json!({ "our_finalizer_on_it": definition.finalizers().iter().any(|one| one.contains("evenkeel")) })
}

/// The reasons of all statuses that the operator writes in its first pass.
async fn first_pass() -> Value {
    let lab = Lab::running().await;
    lab.open("x", of_map("wanted", &json!({}))).await;
    assert!(lab.is_ready("x").await);
    let is_seen = lab.world.wire.count(|call| call.is_write() && call.body.contains("\"Restarting\""));
    json!({ "reason_Restarting_seen": is_seen > 0 })
}

/// A user edits the component right before the write of the finalizer arrives.
async fn edited() -> Value {
    let lab = Lab::running().await;
    let (api, mut is_first) = (lab.world.api::<Component>(), true);
    let (passes, held) = tokio::sync::watch::channel(false);
    lab.world.wire.fault(move |call| {
        let strikes = holds(call) && std::mem::take(&mut is_first);
        strikes.then(|| Fault::Hold(held.clone()))
    });
    lab.open("x", of_map("wanted", &json!({}))).await;
    assert!(lab.component("x").await["metadata"]["finalizers"].is_null(), "the finalizer is on its way");
    let labels = json!({ "user": "was-here" });
    let edit = json!({ "metadata": { "labels": labels }, "spec": { "objects": [{ "kind": "ConfigMap", "name": "c", "content": "edited" }] } });
    api.patch("x", &kube::api::PatchParams::default(), &kube::api::Patch::Merge(edit)).await.unwrap();
    passes.send_replace(true);
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    let component = lab.component("x").await;
    let is_kept =
        component["metadata"]["labels"]["user"] == "was-here" && component["spec"]["objects"][0]["content"] == "edited";
    assert!(lab.is_ready("x").await && lab.map("c").await["data"]["content"] == "edited");
    json!({ "user_edit_lost": !is_kept })
}

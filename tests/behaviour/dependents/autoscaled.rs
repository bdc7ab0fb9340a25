//! What other controllers do with dependents while the operator rests.

use std::time::Duration;

use evenkeel_testkit::Settler;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::settled::{Library, a_library, start};

const HOUR: Duration = Duration::from_secs(3600);
const WEEK_IN_HOURS: i32 = 7 * 24;

/// The calls of the operator, without watches and the check of their version, once in the life of each.
fn sent(world: &World) -> Vec<String> {
    let is_sent = |call: &&Call| !call.is_watch() && !call.query.contains("limit=1");
    world.wire.calls().iter().filter(is_sent).map(|call| format!("{} {}", call.method, call.path)).collect()
}

/// A policy adds a label to each object and stores in an annotation when it did so.
async fn mutate(world: &World, hour: i32) {
    let metadata = json!({ "labels": { "policy.example.com/checked": "yes" }, "annotations": { "policy.example.com/hour": hour.to_string() } });
    let (patch, params) = (Patch::Merge(json!({ "metadata": metadata })), PatchParams::default());
    world.api::<ConfigMap>().patch("rules", &params, &patch).await.unwrap();
    world.api::<StatefulSet>().patch("books", &params, &patch).await.unwrap();
    world.api::<Deployment>().patch("desk", &params, &patch).await.unwrap();
}

/// The autoscaler reports what it measured.
async fn measure(world: &World, hour: i32) {
    let scaled = json!({ "type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": hour.to_string(),
        "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let status = json!({ "status": { "currentReplicas": 1, "desiredReplicas": 1, "conditions": [scaled] } });
    let params = PatchParams::default();
    world.api::<HorizontalPodAutoscaler>().patch_status("desk", &params, &Patch::Merge(status)).await.unwrap();
}

async fn scale(world: &World, replicas: i32) {
    let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
    world.api::<Deployment>().patch_scale("desk", &PatchParams::default(), &patch).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_week_with_an_autoscaler_and_a_mutating_policy_costs_no_call() {
    let (world, operator) = start().await;
    let _settling = Settler::new().start(world.cluster());
    world.create::<Library>(a_library(None)).await;
    sleep(Duration::from_secs(60)).await;
    assert!(is_ready(&world.raw::<Library>("a").await));
    world.wire.clear();
    for hour in 0..WEEK_IN_HOURS {
        mutate(&world, hour).await;
        measure(&world, hour).await;
        sleep(HOUR).await;
    }
    assert_eq!(sent(&world), Vec::<String>::new());
    let map = world.api::<ConfigMap>().get("rules").await.unwrap();
    assert_eq!(map.labels()["policy.example.com/checked"], "yes");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn replicas_of_an_autoscaler_are_never_written_back() {
    let (world, operator) = start().await;
    let settling = Settler::new().after(Duration::from_secs(30)).start(world.cluster());
    world.create::<Library>(a_library(None)).await;
    sleep(Duration::from_secs(300)).await;
    world.wire.clear();
    for replicas in [4, 9, 2] {
        scale(&world, replicas).await;
        sleep(HOUR).await;
        let desk: Value = world.raw::<Deployment>("desk").await;
        assert_eq!(
            (&desk["spec"]["replicas"], &desk["status"]["availableReplicas"]),
            (&json!(replicas), &json!(replicas))
        );
    }
    assert_eq!(settling.settled::<Deployment>().len(), 4);
    // The status of the component reports that the pods start, and nothing else is written.
    let others: Vec<String> = sent(&world).into_iter().filter(|call| !call.ends_with("/libraries/a/status")).collect();
    let others: Vec<String> = others.into_iter().filter(|call| !call.contains("/events")).collect();
    assert_eq!(others, Vec::<String>::new());
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn replicas_that_leave_the_manifest_stay_for_the_autoscaler() {
    let (world, operator) = start().await;
    let _settling = Settler::new().start(world.cluster());
    world.create::<Library>(a_library(Some(7))).await;
    sleep(HOUR).await;
    let replicas = async || world.raw::<Deployment>("desk").await["spec"]["replicas"].clone();
    assert_eq!(replicas().await, 7);
    world.wire.clear();
    world.merge::<Library>("a", json!({ "spec": { "readers": null } })).await;
    sleep(HOUR).await;
    assert_eq!(replicas().await, 7);
    let of_desk: Vec<String> = sent(&world).into_iter().filter(|call| call.ends_with("/deployments/desk")).collect();
    // The field is given up, and then the manifest is applied.
    let path = "/apis/apps/v1/namespaces/default/deployments/desk";
    assert_eq!(of_desk, ["GET", "PATCH", "PATCH"].map(|verb| format!("{verb} {path}")));
    // It belongs to the autoscaler now.
    for number in [4, 9] {
        scale(&world, number).await;
        sleep(HOUR).await;
        assert_eq!(replicas().await, number);
    }
    operator.stop().await.unwrap();
}

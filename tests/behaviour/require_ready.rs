//! Objects of built-in kinds on which a step waits: ready when their actual state matches the spec.

use std::sync::Arc;

use evenkeel::dependency::{NotReady, Reference};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::pod::a_pod;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, message, reason};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum FrontCondition {
    /// The server behind it is ready.
    #[condition(positive)]
    Served,
}

/// The server is not ready.
#[derive(Debug, thiserror::Error, ReconcileError)]
enum FrontError {
    #[error(transparent)]
    #[class(waiting)]
    ServerNotReady(#[from] NotReady<Pod>),
}

/// Waits for the Pod `web`.
#[sub_reconciler(sets(on::Served), watches(Pod, by_name))]
async fn serve(_: &Widget, _lab: &Arc<Lab>, cx: &mut Cx<'_, serve>) -> Result<(), FrontError> {
    cx.require_ready::<Pod>(&Reference::new(None, "web")).await?;
    Ok(())
}

#[reconciler(conditions = FrontCondition)]
async fn front(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    serve(widget, lab, cx).await?;
    Ok(())
}

/// Writes the status as a kubelet would.
async fn report(world: &World, ready: bool) {
    let conditions = json!([{ "type": "Ready", "status": if ready { "True" } else { "False" } }]);
    let patch = Patch::Merge(json!({ "status": { "phase": "Running", "conditions": conditions } }));
    world.api::<Pod>().patch_status("web", &PatchParams::default(), &patch).await.unwrap();
}

async fn a_step_waits_until_a_pod_is_ready(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Pod>(a_pod("web")).await;
    let operator = world.operator::<front>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let waits = |text: &'static str| {
        move |widget: &Value| reason(widget, "Ready") == "ServerNotReady" && message(widget, "Ready").contains(text)
    };
    world.until::<Widget>("w", "waits for the start", waits("it is Pending and not ready")).await;
    report(&world, false).await;
    world.until::<Widget>("w", "waits for Ready", waits("it is Running and not ready")).await;
    report(&world, true).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(a_step_waits_until_a_pod_is_ready);

//! Feature gates: steps read them, metrics show them, and a changed gate runs each object once.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, FeatureGate, FeatureGates};
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition};
use serde_json::json;

const FAST: FeatureGate = FeatureGate::alpha("Fast");
const SAFE: FeatureGate = FeatureGate::beta("Safe");

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum GateCondition {
    /// The widget was built.
    #[condition(positive)]
    Built,
}

/// Builds the widget, fast if the gate is on.
#[sub_reconciler(sets(on::Built))]
async fn build(_: &Widget, gates: &FeatureGates, lab: &Arc<Lab>, _cx: &mut Cx<'_, build>) -> Result<(), ApiError> {
    lab.note(if gates.enabled(FAST) { "fast" } else { "slow" });
    Ok(())
}

#[reconciler(conditions = GateCondition)]
async fn gated(widget: &Widget, gates: &FeatureGates, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    build(widget, gates, lab, cx).await?;
    Ok(())
}

/// Runs the operator with these gates until the lab has this log, and stops it.
async fn run_until(world: &World, lab: &Arc<Lab>, given: &str, wanted: &[&str]) {
    let gates = FeatureGates::new([FAST, SAFE]);
    gates.set(given).unwrap();
    let operator = world.prepare::<gated>((gates.clone(), lab.clone())).feature_gates(&gates);
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    eventually(SOON, || async { (get(address, "/readyz").await.status == 200).then_some(()) }).await;
    eventually(SOON, || async { (lab.log().len() >= wanted.len()).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(lab.log(), wanted);
    let metrics = get(address, "/metrics").await.body;
    let is_fast = u8::from(given.contains("Fast=true"));
    let line = format!("kubernetes_feature_enabled{{name=\"Fast\",stage=\"ALPHA\"}} {is_fast}\n");
    assert!(metrics.contains(&line), "{line} in {metrics}");
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_gate_runs_each_object_once() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    run_until(&world, &lab, "", &["slow"]).await;
    run_until(&world, &lab, "Safe=true", &["slow"]).await;
    run_until(&world, &lab, "Fast=true", &["slow", "fast"]).await;
}

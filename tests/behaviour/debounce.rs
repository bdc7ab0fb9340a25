//! The debounce window: changes in quick succession run one pass.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_tests::test_env::{Server, World, show};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition};
use kube::ResourceExt;
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum CalmCondition {
    /// The widget was seen.
    #[condition(positive)]
    Seen,
}

/// Notes the spec.
#[sub_reconciler(sets(on::Seen))]
async fn see(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(&format!("{} {}", widget.name_any(), widget.spec.child.clone().unwrap_or_default()));
    Ok(())
}

#[reconciler(conditions = CalmCondition, debounce = "2s")]
async fn calm(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see(widget, lab, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn changes_in_quick_succession_run_one_pass() {
    show(Server::InProcess, burst).await;
}

async fn burst(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = world.operator::<calm>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "child": "0" }))).await;
    for child in ["1", "2", "3"] {
        world.merge::<Widget>("w", json!({ "spec": { "child": child } })).await;
    }
    world.create::<Widget>(a_widget("v", json!({ "child": "0" }))).await;
    lab.until_logged(&["v 0", "w 3"]).await;
    // A request does not wait, and takes a change along.
    world.merge::<Widget>("w", json!({ "spec": { "child": "4" } })).await;
    let annotations = json!({ "evenkeel.dev/requestedAt": "now" });
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": annotations } })).await;
    lab.until_logged(&["w 4"]).await;
    running.stop().await.unwrap();
    world
}

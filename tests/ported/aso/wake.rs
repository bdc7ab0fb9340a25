//! Triggers: a change of the policy, of a watched annotation, of the generation.

use std::time::Duration;

use evenkeel::policy::POLICY;
use serde_json::{Value, json};

use crate::stage::{Outside, Stage, annotations};

const QUIET: Duration = Duration::from_secs(60);

fn passes(stage: &Stage) -> usize {
    stage.script.count("create_or_update") + stage.script.count("update_status")
}

pub(super) async fn by_policy(given: Value) -> Value {
    let mut stage = Stage::new().await;
    stage.create(json!({ "annotations": annotations(&given["old"], &Value::Null) }), json!({})).await;
    stage.operate(|operator| operator);
    tokio::time::sleep(QUIET).await;
    let before = passes(&stage);
    stage.annotate(json!({ POLICY: given["new"] })).await;
    tokio::time::sleep(QUIET).await;
    json!({ "triggers_reconcile": passes(&stage) > before })
}

/// The watched annotation is the one that requests a pass.
pub(super) async fn by_annotation(given: Value) -> Value {
    let named = |case: &Value| {
        let mut annotations = json!({});
        for (key, value) in case.as_object().into_iter().flatten() {
            let key = if key == "watched" { "evenkeel.dev/requestedAt" } else { "example.com/other" };
            annotations[key] = value.clone();
        }
        annotations
    };
    let mut stage = Stage::new().await;
    if given["event"] == "create" {
        stage.operate(|operator| operator);
        tokio::time::sleep(QUIET).await;
        stage.create(json!({}), json!({})).await;
        tokio::time::sleep(QUIET).await;
        return json!({ "pass": passes(&stage) > 0 });
    }
    stage.create(json!({ "annotations": named(&given["old"]) }), json!({})).await;
    stage.operate(|operator| operator);
    tokio::time::sleep(QUIET).await;
    let before = passes(&stage);
    match given["event"].as_str() {
        Some("generic") => stage.trigger(),
        _ if given["generation"].is_array() => {
            stage.world.merge::<Outside>("x", json!({ "spec": { "size": 2 } })).await;
        }
        _ => stage.annotate(named(&given["new"])).await,
    }
    tokio::time::sleep(QUIET).await;
    let passed = passes(&stage) > before;
    json!({ "pass": passed, "pass_combined": passed })
}

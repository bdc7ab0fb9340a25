//! Checks before and after the steps, and long deletions.

use std::time::Duration;

use evenkeel::Class;
use serde_json::{Value, json};

use super::reasons::retry;
use crate::script::{End, Wrong};
use crate::stage::{FINALIZER, Stage};

fn verdict(given: &Value, message: &Value, failure: &str) -> End {
    let text = message.as_str().unwrap_or("m");
    match given.as_str() {
        Some("postpone") => {
            let postponed = Wrong::new(Class::Waiting { poll: None }, "ReconciliationPostponed", text);
            End::Wrong(postponed.retried(evenkeel::Retry::VerySlow))
        }
        Some("block") => End::Wrong(Wrong::new(Class::Transient, "ReconciliationBlocked", text)),
        Some("error") => End::Wrong(Wrong::new(Class::Transient, failure, text)),
        Some("proceed" | "success" | "record") | None => End::Fine,
        Some(other) => panic!("no verdict {other}"),
    }
}

pub(super) async fn adapter(given: Value) -> Value {
    let mut stage = Stage::new().await;
    {
        let mut script = stage.script.lock();
        let before = if given["owner_pre"].is_string() { &given["owner_pre"] } else { &given["pre"] };
        script.before = verdict(before, &given["message"], "Failed");
        script.of_owner = given["owner_pre"].is_string();
        script.after = verdict(&given["post"], &given["message"], "PostReconciliationFailure");
    }
    stage.create(json!({}), json!({ "sync": 3600 })).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    if !given["deleter"].is_null() {
        return deleted(&mut stage, &given["deleter"]).await;
    }
    let ready = stage.ready().await;
    let ran = stage.script.count("create_or_update") > 0;
    let before = stage.script.count("before");
    let knows = stage.script.count("after under manage") > 0;
    tokio::time::sleep(Duration::from_secs(2 * 3600)).await;
    let tries = stage.script.count("before");
    let again = retry(&stage.script.pauses("before"));
    json!({
        "core_runs": ran,
        "ready": ready,
        "ready_status": ready["status"],
        "retry": if (2..=4).contains(&tries) { json!("next scheduled sync only") } else { again },
        "owner_pre_called": before > 0,
        "post_received": if knows { "the resolved policies of this pass" } else { "" },
    })
}

async fn deleted(stage: &mut Stage, deleter: &Value) -> Value {
    if let Some(after) = deleter["retry_after_s"].as_u64() {
        let mut script = stage.script.lock();
        (script.takes, script.delete) = (Some(1), End::Requeue(Duration::from_secs(after)));
        drop(script);
    }
    stage.delete().await;
    stage.settle().await;
    let object = stage.object().await;
    let held = object["metadata"]["finalizers"] == json!([FINALIZER]);
    tokio::time::sleep(Duration::from_secs(40)).await;
    let script = stage.script.lock();
    let polls = script.started == 1 && script.asked > 0;
    drop(script);
    let after = stage.script.pauses("delete").first().copied().unwrap_or_default();
    json!({
        "finalizer_removed": !held,
        "requeue_after_s": Duration::from_secs_f64(after.round()).as_secs(),
        "next_pass": if polls { "polls op-id instead of deleting again" } else { "deletes again" },
    })
}

//! Long operations: a changing spec, a restart, a handle that cannot be stored.

use std::time::Duration;

use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::widget::is_ready;
use serde_json::{Value, json};

use crate::stage::{Outside, Stage};

pub(super) async fn adapter(given: Value) -> Value {
    let mut stage = Stage::new().await;
    stage.script.lock().takes = Some(1);
    if given["persist_token"].is_object() {
        // Other clients write the metadata meanwhile.
        let mut left = 5;
        stage.world.wire.fault(move |call| {
            let strikes = call.is_status_write() && left > 0;
            left -= usize::from(strikes);
            strikes.then_some(Fault::Answer(409, None))
        });
    }
    stage.create(json!({}), json!({ "size": 1 })).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    if given["generation_now"].is_number() {
        let (before, size) = (stage.object().await, json!({ "spec": { "size": 2 } }));
        assert_eq!(before["status"]["operation"]["handle"], "op-id");
        stage.script.lock().takes = Some(0);
        stage.world.merge::<Outside>("x", size).await;
        stage.settle().await;
        let object = stage.object().await;
        let (ready, again) = (is_ready(&object), stage.script.lock().started);
        return json!({
            "ready_set_true_for": if ready { object["metadata"]["generation"].clone() } else { Value::Null },
            "requeue": if again == 2 { "immediately" } else { "later" },
        });
    }
    if given["resume_token"].is_string() {
        stage.restart().await;
        stage.script.lock().takes = Some(3);
        let before = stage.script.lock().started;
        tokio::time::sleep(Duration::from_secs(15)).await;
        let script = stage.script.lock();
        return json!({
            "next_pass": if script.asked > 0 { "monitor" } else { "create" },
            "new_create_calls": script.started - before,
        });
    }
    tokio::time::sleep(Duration::from_secs(120)).await;
    let (object, started) = (stage.object().await, stage.script.lock().started);
    assert!(is_ready(&object), "{object:#}");
    json!({ "new_create_calls_at_most": if started <= 1 { json!(1) } else { json!(started) } })
}

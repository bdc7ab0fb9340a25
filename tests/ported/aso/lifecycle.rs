//! Which functions of the author run, in which order, for which object.

use std::time::Duration;

use evenkeel_tests::recording_client::{Call, Fault};
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::script::{End, end};
use crate::stage::{AT_ONCE, FINALIZER, LONG, Outside, Stage, annotations};

const OURS: &str = "ours";

pub(super) async fn adapter(given: Value) -> Value {
    let mut stage = Stage::new().await;
    if given["exists"] != false {
        prepare(&mut stage, &given).await;
    } else {
        stage.operate(|operator| operator.operator_namespace(OURS));
        stage.settle().await;
        // Triggers a pass for a deleted object.
        stage.trigger();
    }
    stage.settle().await;
    let (calls, writes) = (stage.calls(), stage.writes());
    let object = stage.object().await;
    let held = object["metadata"]["finalizers"].as_array().is_some_and(|all| all.iter().any(|one| one == FINALIZER));
    let ready = stage.ready().await;
    let events = stage.world.events("x").await;
    let event = events.last().map_or(Value::Null, |event| json!({ "type": event.type_, "reason": event.reason }));
    let next = next(&stage).await;
    let failed = ready["status"] == "False" || calls.is_empty() || !calls.iter().any(|call| call.contains("commit"));
    let repeated = !calls.iter().any(|call| call == "create_or_update") || end(&given["create_or_update"]).is_wrong();
    let retried = next.is_some_and(|after| after < Duration::from_secs(2)) && (failed || repeated);
    json!({
        "calls_in_order": calls,
        "result": result(next, &given["create_or_update"]),
        "error_to_runtime": if retried { "retry" } else { "none" },
        "our_finalizer_after": held,
        "no_writes": writes == 0,
        "writes": if writes == 0 { json!(0) } else { json!("one status write") },
        "ready": ready,
        "event": event,
    })
}

/// Creates the object of the case, starts the operator, and sets the outcomes of its functions.
async fn prepare(stage: &mut Stage, given: &Value) {
    let ours = |value: &Value| if value == "ours" { json!(OURS) } else { value.clone() };
    let mut annotations = annotations(&given["policy"], &ours(&given["operator_namespace"]));
    let (deleting, held) = (given["deleting"] == true, given["our_finalizer"] == true);
    let foreign = given["foreign_finalizers"].as_array().cloned().unwrap_or_default();
    let mut finalizers = foreign;
    finalizers.extend(held.then(|| json!(FINALIZER)));
    if deleting && finalizers.is_empty() {
        // Without a finalizer it would be gone.
        finalizers.push(json!("x/y"));
    }
    let is_known = !deleting && held;
    if is_known {
        annotations["evenkeel.dev/operator-namespace"] = OURS.into();
    }
    stage.create(json!({ "annotations": annotations, "finalizers": finalizers }), json!({})).await;
    if deleting {
        stage.delete().await;
    }
    if is_known {
        stage.operate(|operator| operator.operator_namespace(OURS));
        tokio::time::sleep(Duration::from_secs(60)).await;
        stage.world.wire.clear();
        stage.script.lock().notes.clear();
    }
    follow(stage, given);
    match is_known {
        true => stage.trigger(),
        false => stage.operate(|operator| operator.operator_namespace(OURS)),
    }
}

/// Sets the outcomes of the functions and the server.
fn follow(stage: &Stage, given: &Value) {
    let mut script = stage.script.lock();
    (script.claim, script.create) = (end(&given["claim"]), end(&given["create_or_update"]));
    (script.look, script.delete) = (end(&given["update_status"]), end(&given["delete"]));
    for call in ["persist_finalizer", "remove_finalizer"] {
        let Some(error) = given[call]["error"].as_str() else { continue };
        let code = match error {
            "Conflict" => 409,
            "NotFound" => 404,
            _ => 500,
        };
        let is_it = |call: &Call| call.is_write() && call.path.ends_with("/outsides/x") && call.method == "PATCH";
        let api = stage.world.api::<Outside>();
        stage.world.wire.fault(move |call| {
            if is_it(call) && code == 404 {
                // It is deleted before the write arrives.
                let api = api.clone();
                tokio::spawn(async move {
                    let nothing = Patch::Merge(json!({ "metadata": { "finalizers": [] } }));
                    api.patch("x", &PatchParams::default(), &nothing).await.unwrap();
                });
            }
            is_it(call).then_some(Fault::Answer(code, None))
        });
    }
}

/// The delay until it runs again; `None`: only on a trigger.
async fn next(stage: &Stage) -> Option<Duration> {
    let count = || stage.script.lock().notes.len() + stage.writes();
    let (before, start) = (count(), tokio::time::Instant::now());
    while start.elapsed() < LONG {
        tokio::time::sleep(AT_ONCE).await;
        if count() != before {
            return Some(start.elapsed());
        }
    }
    None
}

fn result(next: Option<Duration>, wanted: &Value) -> Value {
    match (next, wanted.is_object() && wanted["result"].is_null()) {
        (None, true) => "from create_or_update".into(),
        (None, false) => "done".into(),
        (Some(after), _) => format!("requeue_after {}s", after.as_secs_f64().round()).into(),
    }
}

impl End {
    fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_))
    }
}

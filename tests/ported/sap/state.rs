//! The state of a component, its condition Ready, and its next pass.

use std::time::Duration;

use evenkeel::{Class, Retry};
use serde_json::{Value, json};

use super::lab::{Lab, of_definition, of_map};
use crate::script::Wrong;

/// The pause after an error that names none, where a case does not say it.
const RETRY: f64 = 600.0;
/// The pause before the next pass of a reconciler that declares none, which each object has up to five percent sooner or later.
const HOUR: f64 = 3600.0;
/// Long enough for several retries.
const LONG: Duration = Duration::from_secs(8000);

/// The state, in the words of the original.
pub(super) async fn state_of(lab: &Lab, name: &str) -> &'static str {
    let component = lab.component(name).await;
    let ready = lab.condition(name, "Ready").await;
    let reason = ready["reason"].as_str().unwrap_or_default();
    let events = lab.world.events(name).await;
    let event = events.iter().rev().find(|event| event.reason.as_deref() == Some(reason));
    let has_failed = event.and_then(|event| event.type_.as_deref()) == Some("Warning");
    let is_deleted = component["metadata"]["deletionTimestamp"].is_string();
    match (ready["status"].as_str(), reason) {
        (Some("True"), _) => "Ready",
        (Some("False"), "DependentsTimedOut") => "Error",
        (Some("False"), _) if has_failed => "Error",
        (Some("False"), "Retrying") if is_deleted => "DeletionPending",
        (Some("False"), "Retrying") => "Pending",
        (Some("False"), _) if is_deleted => "Deleting",
        (Some("False"), _) => "Processing",
        (status, _) => panic!("no state for {status:?}"),
    }
}

/// The reason, in the words of the original, which has others for the time of the deletion.
pub(super) async fn reason_of(lab: &Lab, is_deleted: bool) -> String {
    let ready = lab.reason("x", "Ready").await;
    match &*ready {
        "Succeeded" => "Ready",
        "DependentsProgressing" if is_deleted => "DeletionProcessing",
        "DependentsProgressing" => "Processing",
        "DependentsTimedOut" => "Timeout",
        "Retrying" if is_deleted => "DeletionRetrying",
        _ => return ready,
    }
    .to_owned()
}

/// The error of the author's function.
fn error(given: &Value) -> Option<Wrong> {
    let error = given["error"].as_str()?;
    if error == "other" {
        return Some(Wrong::new(Class::Transient, "Error", "as the case says"));
    }
    assert!(["retriable", "wraps retriable"].contains(&error), "no adapter has the error {error}");
    let seconds = |key: &str| given.get(key).map(Value::as_f64);
    let after = seconds("retry_after_s").flatten().or(seconds("retry_interval_s").unwrap_or(Some(RETRY)));
    let class = Class::Waiting { poll: after.map(Duration::from_secs_f64) };
    // Without a time it is retried when the reconciler runs again.
    let retry = if after.is_none() { Retry::VerySlow } else { Retry::Slow };
    Some(Wrong::new(class, "Retrying", "as the case says").retried(retry))
}

/// Whether the set of the case has an object that is not ready at once.
fn has_foo(given: &Value) -> bool {
    given["apply"].is_string() || given["processing_for_s"].is_u64() || given["suspended"] == true
}

pub(super) async fn adapter(given: Value) -> Value {
    let mut lab = Lab::new().await;
    let mut spec = of_map("wanted", &json!({}));
    if has_foo(&given) {
        spec = json!({ "objects": [{ "kind": "Foo", "name": "foo" }] });
    } else if given["deletion_allowed"] == false {
        spec = of_definition();
    }
    spec["requeue"] = given["requeue_interval_s"].clone();
    spec["timeout"] = given["timeout_s"].clone();
    lab.create(json!({ "name": "x" }), spec).await;
    lab.operate();
    lab.settle().await;
    reach(&mut lab, &given).await;
    observe(&lab, &given).await
}

/// Brings the component to the state of the case, and makes happen what the case says.
async fn reach(lab: &mut Lab, given: &Value) {
    let is_deleted = given["deleting"] == true;
    if given["previous"] == "Ready" {
        lab.set_ready("foo", "True").await;
        assert!(lab.is_ready("x").await);
    }
    if let Some(seconds) = given["processing_for_s"].as_u64() {
        // What follows takes two seconds, and so does what came before.
        tokio::time::sleep(Duration::from_secs(seconds.saturating_sub(4))).await;
    }
    if given["suspended"] == true {
        lab.hold_foo().await;
        lab.change("x", json!({ "spec": { "suspend": true } })).await;
    }
    if given["deletion_allowed"] == false {
        lab.create_foreign_instance().await;
    }
    if let Some(error) = error(given) {
        lab.plot.fail(if is_deleted { "pre-delete" } else { "install" }, error);
        if !is_deleted {
            lab.change("x", json!({ "spec": { "objects": [{ "kind": "Foo", "name": "foo", "content": "changed" }] } }))
                .await;
        }
    }
    match given["apply"].as_str() {
        Some("done") => lab.set_ready("foo", "True").await,
        Some(_) => lab.set_ready("foo", "False").await,
        None => {}
    }
    if given["component_digest"] == "changed" {
        lab.change("x", json!({ "spec": of_map("changed", &json!({})) })).await;
    }
    if is_deleted {
        lab.delete("x").await;
    }
}

async fn observe(lab: &Lab, given: &Value) -> Value {
    if lab.component("x").await.is_null() {
        return json!({ "finalizer_removed": true, "status_written_after": lab.is_status_written_after() });
    }
    let is_deleted = given["deleting"] == true;
    let (state, reason) = (state_of(lab, "x").await, reason_of(lab, is_deleted).await);
    let status = lab.condition("x", "Ready").await["status"].clone();
    let set = lab.component("x").await["status"]["dependents"]["component/install"].clone();
    let pauses = next(lab).await;
    let (requeue, is_retried) = match &pauses[..] {
        // The last pass is the one at which the set is late.
        all if all.iter().sum::<f64>() < LONG.as_secs_f64() / 2.0 => ("on a change".to_owned(), false),
        [first, second, ..] if state == "Error" && *second > 1.4 * first => ("runtime backoff".to_owned(), true),
        [.., last] if (last - RETRY).abs() < 0.5 => ("retry interval".to_owned(), false),
        [.., last] if (last - HOUR).abs() < 0.05 * HOUR => (format!("{HOUR}s (5%)"), false),
        all => (format!("{}s", all.last().unwrap().round()), false),
    };
    json!({
        "state": state,
        "ready_status": status,
        "reason": reason,
        "requeue": requeue,
        "error_to_runtime": if is_retried && state == "Error" { "passed on" } else { "none" },
        "processingSince": if set["ready"] == true { "cleared" } else { "kept" },
    })
}

/// The pauses between the next passes, in seconds, from the last one on.
pub(super) async fn next(lab: &Lab) -> Vec<f64> {
    let before = lab.count("post-read");
    tokio::time::sleep(LONG).await;
    lab.pauses("post-read").into_iter().skip(before - 1).collect()
}

//! Ready: when it changes, when its time changes, and how it shows an error.

use std::time::Duration;

use evenkeel::Class;
use evenkeel::prelude::*;
use evenkeel_tests::widget::condition;
use serde_json::{Value, json};

use crate::script::{End, Wrong, class};
use crate::stage::{Outside, Stage};

/// The outcome that leads to this Ready.
fn leads_to(given: &Value) -> End {
    let word = |key: &str| given[key].as_str();
    let reason = word("reason").unwrap_or("New");
    let severity = match word("state").or(word("severity")).filter(|text| !text.is_empty()) {
        Some(severity) => severity,
        None if given == "True" || word("status") == Some("True") => "True",
        None => "Unknown",
    };
    match severity {
        "True" => End::Changed(reason.to_owned()),
        "Unknown" => End::Unknown(Box::leak(reason.to_owned().into_boxed_str())),
        severity => End::Wrong(Wrong::new(class(severity), reason, word("message").unwrap_or("m"))),
    }
}

/// Runs one pass with this outcome; with a newer generation if there was one before.
async fn show(stage: &Stage, given: &Value, newer: bool) {
    stage.script.lock().create = leads_to(given);
    match newer {
        true => {
            stage.world.merge::<Outside>("x", json!({ "spec": { "size": 2 } })).await;
        }
        false => stage.trigger(),
    }
    stage.settle().await;
}

async fn start(old: &Value) -> Stage {
    let mut stage = Stage::new().await;
    stage.script.lock().create = leads_to(old);
    stage.create(json!({}), json!({})).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    stage
}

async fn ready(stage: &Stage) -> Value {
    condition(&stage.object().await, "Ready").cloned().unwrap_or_default()
}

/// Waits until the wall clock, which sets the times of conditions, shows a later second than this one, so that a changed time is visible.
/// No virtual time passes, so no retry runs.
fn pass_second(ready: &Value) {
    let then: jiff::Timestamp = ready["lastTransitionTime"].as_str().unwrap().parse().unwrap();
    while jiff::Timestamp::now().as_second() <= then.as_second() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn without_time(mut ready: Value) -> Value {
    ready.as_object_mut().unwrap().remove("lastTransitionTime");
    ready
}

pub(super) async fn overwritten(given: Value) -> Value {
    let (old, new) = (&given["old"], &given["new"]);
    if new["type"] == "Other" {
        // The other one is a condition of the author.
        let stage = start(&json!({ "state": "Info", "reason": "R" })).await;
        let (object, before) = (stage.object().await, ready(&stage).await);
        let both = condition(&object, "Ready").is_some() && condition(&object, "Allowed").is_some();
        return json!({ "overwrites": before["reason"] != "R", "both_present": both });
    }
    let stage =
        if old.is_null() { start(&json!({ "state": "Unknown", "reason": "None" })).await } else { start(old).await };
    let before = ready(&stage).await;
    if old == new {
        pass_second(&before);
    }
    show(&stage, new, !old.is_null() && old["gen"] != new["gen"]).await;
    let after = ready(&stage).await;
    let unchanged = before["lastTransitionTime"] == after["lastTransitionTime"];
    // Both successes look the same in Ready: the difference is in another status field.
    let made = stage.object().await["status"]["made"] == new["reason"];
    let changed = without_time(before) != without_time(after) || (new["state"] == "True" && made);
    json!({ "overwrites": changed, "transition_time": if unchanged { "kept" } else { "now" } })
}

pub(super) async fn transition(given: Value) -> Value {
    if given["old"].is_null() {
        let stage = start(&given["new"]).await;
        let at: jiff::Timestamp = ready(&stage).await["lastTransitionTime"].as_str().unwrap().parse().unwrap();
        let now = jiff::Timestamp::now();
        let is_now = now.duration_since(at).as_secs().abs() < 5;
        return json!({ "transition_time": if is_now { "now" } else { "then" } });
    }
    let stage = start(&given["old"]).await;
    let before = ready(&stage).await;
    pass_second(&before);
    show(&stage, &given["new"], true).await;
    let unchanged = before["lastTransitionTime"] == ready(&stage).await["lastTransitionTime"];
    json!({ "transition_time": if unchanged { "kept" } else { "now" } })
}

/// The error of a case, from its outermost type: an inner one counts if the outer one delegates.
fn wrong(given: &Value) -> Wrong {
    if given.is_string() {
        let text = given.as_str().unwrap();
        return if text == "NotFound" {
            ApiError::NotFound("it is gone".into()).into()
        } else {
            Wrong::new(Class::Transient, "Failed", text)
        };
    }
    if given["wrap"].is_string() {
        return wrong(&given["inner"]);
    }
    let retry = if given["retry"] == "very_slow" { evenkeel::Retry::VerySlow } else { evenkeel::Retry::Slow };
    let reason = given["reason"].as_str().unwrap();
    Wrong::new(class(given["severity"].as_str().unwrap()), reason, given["cause"].as_str().unwrap_or("boom"))
        .retried(retry)
}

/// The innermost error.
fn innermost(error: &Value) -> &Value {
    if error["wrap"].is_string() { innermost(&error["inner"]) } else { error }
}

pub(super) async fn error(given: Value) -> Value {
    let stage = start(&json!("True")).await;
    let show = async |error: &Value| {
        stage.script.lock().create = End::Wrong(wrong(error));
        stage.trigger();
        stage.settle().await;
        stage.ready().await
    };
    if given["a"].is_object() {
        show(&given["a"]).await;
        let events = stage.world.events("x").await.len();
        show(&given["b"]).await;
        return json!({ "is_same": stage.world.events("x").await.len() == events });
    }
    let error = &given["error"];
    let ready = show(error).await;
    let is_reported = ready["status"] == "False";
    let pauses = async {
        // Less than three quarters of an hour.
        tokio::time::sleep(Duration::from_secs(2600)).await;
        stage.script.pauses("create_or_update").len()
    };
    let retry = if pauses.await > 1 { "slow" } else { "very_slow" };
    json!({
        "found": innermost(error)["reason"].is_string() && innermost(error)["reason"] == ready["reason"],
        "message": ready["message"],
        "reason": ready["reason"],
        "ready_written": is_reported,
        "shown_as": ready,
        "retry": retry,
    })
}

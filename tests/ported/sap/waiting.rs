//! Errors that are retried after a time, references to other objects, and the delays between passes.

use std::time::Duration;

use evenkeel::Class;
use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Fault;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use super::lab::{Lab, is_dependent, of_map};
use super::state::state_of;
use crate::script::Wrong;

/// An error of another library.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Cause(String);

/// Errors as an author declares them.
#[derive(Debug, thiserror::Error, ReconcileError)]
enum RetriableError {
    /// Retried after this time.
    #[error("{cause}")]
    #[class(waiting(poll = self.after))]
    After {
        #[source]
        cause: Cause,
        after: Duration,
    },
    /// Retried when the reconciler runs again.
    #[error("{0}")]
    #[class(waiting(poll = requeue))]
    Plain(#[source] Cause),
}

/// An error in an error.
#[derive(Debug, thiserror::Error, ReconcileError)]
enum OuterError {
    #[error(transparent)]
    #[class(transparent)]
    Retriable(#[from] RetriableError),
}

impl RetriableError {
    fn new(text: &str, after: Option<Duration>) -> Self {
        let cause = Cause(text.to_owned());
        match after {
            Some(after) => Self::After { cause, after },
            None => Self::Plain(cause),
        }
    }
}

/// The class, the message and the source of an error: `E`, or `outer(retriable(inner))`.
pub(super) async fn error(given: Value) -> Value {
    let (text, after) = (given["error"].as_str().unwrap(), given["after_s"].as_u64().map(Duration::from_secs));
    let wrapped = text.split_once("(retriable(").map(|(_, inner)| inner.strip_suffix("))").unwrap());
    let inner = wrapped.unwrap_or(text);
    assert!(!inner.contains('('), "no adapter has the error {text}");
    let error = RetriableError::new(inner, after);
    let (class, message, source) = match wrapped {
        Some(_) => shown(&OuterError::from(error)),
        None => shown(&error),
    };
    let Class::Waiting { poll } = class else { panic!("it is not retried after a time: {class:?}") };
    json!({
        "message": message,
        "unwraps_to": source,
        "after_s": poll.map(|after| after.as_secs()),
        "found": true,
        "inner_found": source.is_some_and(|source| source == inner),
    })
}

fn shown<E: ReconcileError + std::error::Error>(error: &E) -> (Class, String, Option<String>) {
    (error.class(), error.to_string(), error.source().map(ToString::to_string))
}

/// A component that refers to a Secret.
pub(super) async fn reference(given: Value) -> Value {
    let lab = Lab::running().await;
    let mut spec = of_map("wanted", &json!({}));
    spec["reference"] = json!("s");
    let is_deleted = given["deleting"] == true;
    let has_content = is_deleted || given["reference"] == "content changed";
    if has_content {
        lab.store_secret("old").await;
    }
    lab.open("x", spec).await;
    let before = lab.component("x").await;
    if given["reference"] == "content changed" {
        lab.store_secret("new").await;
        lab.settle().await;
        let after = lab.component("x").await;
        assert!(lab.map("c").await["data"]["content"].as_str().unwrap().contains("bmV3"), "the content is applied");
        return json!({
            "reason": lab.reason("x", "Ready").await,
            "generation_changed": before["metadata"]["generation"] != after["metadata"]["generation"],
        });
    }
    if is_deleted {
        lab.world.delete::<Secret>("s").await;
        lab.delete("x").await;
        return json!({ "deletion_goes_on": lab.component("x").await.is_null() });
    }
    let runs = lab.count("install");
    tokio::time::sleep(Duration::from_secs(3600)).await;
    json!({
        "state": state_of(&lab, "x").await,
        "reason": lab.reason("x", "Ready").await,
        "requeue_s": (lab.count("install") > runs).then_some(3600),
    })
}

/// Passes of components that fail: each call is an item, and the activity is the reason of its error.
pub(super) async fn backoff(given: Value) -> Value {
    if let Some(calls) = given["calls"].as_array() {
        return json!({ "delays_ms": delays(calls, given["base_ms"].as_u64().unwrap()).await });
    }
    let lab = Lab::running().await;
    lab.open("x", json!({ "objects": [{ "kind": "Foo", "name": "foo" }] })).await;
    if given["inventory"] == "changed" {
        return json!({ "backoff": restarted(&lab).await });
    }
    let runs = lab.count("install");
    tokio::time::sleep(Duration::from_secs(300)).await;
    json!({ "max_delay_s": if lab.count("install") > runs { json!(300) } else { json!("none: changes are watched") } })
}

/// Runs the calls of each item, one after another, and returns the delay after each of them.
async fn delays(calls: &[Value], base: u64) -> Vec<Value> {
    let forgotten = |call: &Value| call.as_str()?.strip_prefix("forget ").map(ToOwned::to_owned);
    let item = |call: &Value| call[0].as_str().map(ToOwned::to_owned).or_else(|| forgotten(call));
    let mut delays = vec![Value::Null; calls.len()];
    let mut items: Vec<String> = calls.iter().filter_map(item).collect();
    items.sort();
    items.dedup();
    for name in items {
        let lab = Lab::running().await;
        let mut last = None;
        for (place, call) in calls.iter().enumerate().filter(|(_, call)| item(call).as_ref() == Some(&name)) {
            match call[1].as_str() {
                Some(activity) => lab.plot.fail("install", failure(activity)),
                None => lab.plot.lock().errors.clear(),
            }
            if last.is_none() {
                lab.apply_at_once(&name, of_map(&place.to_string(), &json!({}))).await;
            }
            let delay = lab.next_run("install").await;
            last.into_iter().for_each(|last: usize| delays[last] = json!(base * nominal(delay)));
            last = call[1].is_string().then_some(place);
        }
        if let Some(last) = last {
            delays[last] = json!(base * nominal(lab.next_run("install").await));
        }
    }
    delays
}

fn failure(activity: &str) -> Wrong {
    Wrong::new(Class::Transient, activity, "as the case says")
}

/// The step of the curve, in seconds: jitter shortens it by up to a quarter.
fn nominal(delay: f64) -> u64 {
    let step: u32 = (0..20).map(|power| 1 << power).find(|step| delay <= f64::from(*step) + 0.05).unwrap();
    assert!(delay >= 0.75 * f64::from(step) - 0.05, "a pause of {delay} s");
    u64::from(step)
}

/// The set changes while its calls fail.
async fn restarted(lab: &Lab) -> &'static str {
    lab.world.wire.fault(|call| is_dependent(call).then_some(Fault::Answer(500, None)));
    lab.apply_at_once("x", of_map("one", &json!({}))).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    lab.next_run("install").await;
    assert!(lab.next_run("install").await > 20.0, "the curve has grown");
    lab.apply_at_once("x", of_map("two", &json!({}))).await;
    lab.next_run("install").await;
    if lab.next_run("install").await < 2.0 { "starts again" } else { "goes on" }
}

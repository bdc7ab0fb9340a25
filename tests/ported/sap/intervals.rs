//! The pauses of a component without settings, and with some.

use std::time::Duration;

use evenkeel::{Class, Retry};
use serde_json::{Value, json};

use super::lab::{Lab, of_map};
use crate::script::Wrong;

/// Long enough for a second pause, whatever the interval.
const LONG: Duration = Duration::from_secs(8000);

fn seconds(given: &Value, key: &str) -> Option<f64> {
    given[key].as_f64()
}

pub(super) async fn adapter(given: Value) -> Value {
    // What the code of a component returns takes precedence over a field of its spec, as the author's function has both.
    let requeue = seconds(&given, "component_requeue_s").or(seconds(&given, "spec_requeue_s"));
    json!({
        "requeue_s": requeue_of(requeue).await,
        "retry_s": retry_of(requeue, seconds(&given, "retry_s")).await,
        "timeout_s": timeout_of(requeue, seconds(&given, "timeout_s")).await,
    })
}

fn spec(requeue: Option<f64>, mut spec: Value) -> Value {
    spec["requeue"] = json!(requeue.map(|seconds| seconds.round() as u64));
    spec
}

/// The interval of a component that is ready; null if nothing but a change triggers a pass.
async fn requeue_of(requeue: Option<f64>) -> Value {
    let lab = Lab::running().await;
    lab.open("x", spec(requeue, of_map("wanted", &json!({})))).await;
    tokio::time::sleep(LONG).await;
    nominal(&lab.pauses("install"), requeue)
}

/// The pause after an error that is retried after a time, with the time that is set, or without one.
async fn retry_of(requeue: Option<f64>, retry: Option<f64>) -> Value {
    let lab = Lab::running().await;
    let pace = if retry.is_some() { Retry::Slow } else { Retry::VerySlow };
    let class = Class::Waiting { poll: retry.map(Duration::from_secs_f64) };
    lab.plot.fail("install", Wrong::new(class, "Retrying", "as the case says").retried(pace));
    lab.open("x", spec(requeue, of_map("wanted", &json!({})))).await;
    tokio::time::sleep(LONG).await;
    nominal(&lab.pauses("install"), retry.or(requeue).or(Some(3600.0)))
}

/// The time after which a set that is not ready is late.
async fn timeout_of(requeue: Option<f64>, timeout: Option<f64>) -> Value {
    let lab = Lab::running().await;
    let mut late = spec(requeue, json!({ "objects": [{ "kind": "Foo", "name": "foo" }] }));
    late["timeout"] = json!(timeout.map(|seconds| seconds.round() as u64));
    let start = tokio::time::Instant::now();
    lab.open("x", late).await;
    while lab.reason("x", "Healthy").await != "DependentsTimedOut" {
        assert!(start.elapsed() < LONG, "it is never late");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    nominal(&[start.elapsed().as_secs_f64(); 2], timeout.or(Some(600.0)))
}

/// The last pause without its jitter of five percent; the first one has the phase of the object, which is not jitter.
fn nominal(pauses: &[f64], interval: Option<f64>) -> Value {
    let Some(pause) = pauses.get(1..).and_then(<[f64]>::last) else { return Value::Null };
    match interval {
        Some(interval) if (pause - interval).abs() <= 0.05 * interval => json!(interval.round() as u64),
        _ => json!(pause.round() as u64),
    }
}

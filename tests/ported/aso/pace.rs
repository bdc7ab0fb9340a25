//! The delay until the next attempt.

use std::path::Path;
use std::time::Duration;

use evenkeel::Class;
use evenkeel::Retry;
use evenkeel_tests::recording_client::Fault;
use serde_json::{Value, json};

use crate::script::{End, Wrong, class};
use crate::stage::{Outside, Stage};

fn wrong(retry: Retry) -> End {
    End::Wrong(Wrong::new(Class::Transient, "Failed", "m").retried(retry))
}

async fn start(spec: Value, end: End) -> Stage {
    let mut stage = Stage::new().await;
    stage.script.lock().create = end;
    stage.create(json!({}), spec).await;
    stage.operate(|operator| operator);
    stage
}

fn pauses(stage: &Stage, count: usize) -> Vec<f64> {
    stage.script.pauses("create_or_update").into_iter().take(count).collect()
}

/// The longest pause of an hour of attempts.
async fn longest(retry: Retry) -> f64 {
    let stage = start(json!({}), wrong(retry)).await;
    tokio::time::sleep(Duration::from_secs(7200)).await;
    stage.script.pauses("create_or_update").into_iter().fold(0.0, f64::max)
}

/// The relative difference between the shortest and the longest of a hundred resyncs of one object, rounded to a twentieth.
async fn jitter_of_syncs() -> f64 {
    let stage = start(json!({ "sync": 3600 }), End::Fine).await;
    tokio::time::sleep(Duration::from_secs(100 * 3600)).await;
    // The first one has the phase of the object, which is not jitter.
    let pauses: Vec<f64> = stage.script.pauses("create_or_update").into_iter().skip(1).collect();
    let (shortest, longest) =
        (pauses.iter().copied().fold(f64::MAX, f64::min), pauses.iter().copied().fold(0.0, f64::max));
    assert!(pauses.len() > 90, "{} resyncs in a hundred hours", pauses.len());
    ((1.0 - shortest / longest) * 20.0).round() / 20.0
}

/// Whether the derive refuses an error that is declared like this: a program with this code does not compile, with this message. (The tests
/// of the messages compile it.)
fn is_refused(attribute: &str) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/own/reconcile_error");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs = sources.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let program = programs.find(|path| std::fs::read_to_string(path).unwrap().contains(attribute));
    let program = program.unwrap_or_else(|| panic!("no program says {attribute}"));
    let words = std::fs::read_to_string(program.with_extension("stderr")).unwrap();
    words.starts_with("error: ") && words.contains(attribute)
}

/// Whether an error of this severity is handled as a programming error: its reason is not shown.
async fn is_mistaken(severity: &str) -> bool {
    let stage = start(json!({}), End::Wrong(Wrong::new(class(severity), "Postponed", "m"))).await;
    stage.settle().await;
    let ready = stage.ready().await;
    ready["severity"] != severity || ready["reason"] != "Postponed"
}

pub(super) async fn adapter(given: Value) -> Value {
    if let Some(sequence) = given["sequence"].as_array() {
        return sequenced(sequence.len()).await;
    }
    match (given["retry"].as_str(), given["severity"].as_str(), given["result"].as_str(), given["error"].as_str()) {
        (Some("fast"), ..) => {
            let stage = start(json!({}), wrong(Retry::Fast)).await;
            tokio::time::sleep(Duration::from_secs(300)).await;
            json!({ "requeue_after_s": pauses(&stage, 7) })
        }
        (Some("very_slow"), ..) => {
            let stage = start(json!({ "sync": given["base_s"] }), wrong(Retry::VerySlow)).await;
            tokio::time::sleep(Duration::from_secs(60)).await;
            json!({ "requeue_after_s_between": pauses(&stage, 1)[0] })
        }
        (Some(retry), ..) => json!({ "error": is_refused(&format!("#[class(transient, retry = \"{retry}\")]")) }),
        (_, Some(severity), ..) => json!({ "error": is_mistaken(severity).await }),
        (_, _, Some(result), _) => success(result).await,
        (.., Some(error)) => of_a_call(error).await,
        _ => {
            let round = |seconds: f64| {
                if seconds > 450.0 {
                    600
                } else if seconds > 22.0 {
                    30
                } else {
                    1
                }
            };
            let first = start(json!({}), wrong(Retry::Slow)).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            let stage = start(json!({}), End::Fine).await;
            tokio::time::sleep(Duration::from_secs(7200)).await;
            let rests = stage.script.pauses("create_or_update").is_empty();
            json!({
                "base_s": round(pauses(&first, 1)[0]),
                "fast_max_s": round(longest(Retry::Fast).await),
                "slow_max_s": round(longest(Retry::Slow).await),
                "sync_period_s": if rests { json!("never") } else { json!(3600) },
                "sync_jitter": jitter_of_syncs().await,
            })
        }
    }
}

/// Two failures, a success, a failure. The first resync has the phase of the object, so it comes at any time up to the interval. A retry
/// would come within 4 s for each object, so that of two objects the later resync counts.
async fn sequenced(tries: usize) -> Value {
    assert_eq!(tries, 4);
    let (one, other) = (of_sequence().await, of_sequence().await);
    let pauses = if one[2] < other[2] { other } else { one };
    let sync = if (5.0..6500.0).contains(&pauses[2]) { json!("sync") } else { json!(pauses[2]) };
    json!({ "requeue_after_s": [pauses[0], pauses[1], sync, pauses[3]] })
}

/// The pauses of one object.
async fn of_sequence() -> Vec<f64> {
    let stage = start(json!({ "sync": 6000 }), wrong(Retry::Fast)).await;
    tokio::time::sleep(Duration::from_millis(2200)).await;
    stage.script.lock().create = End::Fine;
    tokio::time::sleep(Duration::from_millis(1300)).await;
    stage.script.lock().create = wrong(Retry::Fast);
    tokio::time::sleep(Duration::from_secs(7000)).await;
    pauses(&stage, 4)
}

async fn success(result: &str) -> Value {
    let end = if result == "requeue" { End::Requeue(Duration::from_secs(7)) } else { End::Fine };
    let stage = start(json!({}), end).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    let pauses = pauses(&stage, 1);
    let again = pauses.first().is_some_and(|seconds| (6.9..7.1).contains(seconds));
    // A failure after the success counts as the first one.
    stage.script.lock().create = wrong(Retry::Fast);
    stage.trigger();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let first = stage.script.pauses("create_or_update").last().is_some_and(|seconds| *seconds <= 1.05);
    let shown = if again { "requeue (unchanged unless an override is configured)" } else { "empty" };
    json!({ "result": shown, "failures_after": u8::from(!first) })
}

/// The answer of the API server to the status write.
async fn of_a_call(error: &str) -> Value {
    let stage = start(json!({}), End::Fine).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    if error == "NotFound" {
        stage.script.lock().delete = End::Fine;
        stage.delete().await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let before = stage.script.lock().notes.len();
        stage.trigger();
        tokio::time::sleep(Duration::from_secs(60)).await;
        let quiet = stage.script.lock().notes.len() == before;
        return json!({ "error": null, "result": if quiet { "empty" } else { "again" }, "failures_after": 0 });
    }
    // Other writes come first, repeatedly.
    let mut left = 6;
    stage.world.wire.fault(move |call| {
        let strikes = call.is_status_write() && left > 0;
        left -= usize::from(strikes);
        strikes.then_some(Fault::Answer(409, None))
    });
    stage.world.merge::<Outside>("x", json!({ "spec": { "size": 3 } })).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let object = stage.object().await;
    let served = object["status"]["observedGeneration"] == object["metadata"]["generation"];
    json!({ "error": if served { "retried" } else { "lost" }, "failures": "none" })
}

//! The example of the seed: a service gets the spec, and the status has the generation that the service has.

use std::time::Duration;

use serde_json::{Value, json};

use super::kinds::{Policy, Record};
use super::lab::Lab;
use super::plot::End;
use super::watchers::{Fed, feed};

/// Both forms of a watcher do the same.
pub(super) async fn adapter(given: Value) -> Value {
    let as_methods = run(&given, true).await;
    if given["watcher"] != true {
        assert_eq!(run(&given, false).await, as_methods, "the two forms differ");
    }
    as_methods
}

fn start(lab: &mut Lab, has_methods: bool) {
    match has_methods {
        true => lab.operate::<Fed>(Fed(lab.plot.clone())),
        false => lab.operate::<feed>(lab.plot.clone()),
    }
}

async fn run(given: &Value, has_methods: bool) -> Value {
    let mut lab = Lab::new().await;
    start(&mut lab, has_methods);
    lab.create::<Record>("x").await;
    lab.settle().await;
    for generation in 2..=given["last_applied"].as_i64().unwrap_or(1) {
        lab.rewrite::<Record>(&generation.to_string()).await;
        lab.settle().await;
    }
    let is_next = given["generation"].as_i64().unwrap_or(1) > given["last_applied"].as_i64().unwrap_or(1);
    let fails = given["external"].as_str();
    lab.begin();
    if let Some(text) = fails {
        lab.plot.always("apply", End::error(text, Policy::default()));
    }
    lab.plot.lock().fails_status = given["status"] == "error";
    match (given["action"].as_str(), given["changed"].as_str()) {
        (Some("Deleted"), None) => lab.delete::<Record>().await,
        (Some("Created"), None) => {
            lab.stop().await;
            lab.begin();
            start(&mut lab, has_methods);
        }
        (Some("Updated") | None, None) if is_next || fails.is_some() => lab.rewrite::<Record>("next").await,
        (None, Some("labels")) => lab.label::<Record>().await,
        _ => panic!("{given}"),
    }
    found(&lab, given).await
}

async fn found(lab: &Lab, given: &Value) -> Value {
    lab.settle().await;
    let (calls, writes, error) = (lab.plot.methods(), lab.status_writes(), !lab.plot.error().is_null());
    let object = lab.object::<Record>().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    // A status write that fails is repeated.
    let error = error || lab.plot.lock().fails_status && lab.status_writes() > writes;
    lab.plot.lock().fails_status = false;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let repeated = lab.plot.count("apply") > calls.len();
    let after = lab.object::<Record>().await;
    let is_shown = after["status"]["lastApplied"] == after["metadata"]["generation"];
    assert!(given["status"] != "error" || is_shown, "{after:#}");
    json!({
        "external": calls,
        "status_write": writes > 0,
        "status.last_applied": object["status"]["lastApplied"],
        "error": error,
        "next_pass": if repeated { "applies again (must be idempotent)" } else { "writes the status only" },
        "delay": delay(&lab.plot.pauses()),
    })
}

/// Whether the pauses are those of the curve of failures: a second, and twice as long each time.
fn delay(pauses: &[f64]) -> &'static str {
    let curve = pauses.iter().take(4).zip([1.0, 2.0, 4.0, 8.0]);
    let follows = pauses.len() > 4 && curve.clone().all(|(pause, most)| (0.74 * most..=most + 0.1).contains(pause));
    if follows { "the controller's retry policy" } else { "another one" }
}

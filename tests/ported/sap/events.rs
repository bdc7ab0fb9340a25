//! The events of a component: their types, and which of them are sent.

use std::time::Duration;

use evenkeel::Class;
use evenkeel_tests::recording_client::Call;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::lab::{Lab, of_map};
use crate::script::Wrong;

/// The time between two passes, where a case does not say when they are.
const PAUSE: f64 = 5.0;

fn wrong(text: &str) -> Wrong {
    Wrong::new(Class::Stalled, text, text)
}

pub(super) async fn adapter(given: Value) -> Value {
    if let Some(state) = given["state"].as_str() {
        return json!({ "type": type_in(state).await });
    }
    let texts = given["emit"].as_array().cloned();
    let times: Vec<f64> = match given["emit_at_s"].as_array() {
        Some(times) => times.iter().map(|at| at.as_f64().unwrap()).collect(),
        None => {
            (0..texts.as_ref().unwrap().len()).map(|place| PAUSE * f64::from(u32::try_from(place).unwrap())).collect()
        }
    };
    let texts = texts.unwrap_or_else(|| vec![json!("A"); times.len()]);
    let (lab, start) = (Lab::running().await, Instant::now());
    let (mut sent, mut sent_at) = (Vec::new(), Vec::new());
    for (text, at) in texts.iter().zip(times) {
        tokio::time::sleep_until(start + Duration::from_secs_f64(at)).await;
        if emit(&lab, text.as_str().unwrap()).await {
            sent.push(text.clone());
            sent_at.push(if at.fract() == 0.0 { json!(at as u64) } else { json!(at) });
        }
    }
    json!({ "sent": sent, "sent_at_s": sent_at })
}

/// A pass that fails with `text`, or `text@component`. Returns whether it sent an event.
async fn emit(lab: &Lab, text: &str) -> bool {
    let (text, component) = text.split_once('@').unwrap_or((text, "x"));
    let sent = || lab.world.wire.count(|call: &Call| call.is_event() && call.is_write());
    let (before, runs) = (sent(), lab.count("install"));
    lab.plot.fail("install", wrong(text));
    lab.apply_at_once(component, of_map(&runs.to_string(), &json!({}))).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(lab.count("install") > runs, "no pass within 300 ms");
    sent() > before
}

/// The type of the events of a component in a state.
async fn type_in(state: &str) -> String {
    let lab = Lab::running().await;
    match state {
        "Error" => {
            lab.plot.fail("install", wrong("Broken"));
            lab.open("x", of_map("wanted", &json!({}))).await;
        }
        "any other" => {
            lab.open("x", json!({ "objects": [{ "kind": "Foo", "name": "foo" }] })).await;
            lab.set_ready("foo", "True").await;
            assert!(lab.is_ready("x").await);
        }
        other => panic!("no adapter for the state {other}"),
    }
    let types = lab.world.events("x").await.into_iter().filter_map(|event| event.type_);
    let mut types: Vec<String> = types.collect();
    types.dedup();
    types.join(", ")
}

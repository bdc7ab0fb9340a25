//! The requests that add, replace and remove finalizers.

use std::time::Duration;

use serde_json::{Value, json};

use super::kinds::Foreign;
use super::lab::Lab;
use super::watchers::Held;

pub(super) async fn adapter(given: Value) -> Value {
    let mut lab = Lab::new().await;
    match (&given["add"], &given["remove"], &given["replace"]) {
        (Value::Null, Value::String(_), Value::Null) => {
            lab.create_held::<Foreign>(&given["finalizers"]).await;
            lab.delete::<Foreign>().await;
        }
        (Value::String(_), Value::Null, Value::Null) | (Value::Null, Value::Null, Value::Array(_)) => {
            lab.create_held::<Foreign>(&given["finalizers"]).await;
        }
        (Value::Null, Value::Null, Value::Null) => lab.create::<Foreign>("x").await,
        _ => panic!("{given}"),
    }
    lab.plot.lock().answer = match given["patch"].as_str() {
        None => 0,
        Some("conflict for ever") => 409,
        Some(code) => code.parse().unwrap(),
    };
    lab.operate::<Held>(Held(lab.plot.clone()));
    lab.settle().await;
    let attempts = lab.plot.lock().attempts.clone();
    let body = attempts.first().map(|attempt| attempt.body.clone());
    json!({
        "patch": body.as_ref().map(|body| form(body)),
        "guarded_by_resource_version": body.is_some_and(|body| body["metadata"]["resourceVersion"].is_string()),
        "finalizers_after": lab.held::<Foreign>().await,
        "attempts": attempts_until_the_end(&lab, attempts.len()).await,
        "error": lab.plot.lock().attempts.iter().find_map(refusal),
    })
}

/// The way in which the request writes the list.
fn form(body: &Value) -> &'static str {
    match body["metadata"]["finalizers"].as_array() {
        Some(list) if !list.is_empty() => "add list",
        _ => "another one",
    }
}

/// The number of requests before the first pause; no number if there is no end of them.
async fn attempts_until_the_end(lab: &Lab, first: usize) -> Value {
    let count = || lab.plot.lock().attempts.len();
    let is_conflict = lab.plot.lock().answer == 409;
    tokio::time::sleep(Duration::from_secs(600)).await;
    let middle = count();
    tokio::time::sleep(Duration::from_secs(600)).await;
    if is_conflict && count() > middle { json!("no limit") } else { json!(first) }
}

/// The error that ended the first try. A conflict is none.
fn refusal(attempt: &super::plot::Attempt) -> Option<String> {
    attempt.refused.filter(|code| *code != 409).map(|code| code.to_string())
}

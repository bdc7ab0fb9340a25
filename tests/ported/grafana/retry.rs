//! When a failed call is repeated, and what one try hands to the next.

use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::SOON;
use serde_json::{Value, json};

use super::kinds::{Policy, Record};
use super::lab::Lab;
use super::plot::{End, whole};
use super::watchers::{Kept, Paced, records};

pub(super) async fn adapter(given: Value) -> Value {
    if let Some(policy) = given["policy"].as_str() {
        return limited(policy).await;
    }
    if let Some(fails) = given["fails"].as_u64() {
        let fails = usize::try_from(fails).unwrap();
        return json!({ "calls_total": sequence(vec![End::error("E", Policy::Upstream); fails]).await.plot.calls().len() });
    }
    if let Some(ends) = given["reconciler"].as_array() {
        return reconciled(ends).await;
    }
    if let Some(ends) = given["watcher"].as_array() {
        return json!({ "watcher_errors_total{event_type=CREATE}": counted_errors(ends, true).await });
    }
    match (given["call"].as_str(), given["event"].as_str()) {
        (Some("first"), None) => {
            let lab = sequence(Vec::new()).await;
            json!({ "state": lab.plot.calls()[0].state })
        }
        (None, Some("restart")) => json!({ "state": state_after_restart().await }),
        (None, Some("restart with a pending retry")) => json!({ "retry": pending_after_restart().await }),
        _ => panic!("{given}"),
    }
}

/// The policy of a case: `while attempt<3`, or that of an author.
pub(super) fn policy(text: &str) -> Policy {
    match text.strip_prefix("while attempt<") {
        Some(most) => Policy::UpTo(most.parse().unwrap()),
        None if text == "default" => Policy::Upstream,
        None if text == "never" => Policy::UpTo(0),
        None => panic!("{text}"),
    }
}

/// An `add` that always fails.
async fn limited(text: &str) -> Value {
    let mut lab = Lab::new().await;
    lab.plot.always("add", End::error("E", policy(text)));
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(700)).await;
    let ready = evenkeel_tests::widget::condition(&lab.object::<Record>().await, "Ready").cloned().unwrap();
    json!({
        "delays_s": lab.plot.pauses(),
        "then": if ready["reason"] == "GaveUp" { "given up" } else { "again" },
        "calls_total": lab.plot.calls().len(),
    })
}

/// The calls of a function that ends like this, one after the other, in a minute.
async fn sequence(ends: Vec<End>) -> Lab {
    let mut lab = Lab::new().await;
    lab.plot.next("CREATE", ends);
    lab.operate::<records>(lab.plot.clone());
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    lab
}

async fn reconciled(ends: &[Value]) -> Value {
    let lab = sequence(ends.iter().map(End::of).collect()).await;
    let (calls, errors) = (lab.plot.calls(), lab.plot.errors());
    json!({
        "calls_total": calls.len(),
        "delay_s": lab.plot.pauses().first().map(|pause| whole(pause.ceil())),
        "error_handler_calls": errors,
        "error_metric": errors,
        "second_call_state": calls.get(1).map(|call| call.state.clone()),
        "reconciler_errors_total{event_type=CREATE}": counted_errors(ends, false).await,
    })
}

/// The failed calls for a new object, as the metrics count them by event. The calls end like this, one after the other.
async fn counted_errors(ends: &[Value], has_methods: bool) -> u64 {
    let mut lab = Lab::new().await;
    for method in ["add", "CREATE"] {
        lab.plot.next(method, ends.iter().map(End::of));
    }
    let operator = match has_methods {
        true => lab.prepare::<Kept>(Kept(lab.plot.clone())),
        false => lab.prepare::<records>(lab.plot.clone()),
    };
    let grown = lab.counted(operator, "evenkeel_watcher_calls_total", async |lab| {
        lab.create::<Record>("x").await;
        lab.settle().await;
    });
    let is_failure = |name: &String| name.contains("event=\"add\"") && !name.contains("result=\"success\"");
    grown.await.into_iter().filter(|(name, _)| is_failure(name)).map(|(_, count)| whole(count)).sum()
}

async fn state_after_restart() -> Value {
    let mut lab = Lab::new().await;
    lab.plot.always("CREATE", End::of(&json!({ "error": "E", "state": { "k": 1 } })));
    lab.operate::<records>(lab.plot.clone());
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(lab.plot.calls().last().unwrap().state, json!({ "k": 1 }), "without a restart");
    lab.stop().await;
    lab.begin();
    lab.operate::<records>(lab.plot.clone());
    lab.settle().await;
    lab.plot.calls()[0].state.clone()
}

async fn pending_after_restart() -> String {
    let mut lab = Lab::new().await;
    lab.plot.next("add", [End::error("E", Policy::After(Duration::from_secs(100)))]);
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    lab.stop().await;
    lab.begin();
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    eventually(SOON, || async { (!lab.plot.calls().is_empty()).then_some(()) }).await;
    let listed = lab.plot.calls().len();
    tokio::time::sleep(Duration::from_secs(150)).await;
    let retry = if lab.plot.calls().len() == listed { "gone" } else { "there" };
    format!("{retry}; the initial list brings the object back")
}

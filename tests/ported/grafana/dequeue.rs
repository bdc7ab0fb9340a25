//! Whether a new event replaces a pending retry. There is no policy for it: an object has one retry, and its newest version counts.

use std::time::Duration;

use evenkeel::{ReconciledKind, Watcher};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::kinds::{Policy, Record};
use super::lab::Lab;
use super::plot::{End, Plot};
use super::watchers::{Paced, Unfiltered};

/// The pause before the pending retry.
const PAUSE: Duration = Duration::from_secs(100);

pub(super) async fn adapter(given: Value) -> Value {
    if given["pending"] == "executing for 500ms" {
        assert_eq!(given["new"], "DELETE");
        return json!({ "cancel_returns_within_ms": returns_within().await });
    }
    if given["add_fails"] == "always" {
        return repeated(given["update_fails"] == "always").await;
    }
    let (pending, new) = (&given["pending"], &given["new"]);
    // `on(..)` is what says which events replace a retry. Without it each change of the object counts, that of a label as well.
    if given.get("policy").is_some_and(Value::is_null) {
        return json!({ "cancelled": is_cancelled(Unfiltered, pending, new, false).await });
    }
    let is_other = given["new_obj"]["generation"] != given["pending_obj"]["generation"];
    json!({ "cancelled": is_cancelled(Paced, pending, new, is_other).await })
}

/// Whether the pending retry of a call does not run at its time after a new event.
pub(super) async fn is_cancelled<W>(
    watcher: fn(Plot) -> W,
    pending: &Value,
    new: &Value,
    is_other_generation: bool,
) -> bool
where
    W: Watcher<Object: ReconciledKind> + Into<W::Deps>,
{
    let mut lab = Lab::new().await;
    let method = match pending.as_str().unwrap() {
        "CREATE" => "add",
        "UPDATE" => "update",
        other => panic!("{other}"),
    };
    lab.plot.next(method, [End::error("E", Policy::After(PAUSE))]);
    lab.operate::<W>(watcher(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    if method == "update" {
        lab.rewrite::<Record>("two").await;
        lab.settle().await;
    }
    let failed = lab.plot.calls().last().cloned().unwrap();
    assert_eq!(failed.method, method);
    match (new.as_str().unwrap(), is_other_generation) {
        ("DELETE", _) => lab.delete::<Record>().await,
        ("UPDATE", true) => lab.rewrite::<Record>("three").await,
        ("UPDATE", false) => lab.label::<Record>().await,
        other => panic!("{other:?}"),
    }
    tokio::time::sleep(2 * PAUSE).await;
    let due = failed.at + PAUSE.mul_f64(0.7);
    !lab.plot.calls().iter().any(|call| call.method == method && call.at > due)
}

/// The calls that are repeated if `add` always fails, and an update follows.
async fn repeated(update_fails: bool) -> Value {
    let mut lab = Lab::new().await;
    let fails = || End::error("E", Policy::After(Duration::from_secs(5)));
    lab.plot.always("add", fails());
    if update_fails {
        lab.plot.always("update", fails());
    }
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    lab.rewrite::<Record>("two").await;
    lab.settle().await;
    lab.begin();
    tokio::time::sleep(Duration::from_secs(60)).await;
    json!({ "add_retried": lab.plot.count("add") > 1, "update_retried": lab.plot.count("update") > 1 })
}

/// The time until an event is handled while a retry of another object runs for half a second: 50 ms, or more.
async fn returns_within() -> u128 {
    let mut lab = Lab::new().await;
    lab.plot.next("add", [End::error("E", Policy::After(Duration::from_secs(5)))]);
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    lab.plot.lock().takes.insert("x".into(), Duration::from_millis(500));
    while lab.plot.calls().len() < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let start = Instant::now();
    lab.delete::<Record>().await;
    lab.create::<Record>("y").await;
    while lab.plot.calls_of("y").is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    start.elapsed().as_millis().max(50)
}

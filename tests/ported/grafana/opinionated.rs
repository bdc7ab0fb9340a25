//! A watcher that is one function, with a finalizer: which event it gets, and what is written.

use std::time::Duration;

use serde_json::{Value, json};

use super::kinds::Record;
use super::lab::Lab;
use super::plot::{End, whole};
use super::watchers::records;
use super::without_functions;

pub(super) async fn adapter(given: Value) -> Value {
    if given.get("inner").is_some_and(Value::is_null) {
        return without_functions();
    }
    let mut lab = Lab::new().await;
    let (deleting, is_new) = (given["deleting"] == true, given["finalizers"] == json!([]));
    match (given["action"].as_str().unwrap(), is_new) {
        ("Created", true) => {
            lab.create::<Record>("x").await;
            follow(&lab, &given);
            lab.operate::<records>(lab.plot.clone());
        }
        ("Created", false) => {
            known(&mut lab).await;
            lab.stop().await;
            if deleting {
                lab.delete::<Record>().await;
            }
            follow(&lab, &given);
            lab.operate::<records>(lab.plot.clone());
        }
        ("Updated", false) => {
            known(&mut lab).await;
            if given["state_in"] == "remove pending" {
                lab.plot.lock().answer = 500;
                lab.delete::<Record>().await;
                lab.settle().await;
            }
            follow(&lab, &given);
            match (deleting, given["state_in"].is_string()) {
                (false, _) => lab.rewrite::<Record>("two").await,
                (true, false) => lab.delete::<Record>().await,
                (true, true) => tokio::time::sleep(Duration::from_secs(2)).await,
            }
        }
        ("Deleted", false) => {
            known(&mut lab).await;
            release(&lab).await;
        }
        other => panic!("{other:?}"),
    }
    found(&lab, deleting).await
}

/// An object that an operator has added.
async fn known(lab: &mut Lab) {
    lab.operate::<records>(lab.plot.clone());
    lab.create::<Record>("x").await;
    lab.settle().await;
    assert_eq!(lab.plot.methods(), ["CREATE"]);
}

/// The object is deleted; another client had held it.
async fn release(lab: &Lab) {
    let finalizers = json!({ "metadata": { "finalizers": ["example.com/ours", "example.com/hold"] } });
    lab.world.merge::<Record>("x", finalizers).await;
    lab.delete::<Record>().await;
    lab.settle().await;
    assert_eq!(lab.plot.methods(), ["CREATE", "DELETE"]);
    assert_eq!(lab.held::<Record>().await, ["hold"]);
    lab.begin();
    lab.world.merge::<Record>("x", json!({ "metadata": { "finalizers": null } })).await;
}

/// Sets the outcome of the function and of the writes of finalizers.
fn follow(lab: &Lab, given: &Value) {
    lab.begin();
    for method in ["CREATE", "UPDATE", "RESYNC", "DELETE"] {
        let end = End::of(&given["inner"]);
        match given["inner"]["error"].is_string() {
            true => lab.plot.always(method, end),
            false => lab.plot.next(method, [end]),
        }
    }
    lab.plot.lock().answer = if given["patch"] == "error" { 500 } else { 0 };
}

async fn found(lab: &Lab, deleting: bool) -> Value {
    lab.settle().await;
    let first = lab.plot.calls().into_iter().next();
    let called = first.as_ref().map(|call| action(call.method));
    let change = lab.plot.changes().iter().find_map(|change| change.strip_suffix(" ours").map(ToOwned::to_owned));
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (error, pauses) = (lab.plot.error(), lab.plot.pauses());
    let is_requeued = error.is_null() && !pauses.is_empty();
    // The writes succeed again.
    let before = lab.plot.calls().len();
    lab.plot.lock().answer = 0;
    tokio::time::sleep(Duration::from_secs(60)).await;
    if !deleting && !lab.object::<Record>().await.is_null() {
        lab.rewrite::<Record>("three").await;
        lab.settle().await;
    }
    let calls = lab.plot.calls();
    // The state that the next call got.
    let state = calls.get(before).map_or(Value::Null, |call| call.state.clone());
    let pending = if deleting { "remove pending" } else { "patch pending" };
    json!({
        "inner_called_with": called,
        "inner_called": called.is_some(),
        "finalizer_patch": change,
        "error": error,
        "result": { "state": state, "requeue_after_s": is_requeued.then(|| whole(pauses[0])) },
        "result_state_keeps": state,
        "result_state_marks": (calls.len() == before && before > 0).then_some(pending),
    })
}

/// The name of an event in the cases.
pub(super) fn action(event: &str) -> &'static str {
    match event {
        "CREATE" => "Created",
        "UPDATE" => "Updated",
        "RESYNC" => "Resynced",
        "DELETE" => "Deleted",
        other => panic!("{other}"),
    }
}

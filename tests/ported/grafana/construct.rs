//! Which watchers can be made, and how a watcher that is one function is called.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel_tests::test_env::Running;
use serde_json::{Value, json};

use super::kinds::{Policy, Record};
use super::lab::Lab;
use super::plot::{End, Plot};
use super::watchers::{Kept, Paced, Short, records};
use super::without_functions;

pub(super) async fn adapter(given: Value) -> Value {
    if let Some(length) = given["finalizer_length"].as_u64() {
        return json!({ "error": is_refused(usize::try_from(length).unwrap()).await });
    }
    if given.get("client").is_some() {
        let operator = Operator::new("tester").watcher::<Kept>(Kept(Plot::default()));
        // The operator makes its client when it starts.
        return json!({ "error": operator.introspect().is_empty() });
    }
    match (given["wrap"].as_str(), given["sync_to_add"] == true) {
        (Some("watcher"), true) => handlers().await,
        (None, false) if given.get("wrap").is_some() => json!({ "handlers": without_functions()["error"] }),
        (None, false) => names().await,
        _ => panic!("{given}"),
    }
}

/// Whether an operator is refused whose name, which is that of its finalizers, has this length.
async fn is_refused(length: usize) -> bool {
    let lab = Lab::new().await;
    let operator = Operator::new(&"a".repeat(length)).client(lab.world.client.clone());
    let operator = operator.namespaces([&*lab.world.namespace]).watcher::<Paced>(Paced(lab.plot.clone()));
    let running = Running::start(operator);
    lab.settle().await;
    running.stop().await.is_err()
}

/// The finalizers of a watcher that names none.
async fn names() -> Value {
    let mut lab = Lab::new().await;
    lab.plot.always("add", End::error("E", Policy::Upstream));
    lab.operate::<Short>(Short(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    let wip = lab.held::<Record>().await;
    lab.plot.lock().always.clear();
    tokio::time::sleep(Duration::from_secs(10)).await;
    let held = lab.held::<Record>().await;
    json!({ "finalizer": held[0], "in_progress": (wip != held).then(|| wip[0].clone()) })
}

/// The events that reach a method of a watcher without `sync`.
async fn handlers() -> Value {
    let mut lab = Lab::new().await;
    lab.operate::<Short>(Short(lab.plot.clone()));
    lab.create::<Record>("x").await;
    let add = called(&lab).await;
    lab.rewrite::<Record>("two").await;
    let update = called(&lab).await;
    lab.stop().await;
    lab.operate::<Short>(Short(lab.plot.clone()));
    let sync = called(&lab).await;
    lab.delete::<Record>().await;
    let delete = called(&lab).await;
    let all = [("add", &add), ("update", &update), ("delete", &delete), ("sync", &sync)];
    let handlers = all.iter().filter(|(_, method)| method.is_some()).map(|(event, _)| *event);
    json!({ "handlers": handlers.collect::<Vec<_>>(), "sync_calls": sync })
}

/// The method that was called for an event.
async fn called(lab: &Lab) -> Option<&'static str> {
    lab.settle().await;
    let methods = lab.plot.methods();
    lab.begin();
    methods.first().copied()
}

pub(super) async fn typed(given: Value) -> Value {
    match given["function"].as_str() {
        None => without_functions(),
        Some("error") => {
            let mut lab = Lab::new().await;
            lab.plot.always("CREATE", End::error("it rains", Policy::Upstream));
            lab.operate::<records>(lab.plot.clone());
            lab.create::<Record>("x").await;
            lab.settle().await;
            let error = lab.plot.error();
            json!({ "error": if error == "it rains" { json!("the same") } else { error } })
        }
        Some(_) => json!({ "called_with": called_with().await }),
    }
}

/// What the second try of a function gets.
async fn called_with() -> String {
    let mut lab = Lab::new().await;
    let state = json!({ "k": 1 });
    lab.plot.next("CREATE", [End::of(&json!({ "error": "E", "state": state }))]);
    lab.operate::<records>(lab.plot.clone());
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let calls = lab.plot.calls();
    let [first, second] = calls.as_slice() else { panic!("{calls:?}") };
    let mut same = Vec::new();
    same.extend((first.method == second.method).then_some("action"));
    same.extend((second.state == state).then_some("state"));
    let object = if second.text == "one" { "typed object" } else { "another object" };
    format!("{object}, same {}", same.join(" and "))
}

/// The word for an event.
pub(super) async fn actions(given: Value) -> Value {
    let mut lab = Lab::new().await;
    lab.operate::<records>(lab.plot.clone());
    lab.create::<Record>("x").await;
    lab.settle().await;
    match given["reconcile"].as_str().unwrap() {
        "Created" => {}
        "Resynced" => {
            lab.stop().await;
            lab.begin();
            lab.operate::<records>(lab.plot.clone());
        }
        "Deleted" => {
            lab.begin();
            lab.delete::<Record>().await;
        }
        other => panic!("{other}"),
    }
    lab.settle().await;
    let methods = lab.plot.methods();
    assert_eq!(methods.len(), 1, "{methods:?}");
    json!({ "resource": methods[0] })
}

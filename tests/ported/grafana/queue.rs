//! The queue of retries, and how many calls run at a time.

use std::time::Duration;

use evenkeel_tests::test_env::SOON;
use futures::channel::mpsc::unbounded;
use kube::runtime::reflector::ObjectRef;
use serde_json::{Value, json};

use super::kinds::{Policy, Record};
use super::lab::{Lab, NAMESPACE};
use super::plot::End;
use super::retry::policy;
use super::watchers::{Kept, Paced, records};

pub(super) async fn adapter(given: Value) -> Value {
    if let Some(ends) = given["run"].as_array() {
        let policy = given["policy"].as_str().map(policy);
        return json!({ "executions_total{result}": result(ends, policy).await });
    }
    if let Some(due) = given["due_in_ms"].as_u64() {
        let lab = failing(Policy::After(Duration::from_millis(due))).await;
        tokio::time::sleep(Duration::from_millis(given["look_at_ms"].as_u64().unwrap())).await;
        let executed = lab.plot.calls().len() - 1;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(lab.plot.calls().len() > 1, "it is due later");
        return json!({ "executed": executed });
    }
    if given["enqueued_attempt"].is_u64() {
        let lab = failing(policy(given["policy"].as_str().unwrap())).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        // The first call is that of the event; the queue makes the others.
        return json!({ "calls_total": lab.plot.calls().len() - 1 });
    }
    if let Some(times) = given["times"].as_u64() {
        return json!({ "shards_used": overlapping(times).await });
    }
    if given["threads"].is_string() {
        return json!({ "lost": lost().await });
    }
    json!({ "left": left(given["pending"].as_u64().unwrap()).await })
}

/// An object whose `add` has just failed for the first time.
async fn failing(policy: Policy) -> Lab {
    let mut lab = Lab::new().await;
    lab.plot.always("add", End::error("E", policy));
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    while lab.plot.calls().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    lab
}

/// The result of the retry of a function, as the metrics name it; the first call fails.
async fn result(ends: &[Value], policy: Option<Policy>) -> String {
    let mut lab = Lab::new().await;
    let error = |policy| End::error("E", policy);
    let first = error(Policy::After(Duration::from_secs(10)));
    let (method, retry) = if policy.is_some() { ("add", 10) } else { ("CREATE", 1) };
    lab.plot.next(method, [first]);
    lab.plot.next(
        method,
        ends.iter().map(|end| match (end.as_str(), policy) {
            (Some("error"), Some(policy)) => error(policy),
            _ => End::of(end),
        }),
    );
    let operator = match policy {
        Some(_) => lab.prepare::<Paced>(Paced(lab.plot.clone())),
        None => lab.prepare::<records>(lab.plot.clone()),
    };
    lab.create::<Record>("x").await;
    let grown = lab.counted(operator, "controller_runtime_reconcile_total", async |lab| {
        tokio::time::sleep(Duration::from_secs(retry)).await;
        assert_eq!(lab.plot.calls().len(), 2, "{:?}", lab.plot.calls());
    });
    let name = |name: String| match name.split("result=\"").nth(1).and_then(|rest| rest.split('"').next()) {
        Some("success") => "success".to_owned(),
        Some("error") => "failed".to_owned(),
        Some("requeue" | "requeue_after") => "requeue".to_owned(),
        other => panic!("{other:?}"),
    };
    let mut grown = grown.await;
    assert_eq!(grown.len(), 1, "{grown:?}");
    name(grown.remove(0).0)
}

/// The most calls of one object at a time, while it is triggered again and again.
async fn overlapping(times: u64) -> usize {
    let mut lab = Lab::new().await;
    lab.plot.lock().takes.insert("x".into(), Duration::from_secs(1));
    let (trigger, triggered) = unbounded();
    lab.run(lab.prepare::<Kept>(Kept(lab.plot.clone())).trigger::<Kept>(triggered));
    lab.create::<Record>("x").await;
    for _ in 0..times {
        trigger.unbounded_send(ObjectRef::new("x").within(NAMESPACE)).unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(SOON).await;
    lab.plot.lock().most_of_one
}

/// The objects without a call after many threads have triggered each of them.
async fn lost() -> usize {
    const OBJECTS: usize = 40;
    let mut lab = Lab::new().await;
    let (trigger, triggered) = unbounded();
    lab.run(lab.prepare::<Kept>(Kept(lab.plot.clone())).trigger::<Kept>(triggered));
    let names: Vec<String> = (0..OBJECTS).map(|at| format!("x{at}")).collect();
    for name in &names {
        lab.create::<Record>(name).await;
    }
    tokio::time::sleep(SOON).await;
    lab.begin();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (trigger, names) = (trigger.clone(), names.clone());
            std::thread::spawn(move || {
                for name in names {
                    trigger.unbounded_send(ObjectRef::new(&name).within(NAMESPACE)).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    tokio::time::sleep(SOON).await;
    names.iter().filter(|name| lab.plot.calls_of(name).is_empty()).count()
}

/// The retries after the object of this many failed updates is deleted.
async fn left(pending: u64) -> usize {
    let mut lab = Lab::new().await;
    lab.plot.always("update", End::error("E", Policy::After(Duration::from_secs(100))));
    lab.operate::<Paced>(Paced(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    for text in 0..pending {
        lab.rewrite::<Record>(&text.to_string()).await;
        lab.settle().await;
    }
    assert_eq!(lab.plot.count("update") as u64, pending);
    lab.begin();
    lab.delete::<Record>().await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    lab.plot.count("update")
}

pub(super) async fn concurrency(given: Value) -> Value {
    if let Some(events) = given["events"].as_array() {
        return json!({ "handled": handled(events).await });
    }
    match given["handler"].as_str() {
        Some("error") => {
            let mut called = true;
            for event in given["event"].as_str().unwrap().split('|') {
                called &= is_reported(event).await;
            }
            json!({ "error_handler_called": called })
        }
        None => json!({ "workers": most().await }),
        other => panic!("{other:?}"),
    }
}

/// The calls for events that arrive while the first one is being handled.
async fn handled(events: &[Value]) -> Vec<&'static str> {
    let mut lab = Lab::new().await;
    lab.plot.lock().takes.insert("x".into(), Duration::from_secs(10));
    lab.operate::<Kept>(Kept(lab.plot.clone()));
    for (at, event) in events.iter().enumerate() {
        match event.as_str().unwrap() {
            "add" => lab.create::<Record>("x").await,
            "update" => lab.rewrite::<Record>(&at.to_string()).await,
            "delete" => lab.delete::<Record>().await,
            other => panic!("{other}"),
        }
        lab.settle().await;
    }
    tokio::time::sleep(SOON).await;
    lab.plot.methods()
}

/// Whether an observer of the operator gets the error of the method.
async fn is_reported(event: &str) -> bool {
    let mut lab = Lab::new().await;
    for method in ["add", "update", "delete"].into_iter().filter(|method| *method == event) {
        lab.plot.next(method, [End::error("E", Policy::default())]);
    }
    lab.operate::<Kept>(Kept(lab.plot.clone()));
    lab.create::<Record>("x").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    lab.rewrite::<Record>("two").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    lab.delete::<Record>().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    lab.plot.lock().ended.iter().filter(|ended| ended.message == "E").count() == 1
}

/// The most calls at a time.
async fn most() -> usize {
    let mut lab = Lab::new().await;
    for at in 0..40 {
        lab.plot.lock().takes.insert(format!("x{at}"), Duration::from_secs(10));
        lab.create::<Record>(&format!("x{at}")).await;
    }
    lab.operate::<Kept>(Kept(lab.plot.clone()));
    tokio::time::sleep(Duration::from_secs(120)).await;
    lab.plot.lock().most
}

//! Several watchers of a kind, and what each of them gets for an event.

use std::collections::BTreeSet;
use std::time::Duration;

use evenkeel::Operator;
use serde_json::{Value, json};

use super::excluded;
use super::kinds::{Foreign, Policy, Record};
use super::lab::Lab;
use super::opinionated::action;
use super::plot::{End, Plot};
use super::watchers::{First, Held, Kept, Repeated, Second, Third, foreigns, records, repetitions};

pub(super) async fn adapter(given: Value) -> Value {
    if given.get("value").is_some() || given["kind"] == "" {
        return excluded();
    }
    if let Some(informers) = given["informers"].as_array() {
        return json!({ "w1_sees": sees(informers).await });
    }
    let names: Vec<&str> = given["add"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    match names.as_slice() {
        ["r1", "w1"] => json!({ "run_order": order().await }),
        // None can be removed.
        names => json!({ "run_order": ran(names).await }),
    }
}

/// An operator with these watchers.
fn with(lab: &Lab, names: &[&str]) -> Operator {
    let plot = || lab.plot.clone();
    let operator = lab.prepare::<First>(First(plot()));
    names[1..].iter().fold(operator, |operator, name| match *name {
        "w2" => operator.watcher::<Second>(Second(plot())),
        "w3" => operator.watcher::<Third>(Third(plot())),
        other => panic!("{other}"),
    })
}

/// The watchers that were called for a new object. They run at the same time, so this list is sorted.
async fn ran(names: &[&str]) -> Vec<&'static str> {
    let mut lab = Lab::new().await;
    lab.run(with(&lab, names));
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    let name = |watcher| match watcher {
        "First" => "w1",
        "Second" => "w2",
        "Third" => "w3",
        other => panic!("{other}"),
    };
    let called: BTreeSet<&str> = lab.plot.calls().iter().map(|call| name(call.watcher)).collect();
    called.into_iter().collect()
}

/// The order of a function and a watcher of one kind, or that neither waits for the other.
async fn order() -> Value {
    let mut lab = Lab::new().await;
    lab.plot.lock().takes.insert("x".into(), Duration::from_secs(60));
    let operator = lab.prepare::<foreigns>(lab.plot.clone()).watcher::<Held>(Held(lab.plot.clone()));
    lab.run(operator);
    lab.create::<Foreign>("x").await;
    lab.settle().await;
    let calls = lab.plot.calls();
    match calls.as_slice() {
        [_, _] => json!("side by side"),
        [one] => json!([one.watcher]),
        other => panic!("{other:?}"),
    }
}

async fn sees(informers: &[Value]) -> String {
    let mut lab = Lab::new().await;
    let namespaces: Vec<&str> = informers.iter().filter_map(Value::as_str).collect();
    let operator = lab.prepare::<Kept>(Kept(lab.plot.clone())).namespaces(&namespaces);
    lab.run(operator);
    for namespace in &namespaces {
        lab.world.namespace = (*namespace).to_owned();
        lab.world.create_namespace().await;
        lab.create::<Record>(&format!("in-{namespace}")).await;
    }
    lab.settle().await;
    let is_seen = |namespace: &&&str| !lab.plot.calls_of(&format!("in-{namespace}")).is_empty();
    let seen = namespaces.iter().filter(is_seen).count();
    if seen == namespaces.len() { "events of both".into() } else { format!("events of {seen}") }
}

pub(super) async fn events(given: Value) -> Value {
    if given["watchers"].is_array() {
        return apart().await;
    }
    match given["event"].as_str().unwrap() {
        "update" if given["rv"].is_array() => {
            let is_resync = given["rv"][0] == given["rv"][1];
            assert!(is_resync, "{given}");
            json!({ "watcher": resynced::<Repeated>(Repeated).await, "reconciler": action(resynced::<repetitions>(Into::into).await) })
        }
        "update" => {
            let has_old = |calls: Vec<super::plot::Call>| calls.iter().any(|call| call.old.as_deref() == Some("one"));
            let (watcher, reconciler) = (both("update", true).await, both("update", false).await);
            json!({ "watcher_sees_previous": has_old(watcher), "reconciler_sees_previous": has_old(reconciler) })
        }
        event => {
            let (watcher, reconciler) = (both(event, true).await, both(event, false).await);
            json!({ "watcher": watcher[0].method, "reconciler": action(reconciler[0].method) })
        }
    }
}

/// The calls for an event, of a watcher with methods or of a function.
async fn both(event: &str, has_methods: bool) -> Vec<super::plot::Call> {
    let mut lab = Lab::new().await;
    match has_methods {
        true => lab.operate::<Kept>(Kept(lab.plot.clone())),
        false => lab.operate::<records>(lab.plot.clone()),
    }
    lab.create::<Record>("x").await;
    lab.settle().await;
    match event {
        "add" => return lab.plot.calls(),
        "update" => {
            lab.begin();
            lab.rewrite::<Record>("two").await;
        }
        "delete" => {
            lab.begin();
            lab.delete::<Record>().await;
        }
        other => panic!("{other}"),
    }
    lab.settle().await;
    lab.plot.calls()
}

/// The method that is called for an object after the requeue interval.
async fn resynced<W>(deps: impl FnOnce(Plot) -> W::Deps) -> &'static str
where
    W: evenkeel::Watcher<Object = Record>,
{
    let mut lab = Lab::new().await;
    lab.operate::<W>(deps(lab.plot.clone()));
    lab.create::<Record>("x").await;
    lab.settle().await;
    lab.begin();
    tokio::time::sleep(Duration::from_secs(1200)).await;
    lab.plot.methods()[0]
}

/// A watcher that fails beside two others of its kind.
async fn apart() -> Value {
    let mut lab = Lab::new().await;
    let (fails, works) = (lab.plot.clone(), Plot::default());
    fails.always("add", End::error("E", Policy::Upstream));
    let operator = lab.prepare::<First>(First(fails.clone())).watcher::<Second>(Second(works.clone()));
    lab.run(operator.watcher::<foreigns>(works.clone()));
    lab.create::<Foreign>("x").await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let calls: Vec<_> = fails.calls().into_iter().chain(works.calls()).map(|call| call.watcher).collect();
    let called: BTreeSet<&str> = calls.iter().copied().collect();
    let again = called.iter().filter(|name| calls.iter().filter(|one| one == name).count() > 1);
    let again = again.map(|name| if *name == "First" { "the failing one only" } else { name });
    json!({ "all_called": called.len() == 3, "retried": again.collect::<Vec<_>>() })
}

//! The finalizer of a component, and the hooks around its set.

use std::path::Path;

use evenkeel::{Class, Reconciler};
use evenkeel_tests::recording_client::Fault;
use serde_json::{Value, json};

use super::component::component;
use super::lab::{Lab, holds, is_dependent, is_held, of_definition, of_map};
use crate::script::Wrong;

/// The hooks, in the words of the original.
const HOOKS: [&str; 5] = ["post-read", "pre-reconcile", "post-reconcile", "pre-delete", "post-delete"];

/// The first hook and the second one of the same time.
const PAIR: [(&str, &str); 2] = [("a", "pre-reconcile"), ("b", "pre-reconcile too")];

fn broken() -> Wrong {
    Wrong::new(Class::Transient, "Broken", "as the case says")
}

/// A component in the state of the case, and an operator that has done what it can with it.
async fn run(given: &Value) -> Lab {
    let mut lab = Lab::new().await;
    let is_blocked = given["deletion_allowed"] == false;
    let spec = if is_blocked { of_definition() } else { of_map("wanted", &json!({})) };
    lab.create(json!({ "name": "x" }), spec).await;
    if given["deleting"] == true {
        lab.operate();
        lab.settle().await;
        if is_blocked {
            lab.create_foreign_instance().await;
        }
        lab.stop().await;
        lab.plot.lock().runs.clear();
        lab.world.wire.clear();
    }
    for hook in HOOKS.into_iter().filter(|hook| given[hook] == "error") {
        lab.plot.fail(hook, broken());
    }
    for text in given["pre-reconcile"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let (name, fails) = text.strip_suffix(" fails").map_or((text, false), |name| (name, true));
        let (_, hook) = PAIR.into_iter().find(|(one, _)| *one == name).unwrap();
        if fails {
            lab.plot.fail(hook, broken());
        }
    }
    if given["apply"] == "error" {
        lab.world.wire.fault(|call| is_dependent(call).then_some(Fault::Answer(500, None)));
    }
    lab.operate();
    match given["deleting"] == true {
        true => lab.delete("x").await,
        false => lab.settle().await,
    }
    lab
}

pub(super) async fn adapter(given: Value) -> Value {
    if given["when"] == "after setup" {
        // The hooks are a constant of the reconciler; no call can add one.
        const COUNT: usize = <component as Reconciler>::WIRING.hooks.len();
        return json!({ "refused": COUNT > 0 });
    }
    if given["hook"].is_string() {
        return json!({ "target_client_available": !has_no_context() });
    }
    let lab = run(&given).await;
    let ran = first_pass(&lab);
    let deleted = lab.world.wire.count(|call| is_dependent(call) && call.method == "DELETE");
    json!({
        "hooks": ran.iter().filter(|name| HOOKS.contains(name)).collect::<Vec<_>>(),
        "run": PAIR.iter().filter(|(_, hook)| ran.contains(hook)).map(|(name, _)| name).collect::<Vec<_>>(),
        "apply_runs": ran.contains(&"install"),
        "dependents_deleted": deleted,
        "finalizer_removed": lab.component("x").await.is_null(),
    })
}

/// The functions that ran in the last life of the operator, each once, in the order of their first runs.
fn first_pass(lab: &Lab) -> Vec<&'static str> {
    let mut names = Vec::new();
    for run in &lab.plot.lock().runs {
        if !names.contains(&run.name) {
            names.push(run.name);
        }
    }
    names
}

/// Whether the compiler refuses a hook that uses a context, as the tests of its messages show.
fn has_no_context() -> bool {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/own/hook/with_conditions.stderr");
    std::fs::read_to_string(file).unwrap().contains("it has no context")
}

/// What is written before the finalizer is stored, and after it is removed.
pub(super) async fn finalizer(given: Value) -> Value {
    match (given["deleting"] == true, given["finalizer"] == false) {
        (false, true) => added().await,
        (true, false) => removed(&given).await,
        (true, true) => {
            let mut lab = Lab::new().await;
            lab.create(json!({ "name": "x", "finalizers": ["example.com/other"] }), of_map("wanted", &json!({}))).await;
            lab.delete("x").await;
            lab.operate();
            lab.settle().await;
            json!({ "finalizer_added": is_held(&lab.component("x").await) })
        }
        (false, false) => panic!("no adapter for a component that has its finalizer"),
    }
}

/// The API server refuses the finalizer for some time.
async fn added() -> Value {
    let mut lab = Lab::new().await;
    lab.world.wire.fault(|call| holds(call).then_some(Fault::Answer(500, None)));
    lab.create(json!({ "name": "x" }), of_map("wanted", &json!({}))).await;
    lab.operate();
    lab.settle().await;
    let (writes, touched) = (writes(&lab), lab.touched());
    lab.world.wire.mend();
    lab.plot.lock().runs.clear();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert!(lab.is_ready("x").await);
    let passes = lab.plot.lock().runs.iter().filter(|run| run.name == "post-read").count();
    json!({
        "writes": writes,
        "dependents_touched": touched > 0,
        "requeue": if passes == 1 { "none: the same pass goes on" } else { "at once" },
    })
}

/// The writes to the component and its set, in order, each kind once.
fn writes(lab: &Lab) -> Vec<&'static str> {
    let calls = lab.world.wire.calls().into_iter().filter(|call| call.is_write() && !call.is_event());
    let mut names: Vec<_> = calls
        .map(|call| match &call {
            call if holds(call) => "finalizer",
            call if call.is_status_write() => "status",
            call if is_dependent(call) => "dependent",
            _ => "component",
        })
        .collect();
    names.dedup();
    names
}

async fn removed(given: &Value) -> Value {
    let lab = run(given).await;
    assert!(lab.component("x").await.is_null());
    let calls = lab.world.wire.calls();
    let last = calls.iter().rposition(holds).unwrap();
    let hook = lab.plot.lock().runs.iter().rev().find(|run| run.name == "post-delete").map(|run| run.calls);
    let order = match hook {
        Some(calls) if calls <= last => vec!["post-delete hooks", "remove finalizer"],
        Some(_) => vec!["remove finalizer", "post-delete hooks"],
        None => vec!["remove finalizer"],
    };
    json!({ "order": order, "status_written_after": lab.is_status_written_after() })
}

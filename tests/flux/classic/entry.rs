//! The suites about the beginning of a run, its steps, and its final event.

use evenkeel::condition::set;
use evenkeel::flux::{
    Announce, Entry, Error, Made, Notice, Object, Read, ReconcileResult, Reconciled, State, Step, add_finalizer, begin,
    end_cleanup, notice, run_steps,
};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::end::block;
use super::fake::{Fake, fake};
use super::input::reconciled;
use crate::value::{condition, conditions, only, output, words};

const FINALIZER: &str = "fake.evenkeel.dev/finalizer";

pub(crate) fn entry(input: &Value) -> Value {
    let mut fake = fake(input);
    if input["hasFinalizer"] == true {
        fake.metadata.finalizers = Some(vec![FINALIZER.into()]);
    }
    let flag = |name: &str| input[name] == true;
    let state =
        State { deleting: flag("deleting"), suspended: flag("suspended"), ..State::of(&fake, FINALIZER, false) };
    let entry = Entry::of(match input["exists"].as_bool() {
        Some(true) => Read::Found(state),
        Some(false) => Read::NotFound,
        None => Read::Failed,
    });
    let (action, reconciled) = run(entry, &mut fake, input);
    json!({
        "action": action,
        "abstractResult": reconciled.as_ref().map_or("Empty".into(), |result| format!("{result:?}")),
        "error": reconciled.as_ref().err().map(ToString::to_string),
        "patched": entry.is_read(),
        "requeue": matches!(reconciled, Ok(ReconcileResult::Requeue)),
        "finalizerAfter": fake.metadata.finalizers.is_some_and(|finalizers| !finalizers.is_empty()),
        "stepsRun": entry == Entry::Reconcile,
    })
}

/// The actions of a controller for each entry.
fn run(entry: Entry, fake: &mut Fake, input: &Value) -> (&'static str, Reconciled) {
    let cleanup = match input["cleanup"].as_str() {
        Some("error") => Err(Error::plain("cleanup failed")),
        None | Some("ok") => Ok(()),
        Some(other) => panic!("no cleanup {other}"),
    };
    match entry {
        Entry::Gone => ("none", Ok(ReconcileResult::Empty)),
        Entry::Unreadable => ("none", Err(Error::plain("cannot read"))),
        Entry::Cleanup => ("cleanup", end_cleanup(fake, FINALIZER, cleanup)),
        Entry::AddFinalizer => ("addFinalizer", add_finalizer(fake, FINALIZER)),
        Entry::Skip => ("skip", Ok(entry.reconciled().unwrap())),
        Entry::Reconcile => ("reconcile", Ok(ReconcileResult::Success)),
    }
}

pub(crate) fn notify(input: &Value) -> Value {
    let sides = [&input["old"], &input["new"]].map(|side| conditions(&side["conditions"]));
    let digests = [&input["old"], &input["new"]].map(|side| side["artifact"]["digest"].as_str());
    let [before, now] = [0, 1].map(|i| Made { digest: digests[i], conditions: &sides[i] });
    let notice = notice(&reconciled(input), before, now, &words(&input["failConditions"]));
    json!({ "eventReason": notice.map(Notice::reason), "eventType": notice.map(|_| "Normal") })
}

/// The remaining steps of a case.
struct Script {
    steps: std::vec::IntoIter<Value>,
}

fn step<'r>(fake: &'r mut Fake, script: &'r mut Script) -> BoxFuture<'r, Reconciled> {
    let step = script.steps.next().unwrap();
    only(&step, &["error", "result", "sets"]);
    let stamp = fake.stamp();
    for one in step["sets"].as_array().into_iter().flatten() {
        set(&mut fake.flux_status_mut().conditions, condition(one), &stamp);
    }
    Box::pin(async move { reconciled(&step) })
}

pub(crate) fn chain(input: &Value) -> Value {
    let mut fake = fake(input);
    fake.flux_status_mut().last_handled_reconcile_at = input["lastHandledReconcileAt"].as_str().map(ToOwned::to_owned);
    let announce = begin(&mut fake);
    let steps = input["steps"].as_array().unwrap().clone();
    let list: Vec<Step<Fake, Script>> = vec![step; steps.len()];
    let mut script = Script { steps: steps.clone().into_iter() };
    let reconciled = block(run_steps(&mut fake, &mut script, &list));
    json!({
        "conditions": fake.conditions().iter().map(output).collect::<Value>(),
        "error": reconciled.as_ref().err().map(ToString::to_string),
        "progressPatchPersisted": announce == Announce::AtOnce,
        "result": reconciled.as_ref().map_or("Empty".into(), |result| format!("{result:?}")),
        "stepsRun": steps.len() - script.steps.len(),
    })
}

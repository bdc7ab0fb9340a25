//! The outcomes that a case sets for the methods of a watcher, and the record of what happened.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use evenkeel::SubReconciler;
use evenkeel::hook::Report;
use evenkeel::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::kinds::{Failed, Policy, Texted};

/// The outcome of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    error: Option<Failed>,
    requeue: Option<Duration>,
    /// What it hands to the next try.
    state: Option<Value>,
}

impl End {
    pub(super) fn error(text: &str, policy: Policy) -> Self {
        Self { error: Some(Failed::AsPlanned { text: text.to_owned(), policy }), ..Self::default() }
    }

    /// Parses an outcome such as `{"error": "E", "requeue_after_s": 1, "state": {..}}`, `"ok"` or `"error"`.
    pub(super) fn of(given: &Value) -> Self {
        let error = match given.as_str() {
            Some("error") => Some("E"),
            Some("requeue") => return Self { requeue: Some(Duration::from_secs(1)), ..Self::default() },
            _ => given["error"].as_str(),
        };
        Self {
            requeue: given["requeue_after_s"].as_u64().map(Duration::from_secs),
            state: Some(given["state"].clone()).filter(Value::is_object),
            ..error.map_or_else(Self::default, |text| Self::error(text, Policy::default()))
        }
    }
}

/// One call of a watcher.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) watcher: &'static str,
    pub(super) method: &'static str,
    pub(super) object: String,
    pub(super) text: String,
    /// The text of the earlier version.
    pub(super) old: Option<String>,
    /// What the previous try handed to this one.
    pub(super) state: Value,
    pub(super) at: Instant,
}

/// One request that changes the finalizers of an object.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) body: Value,
    /// The code of a refusal.
    pub(super) refused: Option<u16>,
    /// `add ours`, `remove wip`.
    pub(super) changes: Vec<String>,
    pub(super) at: Instant,
}

/// The end of a pass, as the operator reported it.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) outcome: &'static str,
    pub(super) message: String,
}

/// All clones share one state.
#[derive(Clone, Default)]
pub(super) struct Plot(Arc<Mutex<State>>);

#[derive(Default)]
pub(super) struct State {
    pub(super) calls: Vec<Call>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) ended: Vec<Ended>,
    /// The changes of finalizers and the calls, in order.
    pub(super) order: Vec<String>,
    /// The outcomes of the next calls of a method; then those of `always`, or success.
    pub(super) next: BTreeMap<&'static str, VecDeque<End>>,
    pub(super) always: BTreeMap<&'static str, End>,
    /// How long the calls for an object take.
    pub(super) takes: BTreeMap<String, Duration>,
    /// The answers to the next changes of finalizers, 0 for success; then `answer`.
    pub(super) answers: VecDeque<u16>,
    pub(super) answer: u16,
    /// The finalizers of the object of the case.
    pub(super) held: Vec<String>,
    /// The collections cannot be listed or watched.
    pub(super) is_down: bool,
    /// Status writes fail.
    pub(super) fails_status: bool,
    running: BTreeMap<String, usize>,
    /// The most calls at a time, of one object and of all.
    pub(super) most_of_one: usize,
    pub(super) most: usize,
}

/// What the first try of a step gets.
#[derive(Debug, Default)]
struct Carried(Value);

impl Plot {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Records the call, and ends it as the case says.
    pub(super) async fn called<K: Texted, S: SubReconciler>(
        &self,
        (watcher, method): (&'static str, &'static str),
        object: &K,
        old: Option<&K>,
        cx: &mut Cx<'_, S>,
    ) -> Result<(), Failed> {
        let name = object.name_any();
        let call = Call {
            watcher,
            method,
            object: name.clone(),
            text: object.text(),
            old: old.map(Texted::text),
            state: cx.carry::<Carried>().0.clone(),
            at: Instant::now(),
        };
        let (end, takes) = self.lock().begin(call);
        if let Some(takes) = takes {
            tokio::time::sleep(takes).await;
        }
        *self.lock().running.get_mut(&name).unwrap() -= 1;
        if let Some(state) = end.state {
            cx.carry::<Carried>().0 = state;
        }
        if let Some(after) = end.requeue {
            cx.requeue_after(after);
        }
        end.error.map_or(Ok(()), Err)
    }

    pub(super) fn reported(&self, report: &Report<'_>) {
        let ended = Ended { outcome: report.outcome.as_str(), message: report.message.to_owned() };
        self.lock().ended.push(ended);
    }

    /// The next calls of the method end like this.
    pub(super) fn next(&self, method: &'static str, ends: impl IntoIterator<Item = End>) {
        self.lock().next.entry(method).or_default().extend(ends);
    }

    /// Each call of the method ends like this.
    pub(super) fn always(&self, method: &'static str, end: End) {
        self.lock().always.insert(method, end);
    }

    /// The calls of the object `x`.
    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls_of("x")
    }

    pub(super) fn calls_of(&self, object: &str) -> Vec<Call> {
        self.lock().calls.iter().filter(|call| call.object == object).cloned().collect()
    }

    /// The methods that were called for the object `x`.
    pub(super) fn methods(&self) -> Vec<&'static str> {
        self.calls().iter().map(|call| call.method).collect()
    }

    pub(super) fn count(&self, method: &str) -> usize {
        self.methods().iter().filter(|one| **one == method).count()
    }

    /// The seconds between the calls for the object `x`, rounded to tenths.
    pub(super) fn pauses(&self) -> Vec<f64> {
        let times: Vec<Instant> = self.calls().iter().map(|call| call.at).collect();
        times.windows(2).map(|pair| ((pair[1] - pair[0]).as_secs_f64() * 10.0).round() / 10.0).collect()
    }

    /// The text of the first error; null without one. A finalizer that could not be written is an error if it is written again after a pause.
    pub(super) fn error(&self) -> Value {
        let state = self.lock();
        let refused: Vec<_> = state.attempts.iter().filter(|one| one.refused.is_some_and(|code| code != 409)).collect();
        if refused.windows(2).any(|pair| pair[1].at - pair[0].at > Duration::from_millis(500)) {
            return json!("patch error");
        }
        let failed = state.ended.iter().find(|ended| ["Failed", "Stalled"].contains(&ended.outcome));
        failed.map_or(Value::Null, |ended| json!(ended.message))
    }

    /// The number of passes that ended with an error.
    pub(super) fn errors(&self) -> usize {
        self.lock().ended.iter().filter(|ended| ["Failed", "Stalled"].contains(&ended.outcome)).count()
    }

    /// The successful changes of finalizers.
    pub(super) fn changes(&self) -> Vec<String> {
        let state = self.lock();
        let written = state.attempts.iter().filter(|attempt| attempt.refused.is_none());
        written.flat_map(|attempt| attempt.changes.clone()).collect()
    }

    /// Forgets what has happened.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.calls.clear();
        state.attempts.clear();
        state.ended.clear();
        state.order.clear();
    }
}

impl State {
    fn begin(&mut self, call: Call) -> (End, Option<Duration>) {
        let running = self.running.entry(call.object.clone()).or_default();
        *running += 1;
        self.most_of_one = self.most_of_one.max(*running);
        self.most = self.most.max(self.running.values().sum());
        let next = self.next.get_mut(call.method).and_then(VecDeque::pop_front);
        let end = next.or_else(|| self.always.get(call.method).cloned()).unwrap_or_default();
        let takes = self.takes.get(&call.object).copied();
        self.order.push(call.method.to_owned());
        self.calls.push(call);
        (end, takes)
    }

    /// Records a change of finalizers, and returns the code of its refusal.
    pub(super) fn attempted(&mut self, body: Value, finalizers: Vec<String>) -> Option<u16> {
        let code = self.answers.pop_front().unwrap_or(self.answer);
        let refused = (code != 0).then_some(code);
        let removed = self.held.iter().filter(|one| !finalizers.contains(one)).map(|one| ("remove", one));
        let added = finalizers.iter().filter(|one| !self.held.contains(one)).map(|one| ("add", one));
        let changes: Vec<String> = removed.chain(added).map(|(what, one)| format!("{what} {}", short(one))).collect();
        if refused.is_none() {
            self.held = finalizers;
            self.order.extend(changes.iter().cloned());
        }
        self.attempts.push(Attempt { body, refused, changes, at: Instant::now() });
        refused
    }
}

/// The number without its fraction.
pub(super) fn whole(number: f64) -> u64 {
    format!("{number:.0}").parse().unwrap()
}

/// The finalizer under its name in the cases.
pub(super) fn short(finalizer: &str) -> &str {
    match finalizer.strip_prefix("example.com/").unwrap_or(finalizer) {
        "adding.ours" => "wip",
        other => other,
    }
}

/// The finalizer behind a name of the cases.
pub(super) fn long(name: &str) -> String {
    format!("example.com/{}", if name == "wip" { "adding.ours" } else { name })
}

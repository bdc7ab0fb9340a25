//! The observers: after every pass of every test, kstatus must read the written status correctly.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use evenkeel::Reconciler;
use evenkeel::condition::Polarity;
use evenkeel_testkit::kstatus::{self, Mode};
use kube::Resource;
use serde_json::Value;

/// Checks each status that an operator writes over the wire, of any kind.
#[derive(Default)]
pub struct Observers(Mutex<State>);

#[derive(Default)]
struct State {
    kinds: BTreeMap<String, Declared>,
    /// Kinds whose status belongs to other writers. A reconciler only adds its conditions.
    foreign: BTreeSet<String>,
    /// Objects that are wrong on purpose.
    excused: Vec<String>,
    complaints: Vec<String>,
    looked: usize,
}

/// The conditions that the reconcilers of a kind declare.
#[derive(Default)]
struct Declared {
    types: Vec<&'static str>,
    negatives: Vec<&'static str>,
}

impl Observers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the conditions of a reconciler; other conditions of its kind belong to other writers.
    pub fn know<R: Reconciler>(&self) {
        let mut state = self.lock();
        if R::WIRING.bare_status.conditions.is_some() {
            state.foreign.insert(R::Object::kind(&()).into_owned());
        }
        let declared = state.kinds.entry(R::Object::kind(&()).into_owned()).or_default();
        for condition in R::WIRING.conditions {
            declared.types.push(condition.type_);
            declared.negatives.extend((condition.polarity == Polarity::Negative).then_some(condition.type_));
        }
    }

    /// Excludes the object of this name, which is wrong on purpose.
    pub fn excuse(&self, name: &str) {
        self.lock().excused.push(name.to_owned());
    }

    /// The number of checked statuses.
    #[must_use]
    pub fn looked(&self) -> usize {
        self.lock().looked
    }

    /// The statuses that would mislead observers.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.lock().complaints.clone()
    }

    /// Checks the object that the server returned from a status write.
    pub(crate) fn look(&self, object: &Value) {
        let mut state = self.lock();
        state.looked += 1;
        let excused = state.excused.iter().any(|name| object["metadata"]["name"] == **name);
        if let Some(complaint) = state.complaint(object).filter(|_| !excused) {
            state.complaints.push(complaint);
        }
    }
}

impl State {
    fn complaint(&self, object: &Value) -> Option<String> {
        let kind = object["kind"].as_str().unwrap_or_default();
        if self.foreign.contains(kind) {
            return None;
        }
        let Some(declared) = self.kinds.get(kind) else {
            return Some(format!(
                "the conditions of {kind} are not registered: call `world.wire.observers().know::<R>()`"
            ));
        };
        let violations = kstatus::check(&declared.without_foreign(object), &declared.negatives, mode(object));
        let broken: Vec<String> = violations.iter().filter(|v| v.rule.is_strict()).map(ToString::to_string).collect();
        (!broken.is_empty())
            .then(|| format!("{broken:?} in {} with {:#}", object["metadata"]["name"], object["status"]))
    }
}

impl Declared {
    fn without_foreign(&self, object: &Value) -> Value {
        let mut object = object.clone();
        let is_ours = |type_: &str| ["Ready", "Reconciling", "Stalled"].contains(&type_) || self.types.contains(&type_);
        if let Some(conditions) = object["status"]["conditions"].as_array_mut() {
            conditions.retain(|condition| condition["type"].as_str().is_some_and(is_ours));
        }
        object
    }
}

/// A write in the middle of a pass is marked as one.
fn mode(object: &Value) -> Mode {
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    let mut marks = conditions.filter(|c| c["type"] == "Reconciling" || c["type"] == "Ready");
    if marks.any(|mark| mark["reason"] == "Progressing") { Mode::InProgress } else { Mode::Final }
}

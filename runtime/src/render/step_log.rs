//! How the steps of a rendered pass end, and what they read that no file contains.

use std::collections::{BTreeMap, BTreeSet};

use kube::Client;

use crate::api::DryRunLog;
use crate::lock::{Mutex, MutexGuard};
use crate::outcome::{Class, PassError};

/// What happened to the steps of one pass.
#[derive(Debug, Default)]
pub(super) struct StepLog(Mutex<Steps>);

#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) begun: BTreeSet<&'static str>,
    /// The steps that were halted, with the part of them that does not run.
    pub(super) halted: BTreeMap<&'static str, String>,
    /// The steps that have failed, with the first error of each.
    pub(super) failed: BTreeMap<&'static str, PassError>,
    /// The reads of objects that no file contains, by step.
    pub(super) missing: Vec<(&'static str, String)>,
    /// The steps that failed. The steps after them still run, unless they need the result.
    passed_over: BTreeSet<&'static str>,
    /// The part that was reported last, of the step that is halted next.
    part: String,
}

impl StepLog {
    pub(super) fn lock(&self) -> MutexGuard<'_, Steps> {
        self.0.lock()
    }

    /// Takes what happened so far.
    pub(super) fn take(&self) -> Steps {
        std::mem::take(&mut *self.lock())
    }

    /// Records the error of a step.
    pub(super) fn failed(&self, step: &'static str, error: &PassError) {
        self.lock().failed.entry(step).or_insert_with(|| error.clone());
    }

    /// Records the end of a step. The steps after a failed step still run, unless they need its result. An ignored error ends the pass, as in a
    /// cluster.
    pub(super) fn ended(&self, step: &'static str) {
        let mut steps = self.lock();
        if steps.failed.get(step).is_some_and(|error| error.class() != Class::Ignored) {
            steps.passed_over.insert(step);
        }
    }

    /// Records a read of an object that no file contains.
    pub(super) fn missing(&self, step: &'static str, object: String) {
        let mut steps = self.lock();
        if !steps.missing.iter().any(|(_, other)| *other == object) {
            steps.missing.push((step, object));
        }
    }
}

impl DryRunLog for StepLog {
    fn would_run(&self, part: &str) {
        part.clone_into(&mut self.lock().part);
    }

    fn would_start(&self, _: &str) {}

    fn halt(&self, step: &'static str) {
        let mut steps = self.lock();
        let part = std::mem::take(&mut steps.part);
        steps.halted.insert(step, part);
    }

    fn is_halted(&self, step: &'static str) -> bool {
        let steps = self.lock();
        steps.halted.contains_key(step) || steps.passed_over.contains(step)
    }

    fn begin(&self, step: &'static str) {
        let mut steps = self.lock();
        steps.begun.insert(step);
        steps.halted.remove(step);
        steps.passed_over.remove(step);
    }

    fn cannot_run(&self, _: &[&str], _: &str) {}

    fn is_incomplete(&self) -> bool {
        !self.lock().halted.is_empty()
    }

    fn client(&'static self, client: &Client) -> Client {
        client.clone()
    }
}

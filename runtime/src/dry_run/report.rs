//! The report of a dry run, object by object.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::diff;
use crate::lock::{Mutex, MutexGuard};

/// What the passes of the operator would do.
#[derive(Default)]
pub(crate) struct DryRun(Mutex<Pending>);

/// What the current object would cause.
#[derive(Default)]
pub(crate) struct Pending {
    /// The lines of the report.
    pub(crate) text: String,
    /// The writes that change something.
    pub(crate) changes: usize,
    /// The writes that the API server rejects.
    pub(crate) rejected: usize,
    /// A step was not run, so the status is unknown.
    pub(crate) incomplete: bool,
    /// The running steps that were halted.
    pub(super) halted: BTreeSet<&'static str>,
    /// How the pass ended.
    pub(crate) outcome: Option<String>,
}

impl DryRun {
    pub(super) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.lock()
    }

    /// Records how the pass of the current object ended.
    pub(crate) fn ended(&self, outcome: String) {
        self.lock().outcome = Some(outcome);
    }

    /// The report of the current object. The next one begins.
    pub(crate) fn take(&self) -> Pending {
        std::mem::take(&mut *self.lock())
    }

    /// Records a write: the object before it, and the response to it.
    pub(super) fn wrote(&self, call: &str, before: &Value, after: &Value) {
        let diff = diff::diff(before, after);
        let mut pending = self.lock();
        // Writing to a string does not fail.
        let _ = match diff.is_empty() {
            true => writeln!(pending.text, "  would {call}: no change"),
            false => write!(pending.text, "  would {call}:\n{diff}").map(|()| pending.changes += 1),
        };
    }

    /// Records a write without a difference to print, such as a deletion.
    pub(super) fn called(&self, call: &str) {
        let mut pending = self.lock();
        pending.changes += 1;
        let _ = writeln!(pending.text, "  would {call}");
    }

    /// Records a write that the API server rejects.
    pub(super) fn was_rejected(&self, call: &str, why: &str) {
        let mut pending = self.lock();
        pending.rejected += 1;
        let _ = writeln!(pending.text, "  would fail to {call}: {why}");
    }

    /// Records a part of the author's code that does not run.
    pub(super) fn left_out(&self, part: &str) {
        let mut pending = self.lock();
        pending.incomplete = true;
        let _ = writeln!(pending.text, "  would run {part}");
    }
}

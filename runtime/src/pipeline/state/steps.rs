//! Changes of a step to the draft of its pass: at its start, while it runs, and at its end.

use super::PassState;
use super::warn_once::warn_of_reason;
use crate::api::ApiError;
use crate::clock::Instant;
use crate::condition::{ConditionStatus, Polarity};
use crate::outcome::Requeue;
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::SetSettings;
use crate::wiring::{Relation, StepWiring};

impl PassState {
    /// Starts a step. Its negative and bipolar conditions are cleared.
    pub(crate) fn begin(&mut self, step: &'static StepWiring) {
        (self.step, self.running, self.began) = (Some(step), true, Some(Instant::now()));
        self.failed_calls.clear();
        self.begin_dry(step);
        for place in step.sets {
            if self.polarity(*place) != Polarity::Positive {
                self.clear(*place);
            }
        }
    }

    /// Sets the settings of the step's set. Here, since it would otherwise be compiled once per step.
    #[cfg(feature = "dependents")]
    pub(crate) fn begin_set(&mut self, set: Option<SetSettings>) {
        (self.set, self.site) = (set, None);
    }

    /// In a dry run a step with an effect outside of the cluster is halted before it begins.
    fn begin_dry(&self, step: &StepWiring) {
        let Some(log) = self.backend.dry_run() else { return };
        log.begin(step.name);
        if step.external {
            log.would_run(&format!("the external step `{}`", step.name));
            log.halt(step.name);
        }
    }

    /// Whether the current step was halted by a dry run.
    pub(crate) fn is_halted(&self) -> bool {
        self.backend.dry_run().is_some_and(|log| log.is_halted(self.step_name()))
    }

    /// In a dry run, reports the part of the author's code that does not run, and returns true.
    pub(crate) fn reports_instead(&self, part: &str) -> bool {
        let log = self.backend.dry_run();
        log.inspect(|log| log.would_run(part)).is_some()
    }

    /// In a dry run, reports the effect and halts the step, which then never returns. Otherwise returns at once.
    pub(crate) async fn halt_before(&self, effect: &str) {
        if let Some(log) = self.backend.dry_run() {
            log.would_run(&format!("{effect} of the step `{}`", self.step_name()));
            log.halt(self.step_name());
            std::future::pending::<()>().await;
        }
    }

    /// Reports the steps after a halted one whose result they need.
    pub(crate) fn report_unknown_steps(&self) {
        let Some(log) = self.backend.dry_run() else { return };
        let names = self.wiring.steps.iter().map(|step| step.name);
        let later: Vec<_> = names.skip_while(|name| *name != self.step_name()).skip(1).collect();
        if !later.is_empty() {
            log.cannot_run(&later, self.step_name());
        }
    }

    /// Requests another pass of the object. The soonest request wins.
    pub(crate) fn ask_requeue(&mut self, requeue: Requeue) {
        self.requeue = Some(self.requeue.map_or(requeue, |earlier| earlier.min(requeue)));
    }

    /// The name of the step that is running or ran last; empty before the first.
    pub(crate) fn step_name(&self) -> &'static str {
        self.step.map_or("", |step| step.name)
    }

    /// The name of the set of dependents of the current step.
    pub(crate) fn set_key(&self) -> String {
        self.wiring.set_key(self.step_name())
    }

    /// Reports the result and duration of the current step to the backend, once.
    pub(crate) fn ended(&mut self, how: &'static str) {
        if let (Some(began), Some(step)) = (self.began.take(), self.step) {
            self.backend.step_ended(step.name, how, began.elapsed());
        }
    }

    /// Ends a step successfully: its positive conditions that it did not set become True, and the conditions of `clears(..)` are cleared.
    pub(crate) fn succeed(&mut self, set_bits: u64) {
        let Some(step) = self.step else { return };
        for place in step.sets {
            if self.polarity(*place) == Polarity::Positive && set_bits & (1 << place) == 0 {
                self.set(*place, ConditionStatus::True, "Succeeded", "");
            }
        }
        for place in step.clears {
            self.clear(*place);
        }
    }

    /// Skips a step that this pass does not need: its positive conditions become True, the others are cleared.
    pub(crate) fn skip(&mut self, step: &StepWiring, reason: &str) {
        #[cfg(feature = "dependents")]
        self.skip_dependents(step);
        for place in step.sets {
            match self.polarity(*place) {
                Polarity::Positive => {
                    let message = format!("step {} was not needed", step.name);
                    self.set(*place, ConditionStatus::True, reason, &message);
                }
                _ => self.clear(*place),
            }
        }
    }

    /// A skipped step wants no dependents.
    #[cfg(feature = "dependents")]
    fn skip_dependents(&self, step: &StepWiring) {
        if step.keeps_dependents()
            && let Some(calls) = self.backend.dependents()
        {
            // An empty set has nothing that another step could want, too.
            drop(calls.want(step.name, Vec::new()));
        }
    }

    /// Marks the condition for the error: the one that `cx.fail` named, otherwise the first that the step sets.
    pub(crate) fn fail(&mut self, named: Option<usize>, reason: &str, message: &str) {
        if let Some(place) = named.or_else(|| self.step.and_then(|step| step.sets.first().copied())) {
            self.hold_to_set(place, reason);
            self.mark(place, reason, message);
        }
    }

    /// Sets a condition to its bad status, and makes it the first of its rank in the summary.
    fn mark(&mut self, place: usize, reason: &str, message: &str) {
        self.set(place, self.polarity(place).bad(), reason, message);
        self.marked = Some(place);
    }

    /// Warns once of a reason that the condition does not declare. The reason is not changed.
    pub(crate) fn hold_to_set(&self, place: usize, reason: &str) {
        let step = self.step.map_or("(none)", |step| step.name);
        warn_of_reason(self.backend.warned(), self.wiring.name, step, self.conditions.info(place), reason);
    }

    /// Records a failed call of the step. Returns the error unchanged.
    pub(crate) fn failed_call(&mut self, error: ApiError) -> ApiError {
        self.failed_calls.note(&error, false);
        error
    }

    /// The same for a write. A change of an object that belongs to another owner triggers a reconcile.
    pub(crate) fn failed_write(&mut self, object: &str, relation: Relation, error: ApiError) -> ApiError {
        // The watch of an owned kind with labels does not show an object without them.
        self.failed_calls.note(&error, !relation.labels.is_empty());
        if matches!(error, ApiError::Foreign(_)) {
            self.references.insert(object.to_owned());
        }
        error
    }

    /// The part of the author's code that is running or ran last: `step fetch`, or `cleanup remove`.
    pub(crate) fn running_part(&self) -> String {
        match (self.cleanup, self.step) {
            (Some(cleanup), _) => format!("cleanup {cleanup}"),
            (None, step) => format!("step {}", step.map_or("(none)", |step| step.name)),
        }
    }
}

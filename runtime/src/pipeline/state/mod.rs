//! The draft of a pass: conditions and status while the steps run, and the status to write at the end.

mod carried;
mod conclude;
mod conditions;
#[cfg(feature = "dependents")]
mod converged;
mod failed_calls;
mod fork;
mod found_status;
mod reconciling;
mod step_events;
mod steps;
#[cfg(test)]
mod tests;
mod warn_once;
mod write_turn;

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use self::carried::Carried;
#[cfg(feature = "operator")]
pub(crate) use self::carried::CarriedValues;
use self::conditions::Conditions;
#[cfg(feature = "operator")]
#[cfg(feature = "dependents")]
pub(crate) use self::converged::Converged;
#[cfg(feature = "dependents")]
pub(crate) use self::converged::{ConvergedSet, ConvergedSets};
use self::failed_calls::FailedCalls;
pub(crate) use self::failed_calls::Failure;
pub(crate) use self::fork::{StepEnd, deciding};
use self::found_status::FoundStatus;
use self::step_events::StepEvents;
use self::write_turn::Joined;
pub(crate) use crate::status::desired::DesiredStatus;
#[cfg(test)]
pub(crate) use crate::status::fields::Field;
use crate::status::fields::Fields;

use crate::api::{ApiError, Backend};
use crate::clock::Instant;
use crate::condition::{Condition, ConditionStatus, Polarity, sanitize};
use crate::interval::Clamped;
use crate::outcome::{PassError, Requeue};
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::{SetSettings, Site};
use crate::pipeline::object::Object;
use crate::pipeline::watcher::calls::Calls;
use crate::status::SetStatuses;
use crate::status::erased::{AnyStatus, Typed};
use crate::status::observed::Observed;
use crate::status::request::Receipts;
use crate::wiring::policy::Policy;
use crate::wiring::{StepWiring, Wiring};

/// The state of one pass. It holds all changes of the steps, so that they survive when the pipeline is dropped or panics.
pub(crate) struct PassState {
    pub(crate) wiring: Wiring,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) backend: Arc<dyn Backend>,
    /// The typed draft of the author's status.
    pub(crate) status: Box<dyn Any + Send + Sync>,
    typed: Typed,
    conditions: Conditions,
    before: FoundStatus,
    /// The place of the condition that an error marked last.
    marked: Option<usize>,
    /// The step that is running or ran last.
    pub(crate) step: Option<&'static StepWiring>,
    /// The name of that step's cleanup, if the cleanup is running.
    pub(crate) cleanup: Option<&'static str>,
    /// Whether that step is still running.
    pub(crate) running: bool,
    /// The start of that step, until its duration is recorded.
    began: Option<Instant>,
    /// The drafts of joined steps, while they run.
    forks: Vec<PassState>,
    /// Set if this draft is the fork of a joined step.
    joined: Option<Joined>,
    /// The soonest request of `cx.requeue()` or `cx.requeue_after(d)`.
    pub(crate) requeue: Option<Requeue>,
    /// The objects that were read by name, as listed in `observedInputs.references`.
    pub(crate) references: BTreeSet<String>,
    /// The calls of the current step that failed.
    pub(crate) failed_calls: FailedCalls,
    /// The events that the steps recorded.
    pub(crate) events: StepEvents,
    /// The error of a failed status write in the middle of the pass.
    pub(crate) write_error: Option<ApiError>,
    /// Run-time values that were clamped to their bounds.
    pub(crate) clamped: Vec<Clamped>,
    /// The handled tokens, including those of this pass.
    receipts: Receipts,
    /// The sets of dependents of the reconciler, by `<reconciler>/<step>`.
    pub(crate) sets: SetStatuses,
    /// The settings of the set of the current step.
    #[cfg(feature = "dependents")]
    pub(crate) set: Option<SetSettings>,
    /// The sets that have converged.
    #[cfg(feature = "dependents")]
    pub(crate) converged: ConvergedSets,
    /// Where the current step acts, or why it cannot.
    #[cfg(feature = "dependents")]
    pub(crate) site: Option<Site>,
    /// What remains to be done after a successful pass that runs again.
    pub(crate) remaining: Option<String>,
    /// The one-shot actions that fire in this pass.
    fired: Vec<&'static str>,
    /// The error that prevented the steps from running.
    blocked: Option<PassError>,
    /// The error that stalls the object, regardless of the results of the steps.
    refused: Option<PassError>,
    /// The reason and message of Ready if the pass succeeds.
    ready: Option<(&'static str, String)>,
    /// The policy of the object.
    pub(crate) policy: Policy,
    /// What earlier passes without success handed to this one.
    pub(crate) carried: Carried,
    /// The calls of a watcher; `None`: this is another reconciler.
    pub(crate) calls: Option<Box<Calls>>,
}

impl PassState {
    pub(crate) fn new(object: &Object, wiring: Wiring, backend: Arc<dyn Backend>) -> Self {
        let meta = object.meta();
        let (mut observed, mut found, mut all_fields) = (Observed::default(), Vec::new(), Fields::new());
        let mut sets = SetStatuses::new();
        let (status, typed) = object.open_status(&mut |status| {
            observed = Observed::of(status, &wiring).into_owned();
            found = status.conditions().to_vec();
            sets = own_sets(status, &wiring);
            all_fields = status.author_fields().unwrap_or_default();
        });
        let mut state = Self::bare(wiring, meta.generation.unwrap_or_default(), observed, found, backend);
        state.namespace.clone_from(&meta.namespace);
        state.name = meta.name.clone().or_else(|| meta.generate_name.clone()).unwrap_or_default();
        state.before.all_fields = all_fields;
        state.before.fields = state.own(state.before.all_fields.clone());
        state.before.receipts = state.before.observed.receipts.clone();
        state.before.sets.clone_from(&sets);
        state.sets = sets;
        state.receipts = state.before.receipts.after(&wiring, object.annotations());
        state.fired = state.before.receipts.fired(&wiring, object.annotations());
        (state.status, state.typed) = (status, typed);
        state
    }

    /// A draft without author fields.
    fn bare(
        wiring: Wiring,
        generation: i64,
        observed: Observed<'static>,
        found: Vec<Condition>,
        backend: Arc<dyn Backend>,
    ) -> Self {
        Self {
            wiring,
            namespace: None,
            name: String::new(),
            backend,
            status: Box::new(()),
            typed: Typed::NONE,
            conditions: Conditions::new(wiring.conditions, &found),
            before: FoundStatus::new(generation, observed, found),
            marked: None,
            step: None,
            cleanup: None,
            running: false,
            began: None,
            forks: Vec::new(),
            joined: None,
            requeue: None,
            references: BTreeSet::new(),
            failed_calls: FailedCalls::default(),
            events: StepEvents::default(),
            write_error: None,
            clamped: Vec::new(),
            receipts: Receipts::default(),
            sets: SetStatuses::new(),
            #[cfg(feature = "dependents")]
            set: None,
            #[cfg(feature = "dependents")]
            converged: ConvergedSets::default(),
            #[cfg(feature = "dependents")]
            site: None,
            remaining: None,
            fired: Vec::new(),
            blocked: None,
            refused: None,
            ready: None,
            policy: Policy::Manage,
            carried: Carried::default(),
            calls: None,
        }
    }

    /// The generation of the object in this pass.
    pub(crate) fn generation(&self) -> i64 {
        self.before.generation
    }

    /// Whether the one-shot action fires in this pass.
    pub(crate) fn fires(&self, action: &str) -> bool {
        self.fired.contains(&action)
    }

    /// The current condition at this place.
    pub(crate) fn condition(&self, place: usize) -> Option<&Condition> {
        self.conditions.get(place)
    }

    pub(crate) fn polarity(&self, place: usize) -> Polarity {
        self.conditions.polarity(place)
    }

    /// Sets a condition, stamped with the generation of the pass.
    /// If it is True and the message is empty, the message is its doc comment.
    pub(crate) fn set(&mut self, place: usize, status: ConditionStatus, reason: &str, message: &str) {
        self.conditions.set(place, status, reason, message, &self.before);
    }

    pub(crate) fn clear(&mut self, place: usize) {
        self.conditions.clear(place);
    }

    /// Limits the conditions to those that an observer sets. The others are unknown and are not reported.
    pub(crate) fn observe(&mut self, sets: &'static [usize]) {
        self.conditions.count_only(sets);
    }

    /// Sets the reason and message that Ready has when it is True.
    pub(crate) fn set_ready_message(&mut self, reason: &'static str, message: &str) {
        self.ready = Some((reason, sanitize(message)));
    }

    /// The current fields of the author that belong to this reconciler.
    fn fields(&self) -> Fields {
        self.own(self.all_fields())
    }

    /// All current fields of the author.
    fn all_fields(&self) -> Fields {
        (self.typed.fields)(self.status.as_ref()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the status fields cannot be serialized as JSON; using the earlier ones");
            self.before.all_fields.clone()
        })
    }

    /// The fields that belong to this reconciler: it was the last to write them, or has changed them.
    pub(crate) fn own(&self, fields: Fields) -> Fields {
        self.before.own(fields)
    }

    /// The status in the middle of a pass: the conditions of the start, the current fields of the author.
    pub(crate) fn progress(&self) -> DesiredStatus {
        DesiredStatus { sets: self.sets.clone(), ..self.before.progress(&self.wiring, self.fields()) }
    }

    /// The stored status as a desired status. A write is needed only if the new one differs.
    pub(crate) fn found(&self) -> DesiredStatus {
        self.before.intent(&self.wiring)
    }

    /// The same as [`found`](Self::found) at the end of a pass: the values are moved out, since the pass does not need them any longer.
    pub(crate) fn take_found(&mut self) -> DesiredStatus {
        self.before.take_intent(&self.wiring)
    }

    /// The stored status with the handled tokens of a suspended object. With `record` its generation counts as observed.
    pub(crate) fn frozen(&self, record: bool) -> DesiredStatus {
        let found = self.found();
        let observed_generation = if record { Some(self.generation()) } else { found.observed_generation };
        DesiredStatus { observed_generation, receipts: self.receipts.clone(), ..found }
    }

    /// Whether the pass changed the status of a condition or an author field; the backoff then starts again.
    pub(crate) fn progressed(&self, intent: &DesiredStatus) -> bool {
        self.before.progressed(&self.wiring, intent)
    }

    /// Updates the stored status after a successful progress write.
    pub(crate) fn recorded(&mut self, intent: DesiredStatus) {
        self.before.recorded(intent);
    }
}

/// The sets of dependents of this reconciler. Those of other reconcilers of the kind have keys with their names.
fn own_sets(status: &dyn AnyStatus, wiring: &Wiring) -> SetStatuses {
    let mut own = SetStatuses::new();
    for (key, set) in status.dependents().into_iter().flatten() {
        let Some(step) = wiring.step_of_own_set(key) else { continue };
        let is_new = *key == wiring.set_key(step);
        // The set of an earlier version counts only until this one has stored its own.
        if is_new || !own.contains_key(&wiring.set_key(step)) {
            own.insert(wiring.set_key(step), set.clone());
        }
    }
    own
}

//! The draft of a pass: conditions and status while the steps run, and what is written in the end.

mod conclude;
mod conditions;
mod foreign_owner;
mod fork;
mod found_status;
mod reconciling;
mod steps;
#[cfg(test)]
mod tests;
mod warn_once;
mod write_turn;

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;
#[cfg(not(feature = "operator"))]
use std::time::Instant;

#[cfg(feature = "operator")]
use tokio::time::Instant;

use self::conditions::Conditions;
use self::foreign_owner::Refusals;
pub(crate) use self::fork::{StepEnd, deciding};
use self::found_status::FoundStatus;
use self::write_turn::Joined;
pub use crate::status::desired::DesiredStatus;
#[cfg(test)]
pub(crate) use crate::status::fields::Field;
use crate::status::fields::Fields;

use crate::api::{ApiError, Backend};
use crate::condition::{Condition, ConditionStatus, Polarity, sanitize};
use crate::interval::Clamped;
use crate::outcome::{PassError, Requeue};
use crate::pipeline::object::Object;
use crate::status::erased::Typed;
use crate::status::observed::Observed;
use crate::status::request::Receipts;
use crate::wiring::policy::Policy;
use crate::wiring::{StepWiring, Wiring};

/// The state of one pass. Everything that steps change is here, so that it outlives a pipeline that is dropped or panics.
pub(crate) struct PassState {
    pub(crate) wiring: Wiring,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) backend: Arc<dyn Backend>,
    /// The draft of the author's status, typed.
    pub(crate) status: Box<dyn Any + Send + Sync>,
    typed: Typed,
    conditions: Conditions,
    before: FoundStatus,
    /// The place of the condition that an error marked last.
    marked: Option<usize>,
    /// The step that runs or ran last.
    pub(crate) step: Option<&'static StepWiring>,
    /// The cleanup of that step, where it is that which runs.
    pub(crate) cleanup: Option<&'static str>,
    /// It has not ended.
    pub(crate) running: bool,
    /// When it began, until its end is told.
    began: Option<Instant>,
    /// The drafts of joined steps, while they run.
    forks: Vec<PassState>,
    /// This is one of them.
    joined: Option<Joined>,
    /// `cx.requeue()` or `cx.requeue_after(d)`: the soonest.
    pub(crate) requeue: Option<Requeue>,
    /// Objects asked for by name, as they stand in `observedInputs.references`.
    pub(crate) references: BTreeSet<String>,
    /// The objects of other owners that were refused to the step that runs.
    pub(crate) foreign: Refusals,
    /// A write in the middle of the pass failed with this.
    pub(crate) trouble: Option<ApiError>,
    /// Run-time values that were out of bounds.
    pub(crate) clamped: Vec<Clamped>,
    /// The requests that this pass handles, and those before.
    receipts: Receipts,
    /// The one-shot actions that fire in this pass.
    fired: Vec<&'static str>,
    /// What kept the steps from running.
    blocked: Option<PassError>,
    /// What stalls the object, whatever the steps make of it.
    refused: Option<PassError>,
    /// Reason and message of Ready, if the pass is a success.
    ready: Option<(&'static str, String)>,
    /// What may be done for the object.
    pub(crate) policy: Policy,
}

impl PassState {
    pub(crate) fn new(object: &Object, wiring: Wiring, backend: Arc<dyn Backend>) -> Self {
        let meta = object.meta();
        let (mut observed, mut found, mut all_fields) = (Observed::default(), Vec::new(), Fields::new());
        let (status, typed) = object.open_status(&mut |status| {
            observed = Observed::of(status, &wiring).into_owned();
            found = status.conditions().to_vec();
            all_fields = status.author_fields().unwrap_or_default();
        });
        let mut state = Self::bare(wiring, meta.generation.unwrap_or_default(), observed, found, backend);
        state.namespace.clone_from(&meta.namespace);
        state.name = meta.name.clone().or_else(|| meta.generate_name.clone()).unwrap_or_default();
        state.before.all_fields = all_fields;
        state.before.fields = state.own(state.before.all_fields.clone());
        state.before.receipts = state.before.observed.receipts.clone();
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
            foreign: Refusals::default(),
            trouble: None,
            clamped: Vec::new(),
            receipts: Receipts::default(),
            fired: Vec::new(),
            blocked: None,
            refused: None,
            ready: None,
            policy: Policy::Manage,
        }
    }

    /// The generation of the object on which the pass runs.
    pub(crate) fn generation(&self) -> i64 {
        self.before.generation
    }

    /// Whether the one-shot action fires in this pass.
    pub(crate) fn fires(&self, action: &str) -> bool {
        self.fired.contains(&action)
    }

    /// The condition of this place as it stands now.
    pub(crate) fn condition(&self, place: usize) -> Option<&Condition> {
        self.conditions.get(place)
    }

    pub(crate) fn polarity(&self, place: usize) -> Polarity {
        self.conditions.polarity(place)
    }

    /// Sets a condition, stamped with the generation on which the pass runs. One that is True says what its doc comment says, unless a
    /// message is given.
    pub(crate) fn set(&mut self, place: usize, status: ConditionStatus, reason: &str, message: &str) {
        self.conditions.set(place, status, reason, message, &self.before);
    }

    pub(crate) fn clear(&mut self, place: usize) {
        self.conditions.clear(place);
    }

    /// An observer runs instead of the steps: what it does not set is not known, and not said.
    pub(crate) fn observe(&mut self, sets: &'static [usize]) {
        self.conditions.count_only(sets);
    }

    /// Says with what reason and message Ready is True.
    pub(crate) fn say_ready(&mut self, reason: &'static str, message: &str) {
        self.ready = Some((reason, sanitize(message)));
    }

    /// The author's fields as they stand now, as far as they are this reconciler's.
    fn fields(&self) -> Fields {
        self.own(self.said())
    }

    /// All of the author's fields as they stand now.
    fn said(&self) -> Fields {
        (self.typed.fields)(self.status.as_ref()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the status fields cannot be written as JSON; the earlier ones are kept");
            self.before.all_fields.clone()
        })
    }

    /// The fields that are this reconciler's: it wrote them last, or changed them.
    pub(crate) fn own(&self, fields: Fields) -> Fields {
        self.before.own(fields)
    }

    /// The status in the middle of a pass: conditions as they were found, the author's fields as they are now.
    pub(crate) fn progress(&self) -> DesiredStatus {
        self.before.progress(&self.wiring, self.fields())
    }

    /// What is there, in the form of an intent: a write is due only if the intended one differs.
    pub(crate) fn found(&self) -> DesiredStatus {
        self.before.intent(&self.wiring)
    }

    /// What is there, as [`found`](Self::found), at the end of a pass, which needs it no longer: it is moved out of the draft.
    pub(crate) fn take_found(&mut self) -> DesiredStatus {
        self.before.take_intent(&self.wiring)
    }

    /// What is there, with the receipts of a suspended object; its generation counts as observed where that is wished.
    pub(crate) fn frozen(&self, record: bool) -> DesiredStatus {
        let found = self.found();
        let observed_generation = if record { Some(self.generation()) } else { found.observed_generation };
        DesiredStatus { observed_generation, receipts: self.receipts.clone(), ..found }
    }

    /// Whether the pass changed a condition's status or an author field: the back-off starts anew.
    pub(crate) fn progressed(&self, intent: &DesiredStatus) -> bool {
        self.before.progressed(&self.wiring, intent)
    }

    /// A progress write went through: it is what is there now.
    pub(crate) fn recorded(&mut self, intent: DesiredStatus) {
        self.before.recorded(intent);
    }
}

//! The draft of a pass: conditions and status while the steps run, and what is written in the end.

mod closed_reasons;
mod conclude;
mod foreign_owner;
mod fork;
mod reconciling;
mod set_condition;
#[cfg(test)]
mod tests;
mod warn_once;
mod write_turn;

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
#[cfg(not(feature = "operator"))]
use std::time::Instant;

#[cfg(feature = "operator")]
use tokio::time::Instant;

use self::fork::Joined;
pub(crate) use self::fork::deciding;
pub use crate::status::desired::StatusIntent;
#[cfg(test)]
pub(crate) use crate::status::fields::Field;
use crate::status::fields::Fields;

use crate::api::{ApiError, Backend};
use crate::condition::{Condition, Polarity, RECONCILING, STALLED, Stamp, Status, find, sanitize};
use crate::interval::Clamped;
use crate::outcome::Halt;
use crate::pipeline::object::Object;
use crate::status::ObservedInputs;
use crate::status::erased::Typed;
use crate::status::observed::Observed;
use crate::status::request::Receipts;
use crate::wiring::policy::Policy;
use crate::wiring::{StepWiring, Wiring};

/// The state of one pass. Everything that steps change is here, so that it outlives a pipeline that is dropped or panics.
pub(crate) struct Draft {
    pub(crate) wiring: Wiring,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) generation: i64,
    pub(crate) backend: Arc<dyn Backend>,
    /// The draft of the author's status, typed.
    pub(crate) status: Box<dyn Any + Send + Sync>,
    typed: Typed,
    /// Declared conditions by place, as they stand now.
    conditions: Vec<Option<Condition>>,
    before: Before,
    marked: Option<usize>,
    /// The author's fields before the first progress write.
    first: Option<Fields>,
    /// The step that runs or ran last.
    pub(crate) step: Option<&'static StepWiring>,
    /// The cleanup of that step, where it is that which runs.
    pub(crate) cleanup: Option<&'static str>,
    /// It has not ended.
    pub(crate) running: bool,
    /// When it began, until its end is told.
    began: Option<Instant>,
    /// The drafts of joined steps, while they run.
    forks: Vec<Draft>,
    /// This is one of them.
    joined: Option<Joined>,
    /// `cx.requeue()` or `cx.requeue_after(d)`: the shortest wins, a curve counts as longest.
    pub(crate) requeue: Option<Option<Duration>>,
    /// Objects asked for by name, as they stand in `observedInputs.references`.
    pub(crate) references: BTreeSet<String>,
    /// The texts with which objects of other owners were refused to the step that runs.
    foreign: Vec<String>,
    /// A write in the middle of the pass failed with this.
    pub(crate) trouble: Option<ApiError>,
    /// Run-time values that were out of bounds.
    pub(crate) clamped: Vec<Clamped>,
    /// The requests that this pass handles, and those before.
    receipts: Receipts,
    /// The one-shot actions that fire in this pass.
    fired: Vec<&'static str>,
    /// What kept the steps from running.
    blocked: Option<Halt>,
    /// What stalls the object, whatever the steps make of it.
    refused: Option<Halt>,
    /// Reason and message of Ready, if the pass is a success.
    ready: Option<(&'static str, String)>,
    /// What the last pass left.
    observed: Observed<'static>,
    /// What may be done for the object.
    pub(crate) policy: Policy,
    /// The places of the conditions that count, where an observer runs instead of the steps.
    counting: Option<&'static [usize]>,
}

/// The status as the pass found it.
#[derive(Clone)]
struct Before {
    observed_generation: Option<i64>,
    conditions: Vec<Condition>,
    /// Those that this reconciler wrote.
    fields: Fields,
    /// Those of all reconcilers.
    all_fields: Fields,
    observed_inputs: Option<ObservedInputs>,
    receipts: Receipts,
}

impl Draft {
    pub(crate) fn new(object: &Object, wiring: Wiring, backend: Arc<dyn Backend>) -> Self {
        let meta = object.meta();
        let (mut observed, mut found, mut all_fields) = (Observed::default(), Vec::new(), Fields::new());
        let (status, typed) = object.open_status(&mut |status| {
            observed = Observed::of(status, &wiring).into_owned();
            found = status.conditions().to_vec();
            all_fields = status.author_fields().unwrap_or_default();
        });
        let mut draft = Self::bare(wiring, meta.generation.unwrap_or_default(), observed, found, backend);
        draft.namespace.clone_from(&meta.namespace);
        draft.name = meta.name.clone().or_else(|| meta.generate_name.clone()).unwrap_or_default();
        draft.before.all_fields = all_fields;
        draft.before.fields = draft.own(draft.before.all_fields.clone());
        draft.before.receipts = draft.observed.receipts.clone();
        draft.receipts = draft.before.receipts.after(&wiring, object.annotations());
        draft.fired = draft.before.receipts.fired(&wiring, object.annotations());
        (draft.status, draft.typed) = (status, typed);
        draft
    }

    /// A draft without author fields.
    fn bare(
        wiring: Wiring,
        generation: i64,
        mut observed: Observed<'static>,
        found: Vec<Condition>,
        backend: Arc<dyn Backend>,
    ) -> Self {
        let conditions = wiring.conditions.iter().map(|info| find(&found, info.type_).cloned()).collect();
        Self {
            wiring,
            namespace: None,
            name: String::new(),
            generation,
            backend,
            status: Box::new(()),
            typed: Typed::NONE,
            conditions,
            before: Before {
                observed_generation: observed.generation,
                all_fields: Fields::new(),
                conditions: found,
                fields: Fields::new(),
                observed_inputs: observed.inputs.take().map(Cow::into_owned),
                receipts: Receipts::default(),
            },
            marked: None,
            first: None,
            step: None,
            cleanup: None,
            running: false,
            began: None,
            forks: Vec::new(),
            joined: None,
            requeue: None,
            references: BTreeSet::new(),
            foreign: Vec::new(),
            trouble: None,
            clamped: Vec::new(),
            receipts: Receipts::default(),
            fired: Vec::new(),
            blocked: None,
            refused: None,
            ready: None,
            observed,
            policy: Policy::Manage,
            counting: None,
        }
    }

    /// An observer runs instead of the steps: what it does not set is not known, and not said.
    pub(crate) fn observe(&mut self, sets: &'static [usize]) {
        self.counting = Some(sets);
        for place in 0..self.conditions.len() {
            if !self.counts(place) {
                self.clear(place);
            }
        }
    }

    /// Whether the condition is one of those that this pass may say something of.
    fn counts(&self, place: usize) -> bool {
        self.counting.is_none_or(|places| places.contains(&place))
    }

    /// Whether the one-shot action fires in this pass.
    pub(crate) fn fires(&self, action: &str) -> bool {
        self.fired.contains(&action)
    }

    pub(crate) fn condition(&self, place: usize) -> Option<&Condition> {
        self.conditions.get(place)?.as_ref()
    }

    pub(crate) fn polarity(&self, place: usize) -> Polarity {
        self.wiring.conditions[place].polarity
    }

    /// Says with what reason and message Ready is True.
    pub(crate) fn say_ready(&mut self, reason: &'static str, message: &str) {
        self.ready = Some((reason, sanitize(message)));
    }

    pub(crate) fn clear(&mut self, place: usize) {
        self.conditions[place] = None;
    }

    /// Sets a condition against its polarity, and makes it the first of its rank.
    pub(crate) fn mark(&mut self, place: usize, reason: &str, message: &str) {
        self.set(place, self.polarity(place).bad(), reason, message);
        self.marked = Some(place);
    }

    /// The transition time stays while the status stays.
    fn stamped(&self, type_: &str, status: Status, reason: &str, message: &str) -> Condition {
        self.stamp(Condition::new(type_, status, reason, message))
    }

    fn stamp(&self, condition: Condition) -> Condition {
        let stamp = Stamp::new(self.generation, crate::clock::now());
        stamp.on(find(&self.before.conditions, &condition.type_), condition)
    }

    /// The step's negative and bipolar conditions are cleared when it starts.
    pub(crate) fn begin(&mut self, step: &'static StepWiring) {
        (self.step, self.running, self.began) = (Some(step), true, Some(Instant::now()));
        self.foreign.clear();
        for place in step.sets {
            if self.polarity(*place) != Polarity::Positive {
                self.clear(*place);
            }
        }
    }

    /// Tells how the step has ended that began last, once.
    pub(crate) fn ended(&mut self, how: &'static str) {
        if let (Some(began), Some(step)) = (self.began.take(), self.step) {
            self.backend.step_ended(step.name, how, began.elapsed());
        }
    }

    /// Its positive ones are True when it succeeds, unless it said otherwise; what it declared to clear goes.
    pub(crate) fn succeed(&mut self, said: u64) {
        let Some(step) = self.step else { return };
        for place in step.sets {
            if self.polarity(*place) == Polarity::Positive && said & (1 << place) == 0 {
                self.set(*place, Status::True, "Succeeded", "");
            }
        }
        for place in step.clears {
            self.clear(*place);
        }
    }

    /// A step that is not needed in this pass: nothing bad is left of it, and nobody waits for it.
    pub(crate) fn skip(&mut self, step: &StepWiring, reason: &str) {
        for place in step.sets {
            match self.polarity(*place) {
                Polarity::Positive => {
                    let message = format!("step {} was not needed", step.name);
                    self.set(*place, Status::True, reason, &message);
                }
                _ => self.clear(*place),
            }
        }
    }

    /// Marks the condition that the error is about: the one that `cx.fail` named, or else the first that the step sets.
    pub(crate) fn fail(&mut self, named: Option<usize>, reason: &str, message: &str) {
        if let Some(place) = named.or_else(|| self.step.and_then(|step| step.sets.first().copied())) {
            self.hold_to_set(place, reason);
            self.mark(place, reason, message);
        }
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
    pub(crate) fn own(&self, mut fields: Fields) -> Fields {
        fields.retain(|name, value| self.observed.wrote(name) || self.before.all_fields.get(name) != Some(value));
        fields
    }

    /// The status in the middle of a pass: conditions as they were found, the author's fields as they are now.
    pub(crate) fn progress(&self) -> StatusIntent {
        let found = |type_: &str| find(&self.before.conditions, type_).cloned();
        let mut conditions = Vec::new();
        if self.before.observed_generation == Some(self.generation) {
            conditions.extend(self.wiring.kept_types().iter().copied().filter_map(found));
        } else if self.wiring.summary.is_none() {
            conditions.push(self.stamped(RECONCILING, Status::True, "Progressing", "reconciliation in progress"));
        }
        let summary = self.wiring.summary_type();
        conditions
            .push(found(summary).unwrap_or_else(|| {
                self.stamped(summary, Status::Unknown, "Progressing", "reconciliation in progress")
            }));
        conditions.extend(self.wiring.condition_types().filter_map(found));
        StatusIntent {
            observed_generation: self.before.observed_generation,
            conditions,
            fields: self.fields(),
            observed_inputs: self.before.observed_inputs.clone(),
            receipts: self.before.receipts.clone(),
            summary: self.wiring.summary_type(),
            second: self.second(self.observed.stalled),
        }
    }

    /// What is there, in the form of an intent: a write is due only if the intended one differs.
    pub(crate) fn found(&self) -> StatusIntent {
        let ours = |type_: &str| find(&self.before.conditions, type_).cloned();
        let kept = self.wiring.kept_types().iter().copied().chain([self.wiring.summary_type()]);
        let order = kept.chain(self.wiring.condition_types());
        StatusIntent {
            observed_generation: self.before.observed_generation,
            conditions: order.filter_map(ours).collect(),
            fields: self.before.fields.clone(),
            observed_inputs: self.before.observed_inputs.clone(),
            receipts: self.before.receipts.clone(),
            summary: self.wiring.summary_type(),
            second: self.second(self.observed.stalled),
        }
    }

    fn second(&self, stalled: bool) -> Option<(&'static str, bool)> {
        self.wiring.summary.map(|_| (self.wiring.name, stalled))
    }

    /// What is there, with the receipts of a suspended object; its generation counts as observed where that is wished.
    pub(crate) fn frozen(&self, record: bool) -> StatusIntent {
        let found = self.found();
        let observed_generation = if record { Some(self.generation) } else { found.observed_generation };
        StatusIntent { observed_generation, receipts: self.receipts.clone(), ..found }
    }

    /// Whether the pass changed a condition's status or an author field: the back-off starts anew. What it recorded and took back is no
    /// progress: each try would do so.
    pub(crate) fn progressed(&self, intent: &StatusIntent) -> bool {
        let status = |conditions: &[Condition], type_| find(conditions, type_).map(|condition| condition.status);
        let differs = |type_| status(&self.before.conditions, type_) != status(&intent.conditions, type_);
        let fields = self.first.as_ref().unwrap_or(&self.before.fields);
        self.wiring.conditions.iter().any(|info| differs(info.type_)) || *fields != intent.fields
    }

    /// A progress write went through: it is what is there now.
    pub(crate) fn recorded(&mut self, intent: StatusIntent) {
        let ours: Vec<String> = intent.conditions.iter().map(|c| c.type_.clone()).collect();
        self.before
            .conditions
            .retain(|c| !ours.contains(&c.type_) && ![STALLED, RECONCILING].contains(&c.type_.as_str()));
        self.before.conditions.extend(intent.conditions);
        self.before.observed_inputs = intent.observed_inputs;
        let found = std::mem::replace(&mut self.before.fields, intent.fields);
        self.first.get_or_insert(found);
    }
}

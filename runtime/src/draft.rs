//! The draft of a pass: conditions and status while the steps run, and what is written in the end.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::ResourceExt;
use serde_json::{Value, json};

use crate::backend::{ApiError, Backend};
use crate::condition::{Condition, Polarity, READY, RECONCILING, Ranking, STALLED, Status, find, sanitize};
use crate::outcome::{Class, Halt, Outcome};
use crate::reconciler::Primary;
use crate::status::{ObservedInputs, StatusContract, author_fields};
use crate::wiring::{StepWiring, Wiring};

/// What is written to the status: built, never copied. Foreign conditions and unknown fields are never in it.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusIntent {
    /// The generation that counts as observed; `None` leaves the default.
    pub observed_generation: Option<i64>,
    /// Declared conditions and Stalled, Reconciling, Ready, in the order as sent.
    pub conditions: Vec<Condition>,
    /// The author's fields.
    pub fields: BTreeMap<String, Value>,
    /// What the pass saw.
    pub observed_inputs: Option<ObservedInputs>,
}

impl StatusIntent {
    /// The `status` stanza as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut status: serde_json::Map<String, Value> = self.fields.clone().into_iter().collect();
        status.insert("conditions".into(), json!(self.conditions));
        if let Some(generation) = self.observed_generation {
            status.insert("observedGeneration".into(), json!(generation));
        }
        if let Some(inputs) = &self.observed_inputs {
            status.insert("observedInputs".into(), json!(inputs));
        }
        Value::Object(status)
    }
}

/// The state of one pass. Everything that steps change is here, so that it outlives a pipeline that is dropped or panics.
pub(crate) struct Draft {
    pub(crate) wiring: Wiring,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) generation: i64,
    pub(crate) backend: Arc<dyn Backend>,
    /// The author's status, typed.
    pub(crate) status: Box<dyn Any + Send + Sync>,
    fields_of: fn(&(dyn Any + Send + Sync)) -> Result<BTreeMap<String, Value>, serde_json::Error>,
    /// Declared conditions by place, as they stand now.
    conditions: Vec<Option<Condition>>,
    before: Before,
    marked: Option<usize>,
    /// The step that runs or ran last.
    pub(crate) step: Option<StepWiring>,
    /// `cx.requeue()` or `cx.requeue_after(d)`: the shortest wins, a curve counts as longest.
    pub(crate) requeue: Option<Option<Duration>>,
    /// Objects asked for by name, as they stand in `observedInputs.references`.
    pub(crate) references: BTreeSet<String>,
    /// A write in the middle of the pass failed with this.
    pub(crate) trouble: Option<ApiError>,
    /// Warnings for the log: run-time values that had to be mended.
    pub(crate) warnings: Vec<String>,
}

/// The status as the pass found it.
struct Before {
    observed_generation: Option<i64>,
    conditions: Vec<Condition>,
    fields: BTreeMap<String, Value>,
    observed_inputs: Option<ObservedInputs>,
}

fn fields_of<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> Result<BTreeMap<String, Value>, serde_json::Error> {
    status.downcast_ref::<S>().map_or_else(|| Ok(BTreeMap::new()), author_fields)
}

impl Draft {
    pub(crate) fn new<K: Primary>(object: &K, wiring: Wiring, backend: Arc<dyn Backend>) -> Self {
        let status = object.status().cloned().unwrap_or_default();
        let found = status.conditions();
        let conditions = wiring.conditions.iter().map(|info| find(found, info.type_).cloned()).collect();
        let before = Before {
            observed_generation: status.observed_generation(),
            conditions: found.to_vec(),
            fields: author_fields(&status).unwrap_or_default(),
            observed_inputs: status.observed_inputs().cloned(),
        };
        Self {
            wiring,
            namespace: object.namespace(),
            name: object.name_any(),
            generation: object.meta().generation.unwrap_or_default(),
            backend,
            status: Box::new(status),
            fields_of: fields_of::<K::Status>,
            conditions,
            before,
            marked: None,
            step: None,
            requeue: None,
            references: BTreeSet::new(),
            trouble: None,
            warnings: Vec::new(),
        }
    }

    pub(crate) fn condition(&self, place: usize) -> Option<&Condition> {
        self.conditions.get(place)?.as_ref()
    }

    fn polarity(&self, place: usize) -> Polarity {
        self.wiring.conditions[place].polarity
    }

    /// Sets a condition, stamped with the generation on which the pass runs.
    pub(crate) fn set(&mut self, place: usize, status: Status, reason: &str, message: &str) {
        let type_ = self.wiring.conditions[place].type_;
        self.conditions[place] = Some(self.stamped(type_, status, reason, message));
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
        let kept =
            find(&self.before.conditions, type_).filter(|c| c.status == status).and_then(|c| c.last_transition_time);
        Condition {
            type_: type_.into(),
            status,
            observed_generation: Some(self.generation),
            last_transition_time: Some(kept.unwrap_or_else(now)),
            reason: reason.into(),
            message: sanitize(message),
        }
    }

    /// The step's negative conditions are cleared when it starts.
    pub(crate) fn begin(&mut self, step: StepWiring) {
        self.step = Some(step);
        for place in step.sets {
            if self.polarity(*place) == Polarity::Negative {
                self.clear(*place);
            }
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

    /// Marks the condition that the error is about: the one that `cx.fail` named, or else the first that the step sets.
    pub(crate) fn fail(&mut self, named: Option<usize>, reason: &str, message: &str) {
        if let Some(place) = named.or_else(|| self.step.and_then(|step| step.sets.first().copied())) {
            self.mark(place, reason, message);
        }
    }

    /// Classifies how the pipeline ended, before the summary.
    pub(crate) fn outcome(&self, halt: Option<Halt>) -> Outcome {
        if let Some(ApiError::Conflict(_)) = self.trouble {
            return Outcome::Conflict;
        }
        match halt {
            None => self.requeue.map_or(Outcome::Done, |after| Outcome::Requeue { after }),
            Some(halt) => match halt.class {
                Class::Stalled => Outcome::Stalled { reason: halt.reason.into(), message: halt.message },
                Class::Waiting { poll } => Outcome::Waiting { poll },
                Class::Transient => Outcome::Failed { message: halt.message },
                Class::Ignored => Outcome::Ignored,
            },
        }
    }

    /// Whether every declared positive condition was reported and none is Unknown.
    fn all_reported(&self) -> bool {
        self.conditions.iter().zip(self.wiring.conditions).all(|(condition, info)| match condition {
            Some(condition) => condition.status != Status::Unknown,
            None => info.polarity == Polarity::Negative,
        })
    }

    /// Positive conditions of steps that were not reached and never reported are Unknown, and say which step is in the way.
    fn block_unreached(&mut self) {
        let Some(current) = self.step else { return };
        let unreached =
            self.wiring.steps.iter().skip_while(|step| step.name != current.name).flat_map(|step| step.sets);
        let unreported: Vec<usize> = unreached
            .copied()
            .filter(|place| self.conditions[*place].is_none() && self.polarity(*place) == Polarity::Positive)
            .collect();
        for place in unreported {
            self.set(place, Status::Unknown, "Blocked", &format!("step {} is in the way", current.name));
        }
    }

    /// Turns the outcome into what is written: conditions, summary, generation. A success that is not ready becomes `Failed`.
    pub(crate) fn conclude(&mut self, outcome: Outcome) -> (Outcome, StatusIntent) {
        let outcome = match outcome {
            Outcome::Ignored if !self.all_reported() => {
                Outcome::Failed { message: "nothing to do, but a condition was never reported".into() }
            }
            other => other,
        };
        if !matches!(outcome, Outcome::Done | Outcome::Ignored | Outcome::Requeue { .. }) {
            self.block_unreached();
        }
        let conditions = self.summarized(&outcome);
        let ready = find(&conditions, READY);
        if matches!(outcome, Outcome::Done | Outcome::Ignored)
            && let Some(ready) = ready.filter(|ready| ready.status != Status::True)
        {
            let failed = Outcome::Failed { message: ready.message.clone() };
            let conditions = self.summarized(&failed);
            return (failed.clone(), self.intent(&failed, conditions));
        }
        let intent = self.intent(&outcome, conditions);
        (outcome, intent)
    }

    /// Stalled, Reconciling, Ready, then declared order: the order as sent.
    fn summarized(&self, outcome: &Outcome) -> Vec<Condition> {
        let declared: Vec<Condition> = self.conditions.iter().flatten().cloned().collect();
        let mut all = Vec::with_capacity(declared.len() + 2);
        match outcome {
            Outcome::Stalled { reason, message } => all.push(self.stamped(STALLED, Status::True, reason, message)),
            Outcome::Requeue { .. } | Outcome::Waiting { .. } | Outcome::Failed { .. } => {
                let message = self.retry_message(outcome);
                all.push(self.stamped(RECONCILING, Status::True, "ProgressingWithRetry", &message));
            }
            _ => {}
        }
        all.extend(declared);
        let marked = self.marked.map(|place| self.wiring.conditions[place].type_);
        if let Some(summary) = Ranking::Worst.summarize(self.wiring.conditions, &all, marked) {
            let ready = self.stamped(READY, summary.status, &summary.reason, &summary.message);
            let at = all.len() - self.conditions.iter().flatten().count();
            all.insert(at, ready);
        }
        all
    }

    fn retry_message(&self, outcome: &Outcome) -> String {
        let step = self.step.map_or("the pass", |step| step.name);
        match outcome {
            Outcome::Waiting { .. } => format!("waiting in {step}"),
            Outcome::Requeue { .. } => format!("{step} asked to run again"),
            _ => format!("retrying {step}"),
        }
    }

    fn intent(&self, outcome: &Outcome, conditions: Vec<Condition>) -> StatusIntent {
        let observed_generation =
            if outcome.is_final() { Some(self.generation) } else { self.before.observed_generation };
        StatusIntent {
            observed_generation,
            conditions,
            fields: self.fields(),
            observed_inputs: self.before.observed_inputs.clone(),
        }
    }

    /// The author's fields as they stand now.
    fn fields(&self) -> BTreeMap<String, Value> {
        (self.fields_of)(self.status.as_ref()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the status fields cannot be written as JSON; the earlier ones are kept");
            self.before.fields.clone()
        })
    }

    /// The status in the middle of a pass: conditions as they were found, the author's fields as they are now.
    pub(crate) fn progress(&self) -> StatusIntent {
        let found = |type_: &str| find(&self.before.conditions, type_).cloned();
        let mut conditions = Vec::new();
        if self.before.observed_generation == Some(self.generation) {
            conditions.extend([STALLED, RECONCILING].into_iter().filter_map(found));
        } else {
            conditions.push(self.stamped(RECONCILING, Status::True, "Progressing", "reconciliation in progress"));
        }
        conditions.push(
            found(READY)
                .unwrap_or_else(|| self.stamped(READY, Status::Unknown, "Progressing", "reconciliation in progress")),
        );
        conditions.extend(self.wiring.conditions.iter().filter_map(|info| found(info.type_)));
        StatusIntent {
            observed_generation: self.before.observed_generation,
            conditions,
            fields: self.fields(),
            observed_inputs: self.before.observed_inputs.clone(),
        }
    }

    /// What is there, in the form of an intent: a write is due only if the intended one differs.
    pub(crate) fn found(&self) -> StatusIntent {
        let ours = |type_: &str| find(&self.before.conditions, type_).cloned();
        let order = [STALLED, RECONCILING, READY].into_iter().chain(self.wiring.conditions.iter().map(|i| i.type_));
        StatusIntent {
            observed_generation: self.before.observed_generation,
            conditions: order.filter_map(ours).collect(),
            fields: self.before.fields.clone(),
            observed_inputs: self.before.observed_inputs.clone(),
        }
    }

    /// Whether the pass changed a condition's status or an author field: the back-off starts anew.
    pub(crate) fn progressed(&self, intent: &StatusIntent) -> bool {
        let statuses = |conditions: &[Condition]| -> BTreeMap<String, Status> {
            let declared = conditions.iter().filter(|c| self.wiring.conditions.iter().any(|i| i.type_ == c.type_));
            declared.map(|c| (c.type_.clone(), c.status)).collect()
        };
        statuses(&self.before.conditions) != statuses(&intent.conditions) || self.before.fields != intent.fields
    }

    pub(crate) fn changed_fields<'a>(&'a self, intent: &'a StatusIntent) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let changed = intent.fields.iter().filter(|(name, value)| self.before.fields.get(*name) != Some(value));
        changed.map(|(name, value)| (name.as_str(), value))
    }
}

/// Whole seconds, as Kubernetes stores times.
fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

//! The status at the start of the pass, and the progress writes of the pass.

use std::borrow::Cow;

use super::DesiredStatus;
use crate::condition::{Condition, ConditionStatus, RECONCILING, STALLED, Stamp, find};
use crate::status::fields::Fields;
use crate::status::observed::Observed;
use crate::status::request::Receipts;
use crate::status::{ObservedInputs, SetStatuses};
use crate::wiring::Wiring;

/// The status at the start of the pass. Successful progress writes are merged into it, so it matches the stored status.
#[derive(Clone)]
pub(super) struct FoundStatus {
    /// The generation of the object in this pass.
    pub(super) generation: i64,
    pub(super) observed_generation: Option<i64>,
    pub(super) conditions: Vec<Condition>,
    /// The author's fields that this reconciler wrote.
    pub(super) fields: Fields,
    /// The author's fields of all reconcilers.
    pub(super) all_fields: Fields,
    /// The fields of this reconciler before the first progress write.
    first: Option<Fields>,
    pub(super) observed_inputs: Option<ObservedInputs>,
    pub(super) receipts: Receipts,
    /// The sets of dependents of this reconciler.
    pub(super) sets: SetStatuses,
    /// The record of the last pass.
    pub(super) observed: Observed<'static>,
}

impl FoundStatus {
    /// The status of an object of this generation, without author fields and handled tokens.
    pub(super) fn new(generation: i64, mut observed: Observed<'static>, conditions: Vec<Condition>) -> Self {
        Self {
            generation,
            observed_generation: observed.generation,
            conditions,
            fields: Fields::new(),
            all_fields: Fields::new(),
            first: None,
            observed_inputs: observed.inputs.take().map(Cow::into_owned),
            receipts: Receipts::default(),
            sets: SetStatuses::new(),
            observed,
        }
    }

    /// A condition with this generation. The transition time is retained while the status does not change.
    pub(super) fn stamped(&self, type_: &str, status: ConditionStatus, reason: &str, message: &str) -> Condition {
        self.stamp(Condition::new(type_, status, reason, message))
    }

    pub(super) fn stamp(&self, condition: Condition) -> Condition {
        let stamp = Stamp::new(self.generation, crate::clock::now());
        stamp.on(find(&self.conditions, &condition.type_), condition)
    }

    /// The fields that belong to this reconciler: it was the last to write them, or has changed them.
    pub(super) fn own(&self, mut fields: Fields) -> Fields {
        fields.retain(|name, value| self.observed.wrote(name) || self.all_fields.get(name) != Some(value));
        fields
    }

    /// The stored status as a desired status.
    pub(super) fn intent(&self, wiring: &Wiring) -> DesiredStatus {
        let found = sent_types(wiring).filter_map(|type_| find(&self.conditions, type_).cloned());
        DesiredStatus { fields: self.fields.clone(), ..self.intent_with(wiring, found.collect()) }
    }

    /// The same at the end of a pass: the values are moved out, since the pass does not need them any longer.
    pub(super) fn take_intent(&mut self, wiring: &Wiring) -> DesiredStatus {
        let mut found = std::mem::take(&mut self.conditions);
        let taken = sent_types(wiring).filter_map(|type_| {
            let place = found.iter().position(|condition| condition.type_ == type_)?;
            Some(found.swap_remove(place))
        });
        let conditions = taken.collect();
        let (observed_inputs, fields) = (self.observed_inputs.take(), std::mem::take(&mut self.fields));
        DesiredStatus { observed_inputs, fields, ..self.intent_with(wiring, conditions) }
    }

    /// The status in the middle of a pass: the conditions of the start, the current fields of the author.
    pub(super) fn progress(&self, wiring: &Wiring, fields: Fields) -> DesiredStatus {
        let found = |type_: &str| find(&self.conditions, type_).cloned();
        let progressing = |type_, status| self.stamped(type_, status, "Progressing", "reconciliation in progress");
        let mut conditions = Vec::new();
        if self.observed_generation == Some(self.generation) {
            conditions.extend(wiring.framework_types().iter().copied().filter_map(found));
        } else if wiring.summary.is_none() {
            conditions.push(progressing(RECONCILING, ConditionStatus::True));
        }
        let summary = wiring.summary_type();
        conditions.push(found(summary).unwrap_or_else(|| progressing(summary, ConditionStatus::Unknown)));
        conditions.extend(wiring.condition_types().filter_map(found));
        DesiredStatus { fields, ..self.intent_with(wiring, conditions) }
    }

    /// The stored generation, inputs and handled tokens, with these conditions and no fields.
    fn intent_with(&self, wiring: &Wiring, conditions: Vec<Condition>) -> DesiredStatus {
        DesiredStatus {
            observed_generation: self.observed_generation,
            conditions,
            fields: Fields::new(),
            observed_inputs: self.observed_inputs.clone(),
            receipts: self.receipts.clone(),
            sets: self.sets.clone(),
            summary: wiring.summary_type(),
            second: second(wiring, self.observed.stalled),
        }
    }

    /// Whether the pass changed the status of a condition or an author field. A change that the pass recorded and reverted is not progress,
    /// since every retry would repeat it.
    pub(super) fn progressed(&self, wiring: &Wiring, intent: &DesiredStatus) -> bool {
        let status = |conditions: &[Condition], type_| find(conditions, type_).map(|condition| condition.status);
        let differs = |type_| status(&self.conditions, type_) != status(&intent.conditions, type_);
        let fields = self.first.as_ref().unwrap_or(&self.fields);
        wiring.conditions.iter().any(|info| differs(info.type_)) || *fields != intent.fields
    }

    /// Updates the stored status after a successful progress write.
    pub(super) fn recorded(&mut self, intent: DesiredStatus) {
        let ours: Vec<String> = intent.conditions.iter().map(|c| c.type_.clone()).collect();
        self.conditions.retain(|c| !ours.contains(&c.type_) && ![STALLED, RECONCILING].contains(&c.type_.as_str()));
        self.conditions.extend(intent.conditions);
        self.observed_inputs = intent.observed_inputs;
        self.sets = intent.sets;
        let found = std::mem::replace(&mut self.fields, intent.fields);
        self.first.get_or_insert(found);
    }
}

/// The condition types of the reconciler in the order in which they are sent.
fn sent_types(wiring: &Wiring) -> impl Iterator<Item = &'static str> + use<> {
    let framework = wiring.framework_types().iter().copied().chain([wiring.summary_type()]);
    framework.chain(wiring.condition_types())
}

/// The name of a second reconciler of the kind and whether it is stalled; `None` for the first.
pub(super) fn second(wiring: &Wiring, stalled: bool) -> Option<(&'static str, bool)> {
    wiring.summary.map(|_| (wiring.name, stalled))
}

//! The status as it is sent: built from the draft, never copied from the object.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::fields::{Field, Fields};
use super::framework_fields::{DEPENDENTS, HANDLED_ACTIONS, OBSERVED_BY};
use super::inputs::ObservedInputs;
use super::request::Receipts;
#[cfg(feature = "dependents")]
use super::set_status::SetStatus;
use super::set_status::SetStatuses;
use crate::condition::{Condition, ConditionStatus, STALLED, find, is_true};
use crate::wiring::policy::Policy;

const CONDITIONS: &str = "conditions";

/// The status to write. It never contains conditions of other writers or unknown fields.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredStatus {
    /// The observed generation. `None` leaves the default.
    pub observed_generation: Option<i64>,
    /// Stalled, Reconciling, Ready and the declared conditions, in the order in which they are sent.
    pub conditions: Vec<Condition>,
    /// The author's fields.
    pub(crate) fields: Fields,
    /// The record of the pass.
    pub observed_inputs: Option<ObservedInputs>,
    /// The handled tokens of requests.
    pub receipts: Receipts,
    /// The sets of dependents of the reconciler.
    pub sets: SetStatuses,
    /// The type of the summary condition.
    pub summary: &'static str,
    /// For a second reconciler of the kind: its name, and whether it is stalled.
    pub second: Option<(&'static str, bool)>,
}

impl DesiredStatus {
    /// An empty status whose summary is Ready.
    #[cfg(test)]
    pub(crate) fn empty() -> Self {
        Self {
            observed_generation: None,
            conditions: Vec::new(),
            fields: Fields::new(),
            observed_inputs: None,
            receipts: Receipts::default(),
            sets: SetStatuses::new(),
            summary: crate::condition::READY,
            second: None,
        }
    }

    /// The `status` stanza as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut status: serde_json::Map<String, Value> =
            self.parts().into_iter().map(|(name, part)| (name.into_owned(), part)).collect();
        status.insert(CONDITIONS.into(), json!(self.conditions));
        Value::Object(status)
    }

    /// The same as text, with sorted keys, as API servers write it.
    pub(crate) fn to_text(&self) -> String {
        let mut all: BTreeMap<_, Part<'_>> =
            self.parts().into_iter().map(|(name, part)| (name, Part::Value(part))).collect();
        all.insert(CONDITIONS.into(), Part::Conditions(self.conditions.iter().map(Sorted::of).collect()));
        serde_json::to_string(&all).unwrap_or_else(|_| self.to_value().to_string())
    }

    /// All fields but the conditions.
    fn parts(&self) -> BTreeMap<Cow<'static, str>, Value> {
        let mut status: BTreeMap<Cow<'static, str>, Value> =
            self.fields.iter().map(|(name, field)| (name.clone(), field.value())).collect();
        if !self.sets.is_empty() {
            status.insert(DEPENDENTS.into(), json!(self.sets));
        }
        if let Some((name, stalled)) = self.second {
            let mut by = BTreeMap::new();
            by.insert(name, self.observed_by(stalled));
            status.insert(OBSERVED_BY.into(), json!(by));
            return status;
        }
        if let Some(generation) = self.observed_generation {
            status.insert("observedGeneration".into(), json!(generation));
        }
        if let Some(inputs) = &self.observed_inputs {
            status.insert("observedInputs".into(), explicit(inputs));
        }
        if let Some(token) = &self.receipts.reconcile {
            status.insert("lastHandledReconcileAt".into(), json!(token));
        }
        if !self.receipts.actions.is_empty() {
            status.insert(HANDLED_ACTIONS.into(), json!(self.receipts.actions));
        }
        status
    }

    fn observed_by(&self, stalled: bool) -> Value {
        let mut by = explicit(&self.observed_inputs.clone().unwrap_or_default());
        by["stalled"] = json!(stalled);
        by["fields"] = json!(self.fields.keys().collect::<Vec<_>>());
        by["lastHandledActions"] = json!(self.receipts.actions);
        if let Some(generation) = self.observed_generation {
            by["generation"] = json!(generation);
        }
        if let Some(token) = &self.receipts.reconcile {
            by["lastHandledReconcileAt"] = json!(token);
        }
        by
    }

    /// The same for a write in the middle of a pass. If the pass ends there, the outcome must not look final.
    pub(crate) fn unfinished(self) -> Self {
        Self { observed_inputs: self.observed_inputs.map(ObservedInputs::not_final), ..self }
    }

    /// The same for a write by a patch. It is not final until server-side apply owns its fields.
    pub(crate) fn patched(self) -> Self {
        Self { observed_inputs: Some(self.observed_inputs.unwrap_or_default().patched()), ..self }
    }

    /// Whether it differs from the other only in the digest or the wiring hash.
    pub(crate) fn differs_in_digest_only(&self, other: &Self) -> bool {
        let Self { observed_generation, conditions, fields, observed_inputs, receipts, sets, summary, second } = self;
        let same_inputs = match (observed_inputs, &other.observed_inputs) {
            (Some(ObservedInputs { wiring: _, digest: _, references, policy, claimed, added }), Some(inputs)) => {
                (references, policy, claimed, added)
                    == (&inputs.references, &inputs.policy, &inputs.claimed, &inputs.added)
            }
            _ => false,
        };
        same_inputs
            && *observed_generation == other.observed_generation
            && *conditions == other.conditions
            && *fields == other.fields
            && *receipts == other.receipts
            && *sets == other.sets
            && (summary, second) == (&other.summary, &other.second)
    }

    /// Whether it differs from the other only in how far the dependents of a wave are, and in messages about that.
    #[cfg(feature = "dependents")]
    pub(crate) fn differs_in_progress_only(&self, other: &Self) -> bool {
        let without_progress = |status: &Self| {
            let mut status = status.clone();
            status.conditions.iter_mut().for_each(|condition| condition.message.clear());
            status.sets.values_mut().for_each(SetStatus::forget_progress);
            status
        };
        self.sets != other.sets && without_progress(self) == without_progress(other)
    }

    /// The author's fields that are absent from the other or have another value there.
    pub(crate) fn changed_fields<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a str, &'a Field)> {
        let changed = self.fields.iter().filter(|(name, value)| other.fields.get(*name) != Some(value));
        changed.map(|(name, field)| (&**name, field))
    }

    /// The summary condition.
    pub(crate) fn ready(&self) -> Option<&Condition> {
        find(&self.conditions, self.summary)
    }

    /// Whether the object is stalled, so that only a person can fix it.
    pub(crate) fn is_stalled(&self) -> bool {
        self.second.map_or_else(|| is_true(&self.conditions, STALLED), |(_, stalled)| stalled)
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Value(Value),
    Conditions(Vec<Sorted<'a>>),
}

/// A condition whose fields are in the order of their names. A tree of each condition would take twice as long.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sorted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    last_transition_time: &'a Option<Timestamp>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_generation: &'a Option<i64>,
    reason: &'a str,
    status: &'a ConditionStatus,
    #[serde(rename = "type")]
    type_: &'a str,
}

impl<'a> Sorted<'a> {
    fn of(condition: &'a Condition) -> Self {
        let Condition { type_, status, observed_generation, last_transition_time, reason, message } = condition;
        Self { last_transition_time, message, observed_generation, reason, status, type_ }
    }
}

/// Sets every field explicitly: an omitted field would retain its value if another manager owns it.
fn explicit(inputs: &ObservedInputs) -> Value {
    let ObservedInputs { wiring, digest, references, policy, claimed, added } = inputs;
    let policy = if policy.is_empty() { Policy::Manage.as_str() } else { policy };
    let mut fields = json!({ "references": references, "policy": policy, "claimed": claimed });
    // Only watchers set it, and an older CRD does not declare it.
    if *added {
        fields["added"] = json!(true);
    }
    // A hash is empty only if none was ever written. Kubernetes 1.20 would store null for a new field with an empty string.
    for (name, hash) in [("wiring", wiring), ("digest", digest)].into_iter().filter(|(_, hash)| !hash.is_empty()) {
        fields[name] = json!(hash);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::READY;

    fn inputs() -> ObservedInputs {
        ObservedInputs {
            wiring: "w".into(),
            digest: "d".into(),
            references: vec!["v1/Secret/a/x".into()],
            policy: String::new(),
            claimed: vec!["labels/tier".into()],
            added: false,
        }
    }

    fn intent() -> DesiredStatus {
        DesiredStatus {
            observed_generation: Some(7),
            conditions: vec![Condition::new(READY, ConditionStatus::True, "Done", "")],
            observed_inputs: Some(inputs()),
            receipts: Receipts { reconcile: Some("now".into()), actions: [("force".into(), "1".into())].into() },
            ..DesiredStatus::empty()
        }
    }

    /// The same with other inputs.
    fn with(change: impl FnOnce(&mut ObservedInputs)) -> DesiredStatus {
        let mut inputs = inputs();
        change(&mut inputs);
        DesiredStatus { observed_inputs: Some(inputs), ..intent() }
    }

    #[test]
    fn only_a_digest_or_wiring_difference_is_written_late() {
        for late in [with(|inputs| inputs.digest = "other".into()), with(|inputs| inputs.wiring = "other".into())] {
            assert!(intent().differs_in_digest_only(&late));
        }
        let others = [
            with(|inputs| inputs.references.clear()),
            with(|inputs| inputs.policy = "skip".into()),
            with(|inputs| inputs.claimed.clear()),
            DesiredStatus { observed_inputs: None, ..intent() },
            DesiredStatus { observed_generation: Some(8), ..intent() },
            DesiredStatus { conditions: Vec::new(), ..intent() },
            DesiredStatus { receipts: Receipts::default(), ..intent() },
            DesiredStatus { summary: "Available", ..intent() },
            DesiredStatus { second: Some(("backups", false)), ..intent() },
        ];
        for other in others {
            assert!(!intent().differs_in_digest_only(&other), "{other:?}");
            assert!(!other.differs_in_digest_only(&intent()), "{other:?}");
        }
    }

    #[test]
    fn every_field_is_serialized_by_value() {
        let sent = intent().to_value();
        assert_eq!((&sent["observedGeneration"], &sent["lastHandledReconcileAt"]), (&json!(7), &json!("now")));
        assert_eq!(sent[HANDLED_ACTIONS], json!({ "force": "1" }));
        let inputs = json!({ "wiring": "w", "digest": "d", "references": ["v1/Secret/a/x"], "policy": "manage",
            "claimed": ["labels/tier"] });
        assert_eq!(sent["observedInputs"], inputs);
        assert_eq!(DesiredStatus::empty().to_value(), json!({ "conditions": [] }));
        let unwritten = with(|inputs| (inputs.wiring, inputs.digest) = (String::new(), String::new())).to_value();
        assert!(
            unwritten["observedInputs"].get("digest").is_none() && unwritten["observedInputs"].get("wiring").is_none()
        );
    }

    #[test]
    fn the_text_is_that_of_the_value() {
        let mut full = Condition::new(READY, ConditionStatus::Unknown, "Done", "a \"text\" <b>");
        (full.observed_generation, full.last_transition_time) = (Some(7), Some(Timestamp::UNIX_EPOCH));
        let second = Some(("backups", true));
        let conditions = vec![full, Condition::new("A", ConditionStatus::False, "B", "")];
        for status in [
            DesiredStatus::empty(),
            intent(),
            DesiredStatus { conditions, ..intent() },
            DesiredStatus { second, ..intent() },
        ] {
            assert_eq!(status.to_text(), status.to_value().to_string());
        }
    }

    #[test]
    fn a_second_reconciler_writes_its_own_entry() {
        let sent = DesiredStatus { second: Some(("backups", true)), ..intent() }.to_value();
        assert!(sent.get("observedGeneration").is_none() && sent.get("observedInputs").is_none());
        let by = &sent[OBSERVED_BY]["backups"];
        assert_eq!((&by["stalled"], &by["generation"], &by["digest"]), (&json!(true), &json!(7), &json!("d")));
        assert_eq!((&by["lastHandledReconcileAt"], &by["fields"]), (&json!("now"), &json!([])));
        assert_eq!(by["lastHandledActions"], json!({ "force": "1" }));
    }

    #[test]
    fn an_unfinished_or_patched_status_is_not_final() {
        let digest = |intent: DesiredStatus| intent.observed_inputs.map(|inputs| (inputs.is_final(), inputs.wiring));
        assert_eq!(digest(intent()), Some((true, "w".into())));
        assert_eq!(digest(intent().unfinished()), Some((false, "w".into())));
        assert_eq!(digest(intent().patched()), Some((false, "patched".into())));
        assert_eq!(digest(DesiredStatus::empty().patched()), Some((false, "patched".into())));
    }

    #[test]
    fn a_second_reconciler_has_its_own_stalled_flag() {
        let stalled =
            DesiredStatus { conditions: vec![Condition::new(STALLED, ConditionStatus::True, "Bad", "")], ..intent() };
        assert!(stalled.is_stalled() && !intent().is_stalled());
        assert!(DesiredStatus { second: Some(("backups", true)), ..intent() }.is_stalled());
        assert!(!DesiredStatus { second: Some(("backups", false)), ..stalled }.is_stalled());
        assert_eq!(intent().ready().map(|ready| &*ready.reason), Some("Done"));
    }

    #[test]
    fn changed_fields_are_new_or_different() {
        let of = |fields: &[(&'static str, u8)]| DesiredStatus {
            fields: fields.iter().map(|(name, value)| ((*name).into(), Field::of(value))).collect(),
            ..DesiredStatus::empty()
        };
        let (now, before) =
            (of(&[("same", 1), ("other", 2), ("new", 1)]), of(&[("same", 1), ("other", 1), ("gone", 1)]));
        let changed: Vec<&str> = now.changed_fields(&before).map(|(name, _)| name).collect();
        assert_eq!(changed, ["new", "other"]);
    }
}

//! The status as it is sent: built from the draft, never copied from the object.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::Error as _;
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
        Value::Object(self.parts().into_iter().map(|(name, part)| (name.to_owned(), part.value())).collect())
    }

    /// The same as text, with sorted keys, as API servers write it.
    pub(crate) fn to_text(&self) -> String {
        self.sorted_text().unwrap_or_else(|_| self.to_value().to_string())
    }

    fn sorted_text(&self) -> serde_json::Result<String> {
        let mut text = Vec::with_capacity(1024);
        for (name, part) in self.parts() {
            text.push(if text.is_empty() { b'{' } else { b',' });
            serde_json::to_writer(&mut text, name)?;
            text.push(b':');
            part.write(&mut text)?;
        }
        text.push(b'}');
        String::from_utf8(text).map_err(serde_json::Error::custom)
    }

    /// The fields by their names.
    fn parts(&self) -> BTreeMap<&str, Part<'_>> {
        let mut status: BTreeMap<&str, Part<'_>> =
            self.fields.iter().map(|(name, field)| (&**name, Part::Field(field))).collect();
        status.insert(CONDITIONS, Part::Conditions(self.conditions.iter().map(Sorted::of).collect()));
        if !self.sets.is_empty() {
            status.insert(DEPENDENTS, Part::Value(json!(self.sets)));
        }
        if let Some((name, stalled)) = self.second {
            status.insert(OBSERVED_BY, Part::Value(json!({ name: self.observed_by(stalled) })));
            return status;
        }
        if let Some(generation) = self.observed_generation {
            status.insert("observedGeneration", Part::Value(generation.into()));
        }
        if let Some(inputs) = &self.observed_inputs {
            status.insert("observedInputs", Part::Inputs(Explicit::of(inputs)));
        }
        if let Some(token) = &self.receipts.reconcile {
            status.insert("lastHandledReconcileAt", Part::Value(json!(token)));
        }
        if !self.receipts.actions.is_empty() {
            status.insert(HANDLED_ACTIONS, Part::Value(json!(self.receipts.actions)));
        }
        status
    }

    fn observed_by(&self, stalled: bool) -> Value {
        let mut by = json!(Explicit::of(&self.observed_inputs.clone().unwrap_or_default()));
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

/// One field of the status.
enum Part<'a> {
    Field(&'a Field),
    Conditions(Vec<Sorted<'a>>),
    Inputs(Explicit<'a>),
    Value(Value),
}

impl Part<'_> {
    /// Appends it as text with sorted keys.
    fn write(&self, text: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Field(field) => text.extend_from_slice(field.sorted_text().as_bytes()),
            Self::Conditions(conditions) => serde_json::to_writer(text, conditions)?,
            Self::Inputs(inputs) => serde_json::to_writer(text, inputs)?,
            Self::Value(value) => serde_json::to_writer(text, value)?,
        }
        Ok(())
    }

    fn value(self) -> Value {
        match self {
            Self::Field(field) => field.value(),
            Self::Conditions(conditions) => json!(conditions),
            Self::Inputs(inputs) => json!(inputs),
            Self::Value(value) => value,
        }
    }
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

/// The observed inputs with every field, in the order of their names: an omitted field would retain its value if another manager owns it.
#[derive(Serialize)]
struct Explicit<'a> {
    /// Only watchers set it, and an older CRD does not declare it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    added: bool,
    claimed: &'a [String],
    // A hash is empty only if none was ever written. Kubernetes 1.20 would store null for a new field with an empty string.
    #[serde(skip_serializing_if = "str::is_empty")]
    digest: &'a str,
    policy: &'a str,
    references: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    wiring: &'a str,
}

impl<'a> Explicit<'a> {
    fn of(inputs: &'a ObservedInputs) -> Self {
        let ObservedInputs { wiring, digest, references, policy, claimed, added } = inputs;
        let policy = if policy.is_empty() { Policy::Manage.as_str() } else { policy };
        Self { added: *added, claimed, digest, policy, references, wiring }
    }
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

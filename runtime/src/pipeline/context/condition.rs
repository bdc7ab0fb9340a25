//! Conditions computed from other objects: mirrored from one, or aggregated over several.

use serde::Serialize;
use serde_json::Value;

use super::Cx;
use crate::condition::{
    Condition, ConditionMarker, ConditionStatus, Fallback, Merge, Polarity, READY, Ranking, Source, is_true, mirror,
};
use crate::pipeline::permission::SetBy;
use crate::pipeline::step::SubReconciler;

impl<S: SubReconciler> Cx<'_, S> {
    /// Sets a condition of this step to the Ready condition of another object.
    ///
    /// The status follows the polarity of the condition: if the other object is ready, a negative condition is False. The condition is
    /// Unknown in these cases:
    ///
    /// - Ready is True, but the other object has not observed its current generation yet.
    /// - The other object has no Ready condition, because its controller has not reported one yet.
    ///
    /// The reason is copied from the other object, even if the condition declares a closed set of reasons.
    pub fn mirror<C: ConditionMarker + SetBy<S>>(&mut self, on: C, object: &impl Serialize) {
        let other = Other::read(object);
        let message = format!("{other} does not say whether it is ready");
        self.show(
            on,
            &other.ready(Fallback { status: ConditionStatus::Unknown, reason: "NotYetReported", message: &message }),
        );
    }

    /// The same as [`mirror`](Self::mirror), with `fallback` for an object without a Ready condition.
    pub fn mirror_or<C: ConditionMarker + SetBy<S>>(&mut self, on: C, object: &impl Serialize, fallback: Fallback<'_>) {
        self.show(on, &Other::read(object).ready(fallback));
    }

    /// Sets a condition of this step from the Ready conditions of several objects.
    ///
    /// Status and reason come from the worst Ready condition; the message contains the number of ready objects. Without objects the condition
    /// is not set.
    pub fn aggregate<'o, C: ConditionMarker + SetBy<S>, K: Serialize + 'o>(
        &mut self,
        on: C,
        objects: impl IntoIterator<Item = &'o K>,
    ) {
        let others: Vec<Other> = objects.into_iter().map(Other::read).collect();
        if let Some(condition) = aggregate(&others) {
            self.show(on, &condition);
        }
    }

    fn show<C: ConditionMarker>(&mut self, _: C, shown: &Condition) {
        let polarity = self.state.polarity(C::INDEX);
        let status = polarity.status(Polarity::Positive.verdict(shown.status));
        self.set_bits |= 1 << C::INDEX;
        self.state.set(C::INDEX, status, &shown.reason, &shown.message);
    }
}

/// The worst Ready condition. The message names the object that has it, because a reason cannot contain a name.
fn aggregate(others: &[Other]) -> Option<Condition> {
    let silent = Fallback { status: ConditionStatus::Unknown, reason: "NotYetReported", message: "not reported yet" };
    let ready: Vec<[Condition; 1]> = others.iter().map(|other| [other.ready(silent)]).collect();
    let sources: Vec<Source<'_>> = others
        .iter()
        .zip(&ready)
        .map(|(other, conditions)| Source { kind: &other.kind, name: &other.name, conditions })
        .collect();
    let mut worst = Merge::new(Ranking::Worst).types([READY]).sourced().aggregate(&sources, READY)?;
    let good = ready.iter().flatten().filter(|condition| condition.status == ConditionStatus::True).count();
    let (reason, of) = worst.reason.split_once(" @ ").unwrap_or((&worst.reason, ""));
    worst.message = match worst.status {
        ConditionStatus::True => format!("{good} of {} ready", others.len()),
        ConditionStatus::False | ConditionStatus::Unknown | ConditionStatus::Other => {
            format!("{good} of {} ready; {of}: {}", others.len(), worst.message)
        }
    };
    worst.reason = reason.to_owned();
    Some(worst)
}

/// The parts of another object that determine its readiness.
struct Other {
    kind: String,
    name: String,
    generation: Option<i64>,
    observed: Option<i64>,
    conditions: Vec<Condition>,
}

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

impl Other {
    fn read(object: &impl Serialize) -> Self {
        let object = serde_json::to_value(object).unwrap_or_default();
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let conditions = object.pointer("/status/conditions").cloned().unwrap_or_default();
        Self {
            kind: text("/kind"),
            name: text("/metadata/name"),
            generation: object.pointer("/metadata/generation").and_then(Value::as_i64),
            observed: object.pointer("/status/observedGeneration").and_then(Value::as_i64),
            conditions: serde_json::from_value(conditions).unwrap_or_default(),
        }
    }

    /// The Ready condition of the object. True only if it is set for the current generation.
    fn ready(&self, fallback: Fallback<'_>) -> Condition {
        // A failure does not record its generation, so a Ready condition that is not True counts for every generation.
        let is_behind = self.observed.is_some() && self.observed != self.generation;
        if is_behind && is_true(&self.conditions, READY) {
            let message = format!("{self} has not observed generation {} yet", self.generation.unwrap_or_default());
            return Condition::new(READY, ConditionStatus::Unknown, "Progressing", message);
        }
        let shown = mirror(&self.conditions, READY, Some(fallback));
        let mut shown =
            shown.unwrap_or_else(|| Condition::new(READY, fallback.status, fallback.reason, fallback.message));
        if shown.reason.is_empty() {
            // Other controllers may omit the reason; a condition that evenkeel writes must have one.
            shown.reason = "Mirrored".into();
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SILENT: Fallback<'_> = Fallback { status: ConditionStatus::False, reason: "Silent", message: "says nothing" };

    fn object(name: &str, observed: i64, status: &str) -> Value {
        let ready = json!([{ "type": "Ready", "status": status, "reason": "Because", "message": "of this" }]);
        json!({
            "kind": "Bucket", "metadata": { "name": name, "generation": 2 },
            "status": { "observedGeneration": observed, "conditions": ready },
        })
    }

    #[test]
    fn an_outdated_ready_is_mirrored_as_unknown() {
        let shown = |object: &Value| Other::read(object).ready(SILENT);
        let current = shown(&object("a", 2, "False"));
        assert_eq!(
            (current.status, &*current.reason, &*current.message),
            (ConditionStatus::False, "Because", "of this")
        );
        let behind = shown(&object("a", 1, "True"));
        assert_eq!((behind.status, &*behind.reason), (ConditionStatus::Unknown, "Progressing"));
        assert!(behind.message.contains("Bucket/a"));
        assert_eq!(shown(&object("a", -1, "False")).reason, "Because");
    }

    #[test]
    fn an_object_without_ready_uses_the_fallback() {
        for silent in [json!({}), json!({ "status": { "conditions": 3 } }), json!(null)] {
            assert_eq!(Other::read(&silent).ready(SILENT).reason, "Silent");
        }
    }

    #[test]
    fn an_aggregate_counts_ready_objects_and_names_the_worst() {
        let others = |objects: &[Value]| objects.iter().map(Other::read).collect::<Vec<_>>();
        let mixed = aggregate(&others(&[object("a", 2, "True"), object("b", 2, "False")])).unwrap();
        assert_eq!((mixed.status, &*mixed.reason), (ConditionStatus::False, "Because"));
        assert_eq!(mixed.message, "1 of 2 ready; Bucket/b: of this");
        let good = aggregate(&others(&[object("a", 2, "True"), object("b", 2, "True")])).unwrap();
        assert_eq!((good.status, &*good.message), (ConditionStatus::True, "2 of 2 ready"));
        let silent = aggregate(&others(&[object("a", 2, "True"), json!({ "kind": "Bucket" })])).unwrap();
        assert_eq!((silent.status, &*silent.reason), (ConditionStatus::Unknown, "NotYetReported"));
        assert_eq!(aggregate(&[]), None);
    }
}

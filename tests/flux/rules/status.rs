//! Conditions of the cases and the tables of the reference, implemented separately so that no rule uses the tested code.

use serde_json::{Value, json};

use crate::value::{text, words};

/// The conditions of an answer or an input.
pub(super) struct Status(Vec<Value>);

/// The types that are ordered before all others.
const FIRST: [&str; 3] = ["Stalled", "Reconciling", "Ready"];

impl Status {
    pub(super) fn of(conditions: &Value) -> Self {
        Self(conditions.as_array().into_iter().flatten().filter(|one| !one.is_null()).cloned().collect())
    }

    pub(super) fn find(&self, type_: &str) -> Option<&Value> {
        self.0.iter().find(|one| one["type"] == type_)
    }

    pub(super) fn is(&self, type_: &str, status: &str) -> bool {
        self.find(type_).is_some_and(|one| one["status"] == status)
    }

    pub(super) fn remove(&mut self, type_: &str) {
        self.0.retain(|one| one["type"] != type_);
    }

    /// Sets a condition, with the generation of the input.
    pub(super) fn set(&mut self, input: &Value, [type_, status, reason, message]: [&str; 4]) {
        self.remove(type_);
        let mut condition = json!({ "type": type_, "status": status, "reason": reason, "message": message });
        if input["generation"] != 0 {
            condition["observedGeneration"] = input["generation"].clone();
        }
        self.0.push(condition);
        self.sort();
    }

    fn sort(&mut self) {
        self.0.sort_by_key(|one| {
            let place = FIRST.iter().position(|first| one["type"] == *first).unwrap_or(FIRST.len());
            let generation =
                if place < FIRST.len() { 0 } else { one["observedGeneration"].as_i64().unwrap_or_default() };
            (place, -generation, text(&one["type"]).to_owned())
        });
    }

    /// Sets Ready to False with the reason and the message of another condition.
    pub(super) fn fail_as(&mut self, input: &Value, type_: &str) {
        let Some(one) = self.find(type_).cloned() else { return };
        self.set(input, ["Ready", "False", text(&one["reason"]), text(&one["message"])]);
    }

    /// Creates the summaries as if there were none.
    pub(super) fn summarize_again(&mut self, input: &Value) {
        let before = Self::of(&input["conditions"]);
        for target in targets(input) {
            self.remove(text(&target["target"]));
            self.0.extend(before.find(text(&target["target"])).cloned());
        }
        self.sort();
        self.summarize(input);
    }

    /// Creates the summaries of all targets; then the first False bipolar condition decides Ready.
    pub(super) fn summarize(&mut self, input: &Value) {
        for target in targets(input) {
            let Some((status, [reason, message])) = self.summary(target) else { continue };
            self.set(input, [text(&target["target"]), status, &reason, &message]);
        }
        if let Some(bad) = words(&input["bipolar"]).into_iter().find(|type_| self.is(type_, "False")) {
            self.fail_as(input, bad);
        }
    }

    /// Status, reason and message of the deciding condition: the one of the best rank, of these the first declared.
    fn summary(&self, target: &Value) -> Option<(&'static str, [String; 2])> {
        let negative = words(&target["negativePolarity"]);
        let declared = words(&target["summarize"]);
        let scope = declared.iter().filter(|type_| target["target"] != **type_).filter_map(|type_| self.find(type_));
        let ranked = scope.map(|one| (rank(text(&one["status"]), negative.contains(&text(&one["type"]))), one));
        let (rank, heard) = ranked.min_by_key(|(rank, _)| *rank)?;
        let texts = ["reason", "message"].map(|key| text(&heard[key]).to_owned());
        let status = match rank {
            0 | 1 => "False",
            2 | 3 => "True",
            _ => "Unknown",
        };
        assert!(!negative.contains(&text(&target["target"])), "no rule is written for a negative target");
        Some((status, texts))
    }

    pub(super) fn list(self) -> Value {
        Value::Array(self.0)
    }
}

fn targets(input: &Value) -> impl Iterator<Item = &Value> {
    input["targets"].as_array().into_iter().flatten()
}

/// Whether Ready is one of the summaries.
pub(super) fn summarizes_ready(input: &Value) -> bool {
    targets(input).any(|target| target["target"] == "Ready")
}

fn rank(status: &str, is_negative: bool) -> u8 {
    match (status, is_negative) {
        ("True", true) => 0,
        ("False", false) => 1,
        ("True", false) => 2,
        ("False", true) => 3,
        ("Unknown", _) => 4,
        _ => 99,
    }
}

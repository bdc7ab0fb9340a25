//! The fields of an object that kstatus reads.

use serde_json::Value;

/// The generations and conditions of an object. Missing or malformed values are read as zero or empty.
pub(crate) struct Object<'o> {
    pub(crate) generation: i64,
    pub(crate) observed: Option<i64>,
    pub(crate) conditions: Vec<Condition<'o>>,
}

/// One condition.
pub(crate) struct Condition<'o> {
    pub(crate) kind: &'o str,
    pub(crate) status: &'o str,
    pub(crate) reason: &'o str,
    pub(crate) message: &'o str,
    pub(crate) observed: i64,
}

impl<'o> Object<'o> {
    pub(crate) fn read(obj: &'o Value) -> Self {
        let number = |path: &str| obj.pointer(path).and_then(Value::as_i64);
        let conditions = obj.pointer("/status/conditions").and_then(Value::as_array);
        Self {
            generation: number("/metadata/generation").unwrap_or_default(),
            observed: number("/status/observedGeneration"),
            conditions: conditions.into_iter().flatten().map(Condition::read).collect(),
        }
    }

    pub(crate) fn condition(&self, kind: &str) -> Option<&Condition<'o>> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    pub(crate) fn is_true(&self, kind: &str) -> bool {
        self.condition(kind).is_some_and(Condition::is_true)
    }

    /// Returns the observed generation, or zero if there is none.
    pub(crate) fn observed_or_zero(&self) -> i64 {
        self.observed.unwrap_or_default()
    }
}

impl<'o> Condition<'o> {
    fn read(json: &'o Value) -> Self {
        let text = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
        Self {
            kind: text("type"),
            status: text("status"),
            reason: text("reason"),
            message: text("message"),
            observed: json.get("observedGeneration").and_then(Value::as_i64).unwrap_or_default(),
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        self.status == "True"
    }
}

//! The result of a row.

use std::fmt;

use serde_json::{Map, Value, json};

use super::expected;
use crate::cluster::Cluster;
use crate::diff::diff;
use crate::log::Entry;
use crate::snapshot::{Redactor, marks};

/// The outcome of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A success, which an expectation may omit.
    Success(String),
    /// Any other outcome.
    Failure(String),
}

/// The answer of the API server to the write of a row.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The messages of the refusal by field, or one message.
    pub(crate) denied: Value,
    pub(crate) warnings: Vec<String>,
    /// The stored object.
    pub(crate) object: Value,
}

impl Default for Answer {
    fn default() -> Self {
        Self { denied: json!({}), warnings: Vec::new(), object: Value::Null }
    }
}

/// The observed result of a [`Row`](super::Row).
///
/// `Display` writes it in the format of an expectation for [`expect`](Seen::expect). Dependents of evenkeel have no marks
/// there: labels and annotations with which the operator finds them, and digests.
#[derive(Clone, Debug)]
#[must_use = "what was seen asserts nothing by itself: call `expect`"]
pub struct Seen {
    name: String,
    cluster: Cluster,
    outcome: Outcome,
    writes: Vec<(String, Value)>,
    events: Vec<String>,
    conditions: Map<String, Value>,
    /// The status fields that a step changed. Those of a pass are in its writes.
    status: Map<String, Value>,
    answer: Answer,
}

impl Seen {
    /// Sets the answer to the only write of the row.
    #[cfg(feature = "webhooks")]
    pub(crate) fn answered(self, mut answer: Answer) -> Self {
        answer.object = Redactor::new(&[&answer.object]).object(answer.object.clone());
        Self { answer, writes: Vec::new(), ..self }
    }

    /// Sets the conditions and status fields in the draft of a step.
    #[cfg(feature = "evenkeel")]
    pub(crate) fn with(self, conditions: Map<String, Value>, status: Map<String, Value>) -> Self {
        Self { conditions, status, ..self }
    }

    /// Returns the result as a text without the values that differ in every run.
    #[cfg(feature = "evenkeel")]
    pub(super) fn comparable(&self) -> String {
        let writes = self.writes.iter().map(|(line, body)| (line.clone(), lasting(body.clone()))).collect();
        Self { writes, ..self.clone() }.to_string()
    }

    /// Returns the labels and annotations that a claim wrote, as listed in the statuses: `labels/example.com/tier`.
    #[cfg(feature = "evenkeel")]
    pub(super) fn claimed(&self) -> std::collections::BTreeSet<String> {
        let objects = self.cluster.server().store.all();
        let status = objects.iter().map(|(_, object)| &object["status"]);
        let observed = status.flat_map(|status| {
            let others = status["observedBy"].as_object().into_iter().flatten().map(|(_, by)| by);
            std::iter::once(&status["observedInputs"]).chain(others)
        });
        let claimed = observed.flat_map(|inputs| inputs["claimed"].as_array().into_iter().flatten());
        claimed.filter_map(|name| name.as_str().map(ToOwned::to_owned)).collect()
    }

    pub(crate) fn of(name: String, cluster: &Cluster, outcome: Outcome) -> Self {
        let objects: Vec<Value> = cluster.server().store.all().iter().map(|(_, object)| Value::clone(object)).collect();
        let redactor = Redactor::new(&objects.iter().collect::<Vec<_>>());
        let writes = cluster.log().requests().writes();
        let body = |entry: &Entry| {
            let mut body = redactor.object(entry.json().unwrap_or_default());
            marks::remove(&mut body);
            body
        };
        let event_writes = writes.resource("events");
        Self {
            writes: writes.without("events").entries().iter().map(|entry| (line(entry), body(entry))).collect(),
            events: event_writes.entries().iter().filter_map(|entry| event(&body(entry))).collect(),
            conditions: conditions(&redactor, &objects, writes.subresource("status").entries()),
            status: Map::new(),
            answer: Answer::default(),
            cluster: cluster.clone(),
            name,
            outcome,
        }
    }

    /// Returns the cluster in its final state.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Asserts that the result is exactly this. A section without items may be omitted:
    ///
    /// ```yaml
    /// outcome: Waiting         # omitted: any success
    /// writes:                  # in order, in the form of `Entry::line`; a rejected write ends in `-> 409`
    /// - patch widgets default/w: {metadata: {finalizers: [ex.dev/f]}}    # with these fields in the body
    /// - patch widgets/status default/w                                    # with any body
    /// events:
    /// - Warning SecretMissing  # with any message, or `Warning SecretMissing: <message>`
    /// conditions:              # of the objects whose status was written; `w/Ready` if there are several
    ///   Ready: False SecretMissing    # with any message, or `False SecretMissing: <message>`
    /// status: {revision: a}    # for a single step: the fields that it changed
    /// denied: {spec.team: there is no team}    # for `admit`: the causes of a refusal
    /// warnings: [plain http]   # for `admit`
    /// object: {spec: {size: 1}}    # for `admit`: the stored object, with these fields
    /// ```
    ///
    /// # Panics
    /// Panics if the result differs. The message contains the difference and the whole result.
    #[track_caller]
    pub fn expect(&self, wanted: &str) {
        let wanted = expected::read(wanted).unwrap_or_else(|why| panic!("{}: the expectation {why}", self.name));
        let found = self.projected(&wanted);
        let texts = [&wanted, &found].map(|value| serde_saphyr::to_string(value).unwrap_or_default());
        if let Some(difference) = diff(&texts[0], &texts[1]) {
            panic!("{}: - expected, + seen\n{difference}\nall that was seen:\n{self}", self.name);
        }
    }

    /// Returns the result, projected onto the expectation.
    fn projected(&self, wanted: &Value) -> Value {
        let outcome = match &self.outcome {
            Outcome::Success(_) if wanted["outcome"].is_null() => Value::Null,
            Outcome::Success(text) | Outcome::Failure(text) => json!(expected::headline(&wanted["outcome"], text)),
        };
        let conditions = self.conditions.iter().map(|(type_, text)| {
            let text = expected::headline(&wanted["conditions"][type_], text.as_str().unwrap_or_default());
            (type_.clone(), json!(text))
        });
        let events = self.events.iter().zip(expected::items(&wanted["events"]));
        json!({
            "outcome": outcome,
            "writes": expected::writes(&wanted["writes"], &self.writes),
            "events": events.map(|(event, wanted)| expected::headline(wanted, event)).collect::<Vec<_>>(),
            "conditions": conditions.collect::<Map<_, _>>(),
            "status": self.status,
            "denied": self.answer.denied,
            "warnings": self.answer.warnings,
            "object": self.object(&wanted["object"]),
        })
    }

    /// The fields of the stored object that are expected.
    fn object(&self, wanted: &Value) -> Value {
        if wanted.is_null() { Value::Null } else { expected::project(wanted, &self.answer.object) }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Outcome::Success(outcome) | Outcome::Failure(outcome)) = &self.outcome;
        let writes: Vec<Value> = self.writes.iter().map(|(line, body)| json!({line: body})).collect();
        let answer = &self.answer;
        let all = json!({"outcome": outcome, "writes": writes, "events": self.events, "conditions": self.conditions,
            "status": self.status, "denied": answer.denied, "warnings": answer.warnings, "object": answer.object});
        f.write_str(&serde_saphyr::to_string(&all).map_err(|_| fmt::Error)?)
    }
}

/// Removes resource versions and digests, which depend on uids.
#[cfg(feature = "evenkeel")]
fn lasting(body: Value) -> Value {
    match body {
        Value::Array(items) => Value::Array(items.into_iter().map(lasting).collect()),
        Value::Object(mut fields) => {
            fields.remove("resourceVersion");
            let inputs = fields.get_mut("observedInputs").into_iter().flat_map(Value::as_object_mut);
            inputs.for_each(unhashed);
            let others = fields.get_mut("observedBy").and_then(Value::as_object_mut).into_iter().flatten();
            others.filter_map(|(_, by)| by.as_object_mut()).for_each(unhashed);
            Value::Object(fields.into_iter().map(|(key, value)| (key, lasting(value))).collect())
        }
        other => other,
    }
}

#[cfg(feature = "evenkeel")]
fn unhashed(inputs: &mut Map<String, Value>) {
    inputs.retain(|key, _| key != "digest" && key != "claimed");
}

/// Returns the line of a write; for a rejected write, with its status code.
fn line(entry: &Entry) -> String {
    match entry.code {
        400.. => format!("{} -> {}", entry.line(), entry.code),
        0 => format!("{} -> no answer", entry.line()),
        _ => entry.line(),
    }
}

/// Returns an event of either API group as `Warning SecretMissing: <message>`. A repeated event counts again.
fn event(body: &Value) -> Option<String> {
    let head = format!("{} {}", body["type"].as_str()?, body["reason"].as_str()?);
    let note = body["note"].as_str().or(body["message"].as_str()).filter(|note| !note.is_empty());
    Some(note.map_or_else(|| head.clone(), |note| format!("{head}: {note}")))
}

/// Returns the conditions of the objects whose status was written.
fn conditions(redactor: &Redactor, objects: &[Value], writes: &[Entry]) -> Map<String, Value> {
    let is_written = |object: &&Value| {
        let meta = |field: &str| object["metadata"][field].as_str();
        writes.iter().any(|entry| {
            let kind = object["apiVersion"].as_str().unwrap_or_default().split('/').next();
            entry.name.as_deref() == meta("name")
                && entry.namespace.as_deref() == meta("namespace")
                && (kind == Some(&entry.group) || entry.group.is_empty())
                && object["status"]["conditions"].is_array()
        })
    };
    let written: Vec<Value> = objects.iter().filter(is_written).map(|object| redactor.object(object.clone())).collect();
    let mut found = Map::new();
    for object in &written {
        let prefix = match written.len() {
            1 => String::new(),
            _ => format!("{}/", object["metadata"]["name"].as_str().unwrap_or_default()),
        };
        for condition in object["status"]["conditions"].as_array().into_iter().flatten() {
            let text = |field: &str| condition[field].as_str().unwrap_or_default();
            let shown = format!("{} {}: {}", text("status"), text("reason"), text("message"));
            found.insert(format!("{prefix}{}", text("type")), json!(shown.trim_end_matches([':', ' '])));
        }
    }
    found
}

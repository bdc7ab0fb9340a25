//! The command `explain`: why an object is in its state, and what happens next.

use std::io::Write;

use jiff::Timestamp;
use kube::api::DynamicObject;
use serde::Serialize;
use serde_json::Value;

use super::age::age;
use super::condition::{ExplainedCondition, conditions};
use super::event::{ShownEvent, events};
use super::{ExplainArgs, api, print, reconcilers, unread};
use crate::clock;
use crate::condition::{READY, STALLED};
use crate::introspection::ReconcilerInfo;
use crate::operator::builder::Operator;
use crate::operator::context::client_alone;
use crate::operator::error::Result;

/// An object with what the program knows of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainedObject {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    name: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    /// The finalizers that a deletion waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    finalizers: Vec<String>,
    conditions: Vec<ExplainedCondition>,
    events: Vec<ShownEvent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events_error: Option<String>,
}

/// Prints an object, its conditions with their meaning and fix, and its events.
///
/// # Errors
/// The kind is not reconciled, the object cannot be read, or the output cannot be written.
pub(in crate::operator) async fn explain(mut operator: Operator, args: &ExplainArgs, out: impl Write + Send) -> Result {
    let known = reconcilers(&operator, &args.kind)?;
    let client = client_alone(&mut operator).await?;
    let namespace = operator.namespaces.first().map_or(client.default_namespace(), |namespace| namespace);
    let (kind, name) = (&known[0].kind, &args.name);
    let object = api(&client, kind, Some(namespace)).get(name).await;
    let object = object.map_err(|error| unread(&format!("{} {name}", kind.resource.kind), &error))?;
    let mut explained = explained(&object, &known);
    match events(&client, &object).await {
        Ok(events) => explained.events = events,
        Err(why) => explained.events_error = Some(why),
    }
    print(out, args.output.output, &explained, &text(&explained, clock::now()))
}

fn explained(object: &DynamicObject, known: &[ReconcilerInfo]) -> ExplainedObject {
    let status = &object.data["status"];
    let conditions = conditions(status, known);
    let ready = conditions.iter().find(|condition| condition.type_ == READY);
    let since = ready.and_then(|condition| condition.since);
    // Before the first success the field is -1; the condition shows which version was tried.
    let tried = ready.and_then(|condition| condition.observed_generation);
    let observed = status["observedGeneration"].as_i64().max(tried).filter(|observed| *observed >= 0);
    let generation = object.metadata.generation;
    let deleted = object.metadata.deletion_timestamp.as_ref().map(|time| time.0);
    ExplainedObject {
        kind: known[0].kind.resource.kind.clone(),
        namespace: object.metadata.namespace.clone(),
        name: object.metadata.name.clone().unwrap_or_default(),
        state: match deleted {
            Some(_) => "being deleted",
            None => state(status, &conditions, generation, observed),
        },
        since: deleted.or(since),
        finalizers: deleted.and(object.metadata.finalizers.clone()).unwrap_or_default(),
        generation,
        observed_generation: observed,
        conditions,
        events: Vec::new(),
        events_error: None,
    }
}

/// The state, by the rules of kstatus.
fn state(
    status: &Value,
    conditions: &[ExplainedCondition],
    generation: Option<i64>,
    observed: Option<i64>,
) -> &'static str {
    let is = |type_: &str, value: &str| conditions.iter().any(|one| one.type_ == type_ && one.status == value);
    if status.is_null() || conditions.is_empty() {
        "not reconciled yet"
    } else if is(STALLED, "True") {
        "stalled"
    } else if observed.is_some() && observed < generation {
        "not reconciled in its newest version yet"
    } else if is(READY, "True") {
        "ready"
    } else {
        "not ready"
    }
}

fn text(object: &ExplainedObject, now: Timestamp) -> String {
    let namespace = object.namespace.iter().fold(String::new(), |_, namespace| format!("{namespace}/"));
    let since = object.since.map_or_else(String::new, |since| format!(" for {}", age(now, since)));
    let generations = match (object.generation, object.observed_generation) {
        (Some(generation), Some(observed)) => format!(" (generation {generation}, last pass for {observed})"),
        (Some(generation), None) => format!(" (generation {generation})"),
        _ => String::new(),
    };
    let mut text = format!("{} {namespace}{} is {}{since}{generations}\n", object.kind, object.name, object.state);
    if !object.finalizers.is_empty() {
        text += &format!("  the deletion waits for the finalizers {}\n", object.finalizers.join(", "));
    }
    let width = |part: fn(&ExplainedCondition) -> &str| object.conditions.iter().map(|one| part(one).len()).max();
    let widths = (width(|one| &one.type_).unwrap_or(0), width(|one| &one.reason).unwrap_or(0));
    text.extend(object.conditions.iter().map(|condition| condition.text(widths, now)));
    match (&object.events_error, object.events.is_empty()) {
        (Some(why), _) => text += &format!("events cannot be read: {why}\n"),
        (None, true) => text += "no events\n",
        (None, false) => text += "events:\n",
    }
    text.extend(object.events.iter().map(|event| event.text(now)));
    text
}

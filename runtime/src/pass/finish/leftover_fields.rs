//! Status fields that remain although our last write left them out, because another manager holds them.
//!
//! Before Kubernetes 1.22 the creator of an object owns its whole status, and on any version another client may own one of our fields. A
//! leftover Reconciling would report progress for ever, so we take the fields over and write again.

use serde_json::{Map, Value, json};

use crate::pass::api::PassBackend;
use crate::pass::api::identity::Unwritten;
use crate::pass::context::PassContext;
use crate::pass::finish::managed_fields::Take;
use crate::pass::finish::status_write;
use crate::pass::finish::written::Written;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;
use crate::status::observed::Observed;
use crate::status::{DEPENDENTS, FRAMEWORK_FIELDS, OBSERVED_BY};
use crate::wiring::Wiring;

const CONDITIONS: &str = "conditions";

/// Writes the status. If the response still has fields that were left out, takes them over and writes once more.
pub(in crate::pass) async fn apply_status(
    context: &PassContext,
    key: &Key,
    object: &Object,
    backend: &PassBackend,
    intent: &DesiredStatus,
) -> Result<Written, Unwritten> {
    let primary = &backend.primary;
    let written = status_write::write(&backend.calls, &backend.identity, primary, &backend.version(), intent).await?;
    let left = left_over(context, object, intent, &written);
    let known = std::mem::replace(&mut context.memory().entry(key.clone()).or_default().untakeable, left.clone());
    // Fields that could not be taken over before are not tried again in each pass.
    if left.is_null() || left == known {
        return Ok(written);
    }
    backend.note_written(&written);
    let Some(version) = status_write::take_over(&backend.calls, &backend.identity, Take::Fields(&left)).await? else {
        return Ok(written);
    };
    tracing::debug!(fields = %left, "another manager owned status fields that are no longer reported; taking them over");
    let written = status_write::write(&backend.calls, &backend.identity, primary, &version, intent).await?;
    context.memory().entry(key.clone()).or_default().untakeable = left_over(context, object, intent, &written);
    Ok(written)
}

/// Our fields that the response has and the intent leaves out, in `managedFields` notation; null: none.
fn left_over(context: &PassContext, object: &Object, intent: &DesiredStatus, written: &Written) -> Value {
    let Some(shown) = written.other_status() else { return Value::Null };
    let intended = intent.to_value();
    let mut left = Map::new();
    for (name, value) in shown.as_object().into_iter().flatten() {
        let below = match (&**name, intended.get(name)) {
            (CONDITIONS, _) => conditions(context.wiring, intent, value),
            (OBSERVED_BY, _) => second(intent, &intended, value),
            (DEPENDENTS, _) if context.wiring.keeps_dependents() => sets(context.wiring, &intended, value),
            (_, Some(intended)) => difference(value, intended),
            (_, None) => is_dropped(context.wiring, object, name).then(|| json!({})),
        };
        left.extend(below.map(|below| (format!("f:{name}"), below)));
    }
    if left.is_empty() { Value::Null } else { left.into() }
}

/// Our conditions that the response has and the intent leaves out.
fn conditions(wiring: &Wiring, intent: &DesiredStatus, shown: &Value) -> Option<Value> {
    let ours =
        |type_: &str| wiring.condition_types().chain(wiring.framework_types().iter().copied()).any(|t| t == type_);
    let types = shown.as_array().into_iter().flatten().filter_map(|condition| condition["type"].as_str());
    let left = types.filter(|type_| ours(type_) && crate::condition::find(&intent.conditions, type_).is_none());
    let left: Map<String, Value> = left.map(|type_| (format!("k:{}", json!({ "type": type_ })), json!({}))).collect();
    (!left.is_empty()).then(|| left.into())
}

/// The leftover fields of our own sets of dependents.
fn sets(wiring: &Wiring, intended: &Value, shown: &Value) -> Option<Value> {
    let own = shown.as_object()?.iter().filter(|(key, _)| wiring.is_own_set(key));
    let own: Map<String, Value> = own.map(|(key, set)| (key.clone(), set.clone())).collect();
    difference(&own.into(), intended.get(DEPENDENTS).unwrap_or(&json!({})))
}

/// The leftover fields of our own entry in `observedBy`, which only reconcilers other than the first have.
fn second(intent: &DesiredStatus, intended: &Value, shown: &Value) -> Option<Value> {
    let (name, _) = intent.second?;
    let left = difference(shown.get(name)?, &intended[OBSERVED_BY][name])?;
    let field = format!("f:{name}");
    Some(json!({ field: left }))
}

/// Whether the field is one of the author's that this reconciler wrote.
fn is_dropped(wiring: &Wiring, object: &Object, name: &str) -> bool {
    let Some(status) = object.status().filter(|_| !FRAMEWORK_FIELDS.contains(&name)) else { return false };
    Observed::of(status, wiring).wrote(name) && status.author_fields().is_ok_and(|fields| fields.contains_key(name))
}

/// The fields of `shown` that `intended` lacks, recursively. Lists are atomic.
fn difference(shown: &Value, intended: &Value) -> Option<Value> {
    let (Value::Object(shown), Value::Object(intended)) = (shown, intended) else { return None };
    let left = shown.iter().filter_map(|(name, value)| {
        let below = match intended.get(name) {
            Some(intended) => difference(value, intended)?,
            None => json!({}),
        };
        Some((format!("f:{name}"), below))
    });
    let left: Map<String, Value> = left.collect();
    (!left.is_empty()).then(|| left.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftover_fields_are_returned_as_fields_v1() {
        let shown = json!({ "a": { "b": 1, "c": { "d": 1 } }, "e": [1, 2], "f": 1 });
        assert_eq!(difference(&shown, &shown), None);
        let intended = json!({ "a": { "c": {} }, "e": [1], "f": 2 });
        assert_eq!(difference(&shown, &intended), Some(json!({ "f:a": { "f:b": {}, "f:c": { "f:d": {} } } })));
    }

    #[test]
    fn only_our_entry_in_observed_by_is_compared() {
        let intent = DesiredStatus { second: Some(("ours", false)), ..DesiredStatus::empty() };
        let intended = json!({ OBSERVED_BY: { "ours": { "generation": 1 } } });
        let left = |shown: Value| second(&intent, &intended, &shown);
        assert_eq!(left(json!({ "ours": { "generation": 1 }, "theirs": { "stalled": true } })), None);
        let shown = json!({ "ours": { "generation": 1, "stalled": true }, "theirs": { "stalled": true } });
        assert_eq!(left(shown), Some(json!({ "f:ours": { "f:stalled": {} } })));
        assert_eq!(
            second(&DesiredStatus::empty(), &intended, &json!({ "ours": { "stalled": true } })),
            None,
            "the first has none"
        );
    }
}

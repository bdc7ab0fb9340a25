//! The status of a bare object in the object itself: a record in an annotation, and conditions under a domain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::object::Object;
use crate::condition::Condition;
use crate::kind::from_tree;
use crate::status::bare::BareStatus;
use crate::trigger;
use crate::wiring::Wiring;

/// Where a reconciler stores the status of its bare objects besides memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BareStore {
    /// The annotation that holds the status after the last success.
    pub(crate) annotation: Option<String>,
    /// The domain of our conditions in the status of the object.
    pub(crate) domain: Option<&'static str>,
}

/// The value of the annotation.
#[derive(Deserialize, Serialize)]
struct Record<S> {
    /// The uid of the object, since a copy of the object has the annotation, too.
    uid: String,
    status: S,
}

/// The longest name of an annotation, without its domain.
const MAX_NAME: usize = 63;

impl BareStore {
    /// The store of a reconciler within an operator of this name.
    pub(crate) fn new(wiring: &Wiring, operator: &str) -> Self {
        let store = wiring.bare_status;
        let annotation = store.annotation.then(|| annotation(&wiring.field_manager_under(operator)));
        Self { annotation, domain: store.conditions }
    }

    /// The object with the status in its annotation. The content of the object, whose changes are a trigger, excludes our conditions.
    pub(crate) fn restored(&self, object: Arc<Object>) -> Arc<Object> {
        if object.bare().is_none() || self.annotation.is_none() && self.domain.is_none() {
            return object;
        }
        let (status, content) = (self.read(&*object), self.domain.and_then(|domain| content_without(&*object, domain)));
        let mut object = object.copy();
        if let Some(state) = object.bare_mut() {
            state.status = status.map(Arc::new);
            state.content = content.unwrap_or(state.content);
        }
        object.into()
    }

    /// The status in the annotation. One of another object or in an unknown form does not count, so that the body runs.
    fn read(&self, object: &Object) -> Option<BareStatus> {
        let value = object.annotations().get(self.annotation.as_ref()?)?;
        let record: Record<BareStatus> = from_tree(&serde_json::from_str(value).ok()?).ok()?;
        Some(record.status).filter(|_| record.uid == object.uid())
    }
}

/// The value of the annotation for this status.
pub(crate) fn record(uid: &str, status: Value) -> String {
    serde_json::to_string(&Record { uid: uid.to_owned(), status }).unwrap_or_default()
}

/// The annotation of a field manager, which is unique in a cluster.
fn annotation(field_manager: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = field_manager.chars().map(|c| if c == '/' { '.' } else { c }).collect();
    let name = format!("observed-by-{name}");
    match name.len() <= MAX_NAME && name.chars().all(is_valid) && name.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        true => format!("evenkeel.dev/{name}"),
        false => format!("evenkeel.dev/observed-by-{}", trigger::hash(field_manager)),
    }
}

/// The hash of the object without its metadata and our conditions.
fn content_without(object: &Object, domain: &str) -> Option<u64> {
    let mut value = object.to_value().ok()?;
    value.as_object_mut()?.remove("metadata");
    if let Some(conditions) = value.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        conditions.retain(|condition| !is_ours(condition, domain));
        // The first condition creates the list.
        if conditions.is_empty() {
            value["status"].as_object_mut()?.remove("conditions");
        }
    }
    if value.get("status") == Some(&json!({})) {
        value.as_object_mut()?.remove("status");
    }
    Some(trigger::number(&[&value.to_string()]))
}

/// Whether the condition of an object is in the domain.
fn is_ours(condition: &Value, domain: &str) -> bool {
    let rest = condition["type"].as_str().and_then(|type_| type_.strip_prefix(domain));
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The conditions to store in an object with these conditions: those of other writers as they are, then ours under the domain. A condition
/// with an unchanged status keeps its transition time. `None`: nothing changes.
pub(crate) fn merged(found: &[Value], ours: &[Condition], domain: &str) -> Option<Vec<Value>> {
    let (before, mut merged): (Vec<&Value>, Vec<Value>) = (
        found.iter().filter(|condition| is_ours(condition, domain)).collect(),
        found.iter().filter(|condition| !is_ours(condition, domain)).cloned().collect(),
    );
    let now: Vec<Value> = ours.iter().map(|condition| foreign_form(condition, &before, domain)).collect();
    let is_same = before.len() == now.len() && now.iter().all(|condition| before.contains(&condition));
    merged.extend(now);
    (!is_same).then_some(merged)
}

/// Our condition as other kinds have it. Its generation would be that of another writer's contract, so it has none.
fn foreign_form(condition: &Condition, before: &[&Value], domain: &str) -> Value {
    let (type_, status) = (format!("{domain}/{}", condition.type_), condition.status.to_string());
    let earlier = before.iter().find(|earlier| earlier["type"] == type_ && earlier["status"] == status);
    let last_transition_time = match earlier {
        Some(earlier) => earlier.get("lastTransitionTime").and_then(|time| serde_json::from_value(time.clone()).ok()),
        None => condition.last_transition_time,
    };
    let stored = Condition { type_, observed_generation: None, last_transition_time, ..condition.clone() };
    serde_json::to_value(stored).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::condition::ConditionStatus;
    use crate::pipeline::bare::Bare;

    const DOMAIN: &str = "reaper.example.com";

    fn pod(annotation: &str, conditions: &Value) -> Arc<Object> {
        let store = annotation_of();
        let object = json!({ "metadata": { "name": "a", "uid": "u", "annotations": { store: annotation } },
            "status": { "phase": "Running", "conditions": conditions } });
        Arc::new(serde_json::from_value::<Bare<Pod>>(object).unwrap())
    }

    fn annotation_of() -> String {
        annotation("op/reaper")
    }

    fn store() -> BareStore {
        BareStore { annotation: Some(annotation_of()), domain: Some(DOMAIN) }
    }

    #[test]
    fn the_annotation_is_a_valid_name_for_any_field_manager() {
        assert_eq!(annotation_of(), "evenkeel.dev/observed-by-op.reaper");
        for manager in ["op/reaper of pods", &"x".repeat(128), "op/"] {
            let name = annotation(manager);
            let name = name.strip_prefix("evenkeel.dev/").unwrap();
            assert!(name.len() <= MAX_NAME && !name.contains(' ') && !name.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn only_a_record_of_the_same_object_is_restored() {
        let status = json!({ "observedGeneration": 4 });
        let restored = |value: &str| store().restored(pod(value, &json!([]))).bare().unwrap().status.clone();
        assert!(restored(&record("u", status.clone())).is_some());
        for other in [record("another", status), "no JSON".to_owned(), String::new(), "{}".to_owned()] {
            assert!(restored(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn our_conditions_are_no_content() {
        let content = |conditions: &Value| store().restored(pod("", conditions)).bare().unwrap().content;
        let theirs = json!({ "type": "Ready", "status": "True" });
        let ours = |status: &str| json!({ "type": "reaper.example.com/Ready", "status": status });
        assert_eq!(content(&json!([])), content(&json!([ours("True")])));
        assert_eq!(content(&json!([theirs])), content(&json!([ours("True"), theirs])));
        assert_ne!(content(&json!([theirs])), content(&json!([])));
    }

    #[test]
    fn conditions_of_other_writers_stay_as_they_are() {
        let ready = Condition::new("Ready", ConditionStatus::True, "Succeeded", "done");
        let theirs = json!({ "type": "Ready", "status": "False", "lastProbeTime": null });
        let first = merged(std::slice::from_ref(&theirs), std::slice::from_ref(&ready), DOMAIN).unwrap();
        assert_eq!((&first[0], &first[1]["type"]), (&theirs, &json!("reaper.example.com/Ready")));
        assert_eq!(first[1].get("observedGeneration"), None);
        assert_eq!(merged(&first, std::slice::from_ref(&ready), DOMAIN), None);
        let later = Condition { last_transition_time: Some(crate::clock::now()), ..ready.clone() };
        assert_eq!(merged(&first, &[later], DOMAIN), None, "the time alone is no change");
        assert_eq!(merged(&first, &[], DOMAIN).unwrap(), [theirs]);
    }
}

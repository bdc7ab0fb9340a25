//! The next status of an object: a merge patch whose conditions keep the times of their last transition.

use serde_json::{Value, json};

/// Returns the status after a change at the given time. It equals the live status if the change changes nothing.
pub(super) fn next(live: &Value, mut change: Value, now: &str) -> Value {
    if let Some(conditions) = change.get_mut("conditions").and_then(Value::as_array_mut) {
        let known = live["conditions"].as_array();
        for condition in conditions.iter_mut() {
            let before = known.into_iter().flatten().find(|known| known["type"] == condition["type"]);
            date(condition, before, now);
        }
        // Conditions of others stay.
        let others = known.into_iter().flatten();
        let others: Vec<Value> =
            others.filter(|known| conditions.iter().all(|one| one["type"] != known["type"])).cloned().collect();
        conditions.extend(others);
    }
    let mut next = if live.is_object() { live.clone() } else { json!({}) };
    json_patch::merge(&mut next, &change);
    sort(&mut next, live);
    next
}

/// Sets the times of a condition: those of the former one, if it is the same.
fn date(condition: &mut Value, before: Option<&Value>, now: &str) {
    let is_dated = !condition["lastUpdateTime"].is_null();
    let same = |field: &str| before.is_some_and(|before| before[field] == condition[field]);
    let (is_same, has_same_reason) = (same("status"), same("reason"));
    let known = |field: &str| before.map_or(Value::Null, |before| before[field].clone());
    let transition = if is_same { known("lastTransitionTime") } else { json!(now) };
    let update = if is_same && has_same_reason { known("lastUpdateTime") } else { json!(now) };
    if let Some(fields) = condition.as_object_mut() {
        fields.insert("lastTransitionTime".to_owned(), transition);
        if is_dated {
            fields.insert("lastUpdateTime".to_owned(), update);
        }
        fields.retain(|_, value| !value.is_null());
    }
}

/// Brings the conditions into the order of the live ones, so that an equal status is the same value.
fn sort(next: &mut Value, live: &Value) {
    let order = live["conditions"].as_array();
    let place = |condition: &Value| {
        order.and_then(|order| order.iter().position(|known| known["type"] == condition["type"])).unwrap_or(usize::MAX)
    };
    if let Some(conditions) = next.get_mut("conditions").and_then(Value::as_array_mut) {
        conditions.sort_by_key(|condition| place(condition));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-02T00:00:00Z";

    fn live() -> Value {
        json!({"replicas": 1, "conditions": [
            {"type": "Other", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        ]})
    }

    #[test]
    fn a_change_that_changes_nothing_gives_the_live_status() {
        let change = json!({"replicas": 1, "absent": null, "conditions": [{"type": "Ready", "status": "True"}]});
        assert_eq!(next(&live(), change, NOW), live());
    }

    #[test]
    fn only_a_transition_sets_a_new_time() {
        let change = json!({"conditions": [{"type": "Ready", "status": "False"}, {"type": "New", "status": "True"}]});
        let found = next(&live(), change, NOW);
        let times: Vec<(&str, &str)> = found["conditions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["type"].as_str().unwrap(), one["lastTransitionTime"].as_str().unwrap()))
            .collect();
        assert_eq!(times, [("Other", "2026-01-01T00:00:00Z"), ("Ready", NOW), ("New", NOW)]);
    }
}

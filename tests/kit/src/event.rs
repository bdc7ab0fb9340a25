//! The two API groups of Events: stored with the field names of core/v1, shown with those of either group.

use serde_json::{Value, json};

/// The fields with different names in events.k8s.io/v1 and in core/v1.
const NAMES: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// Converts an Event of either group to the stored form.
pub(crate) fn stored(group: &str, mut event: Value) -> Value {
    if group == "events.k8s.io" {
        rename(&mut event, |(new, core)| (new, core));
        event["apiVersion"] = json!("v1");
    }
    if let Some(fields) = event.as_object_mut() {
        fields.retain(|_, value| !(value.is_null() || *value == json!({}) || *value == ""));
    }
    event
}

/// Converts a stored Event to the form of a group.
pub(crate) fn shown(group: &str, stored: &Value) -> Value {
    let mut event = stored.clone();
    complete(&mut event);
    if group == "events.k8s.io" {
        rename(&mut event, |(new, core)| (core, new));
        event["apiVersion"] = json!("events.k8s.io/v1");
        drop_unset(&mut event);
    }
    event
}

/// Adds the fields that are present even if they are unset.
fn complete(event: &mut Value) {
    let unset = [
        ("eventTime", Value::Null),
        ("firstTimestamp", Value::Null),
        ("lastTimestamp", Value::Null),
        ("source", json!({})),
        ("reportingComponent", json!("")),
        ("reportingInstance", json!("")),
    ];
    let Some(fields) = event.as_object_mut() else { return };
    for (field, value) in unset {
        fields.entry(field).or_insert(value);
    }
}

/// Removes empty texts, which events.k8s.io omits.
fn drop_unset(event: &mut Value) {
    let Some(fields) = event.as_object_mut() else { return };
    for field in ["reportingController", "reportingInstance"] {
        if fields.get(field).is_some_and(|value| value == "") {
            fields.remove(field);
        }
    }
}

fn rename(event: &mut Value, direction: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str)) {
    let Some(fields) = event.as_object_mut() else { return };
    for (from, to) in NAMES.into_iter().map(direction) {
        if let Some(value) = fields.remove(from) {
            fields.insert(to.to_owned(), value);
        }
    }
}

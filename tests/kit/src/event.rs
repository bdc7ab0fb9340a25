//! The two shapes of Event: one store, core/v1 names inside, either group's names outside.

use serde_json::{Value, json};

/// Names in events.k8s.io/v1 and in core/v1, where they differ.
const NAMES: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// The stored form of an Event of either group.
pub(crate) fn stored(group: &str, mut event: Value) -> Value {
    if group == "events.k8s.io" {
        rename(&mut event, |(new, core)| (new, core));
        event["apiVersion"] = json!("v1");
    }
    event
}

/// A stored Event as a group shows it.
pub(crate) fn shown(group: &str, stored: &Value) -> Value {
    let mut event = stored.clone();
    if group == "events.k8s.io" {
        rename(&mut event, |(new, core)| (core, new));
        event["apiVersion"] = json!("events.k8s.io/v1");
    }
    event
}

fn rename(event: &mut Value, direction: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str)) {
    let Some(fields) = event.as_object_mut() else { return };
    for (from, to) in NAMES.into_iter().map(direction) {
        if let Some(value) = fields.remove(from) {
            fields.insert(to.to_owned(), value);
        }
    }
}

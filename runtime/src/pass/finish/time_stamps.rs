//! Detects time stamps in a status that change in every pass, which costs a write each time.

use crate::pass::context::PassContext;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::status::observed::Observed;

/// Warns of a time stamp that changes in every pass. It triggers no reconcile, but costs a write per resync.
pub(in crate::pass) fn warn_of_time_stamps(
    context: &PassContext,
    object: &Object,
    found: &DesiredStatus,
    intent: &DesiredStatus,
) {
    let settled = object.status().is_some_and(|status| {
        let (was, is) = (Observed::of(status, context.wiring).inputs, &intent.observed_inputs);
        was.zip(is.as_ref()).is_some_and(|(was, is)| was.digest == is.digest)
    });
    if !settled {
        return;
    }
    for (field, _) in intent.changed_fields(found).filter(|(_, value)| holds_time_stamp(&value.value())) {
        tracing::warn!(
            field,
            "only a time stamp in the status changed, which costs a write in each pass; remove the field"
        );
    }
}

fn holds_time_stamp(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.parse::<jiff::Timestamp>().is_ok(),
        serde_json::Value::Array(items) => items.iter().any(holds_time_stamp),
        serde_json::Value::Object(fields) => fields.values().any(holds_time_stamp),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_timestamp_is_found_at_any_depth() {
        let at = "2026-01-01T00:00:00Z";
        for value in [json!(at), json!(["x", at]), json!({ "a": 1, "b": at }), json!([{ "a": [at] }])] {
            assert!(holds_time_stamp(&value), "{value}");
        }
        for value in [json!("x"), json!(1), json!(null), json!(true), json!([]), json!({ "a": ["2026"] })] {
            assert!(!holds_time_stamp(&value), "{value}");
        }
    }
}

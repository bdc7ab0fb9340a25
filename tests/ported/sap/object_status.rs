//! The status of a dependent, from its conditions and the hint of its annotation.

use evenkeel::dependency::{ObjectStatus, StatusHints, object_status};
use serde_json::{Value, json};

const FIELDS: [&str; 3] = ["type", "status", "observedGeneration"];

pub(crate) async fn adapter(given: Value) -> Value {
    let Ok(hints) = given["status_hint"].as_str().unwrap_or_default().parse::<StatusHints>() else {
        return json!({ "error": true });
    };
    let status = match object_status(&object(&given), &hints) {
        ObjectStatus::Current => "Current",
        ObjectStatus::InProgress(_) => "InProgress",
        ObjectStatus::Failed(_) => "Failed",
        ObjectStatus::Terminating => "Terminating",
        other => panic!("an unknown status: {other}"),
    };
    json!({ "status": status, "error": false })
}

fn object(given: &Value) -> Value {
    let (api_version, kind) = match given["kind"].as_str() {
        Some("CustomResourceDefinition") => ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        Some("APIService") => ("apiregistration.k8s.io/v1", "APIService"),
        Some("Job") => ("batch/v1", "Job"),
        _ => ("example.com/v1", "Thing"),
    };
    let mut status = json!({ "conditions": conditions(&given["conditions"]) });
    if !given["status.observedGeneration"].is_null() {
        status["observedGeneration"] = given["status.observedGeneration"].clone();
    }
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "generation": given["generation"] }, "status": status })
}

fn conditions(given: &Value) -> Vec<Value> {
    match given {
        Value::Object(all) => all.iter().map(|(type_, status)| json!({ "type": type_, "status": status })).collect(),
        list => list.as_array().into_iter().flatten().map(checked).collect(),
    }
}

/// The condition, without fields that the rules do not read.
fn checked(condition: &Value) -> Value {
    let fields = condition.as_object().unwrap();
    assert!(
        fields.keys().all(|field| FIELDS.contains(&field.as_str())),
        "an unknown field of a condition: {condition}"
    );
    condition.clone()
}

//! What stops the deletion of a component before it begins.

use serde_json::{Value, json};

use super::fixture::texts;
use super::lab::{Lab, is_dependent, of_definition, of_map};
use super::state::{next, reason_of, state_of};

pub(super) async fn adapter(given: Value) -> Value {
    let lab = Lab::running().await;
    let finalizers: Vec<&str> = texts(&given["component_finalizers"]).filter(|name| *name != "ours").collect();
    let spec = match &given["inventory"] {
        Value::Null if given["allowed"] == false => of_definition(),
        Value::Null => of_map("wanted", &json!({})),
        inventory => json!({ "objects": texts(inventory).map(part).collect::<Vec<_>>() }),
    };
    lab.create(json!({ "name": "x", "finalizers": finalizers }), spec).await;
    lab.settle().await;
    if given["allowed"] == false {
        lab.create_foreign_instance().await;
    }
    for text in texts(&given["cluster"]) {
        match text.strip_prefix("Baz ").and_then(|text| text.split_once(' ')) {
            Some((name, "(foreign)")) => lab.create_foreign(name).await,
            // The operator created it.
            Some((_, "(own)")) => {}
            _ => panic!("no adapter reads `{text}` of a cluster"),
        }
    }
    lab.world.wire.clear();
    lab.delete("x").await;
    observe(&lab).await
}

/// `CRD bazs delete-policy=orphan`, as an object of a component.
fn part(text: &str) -> Value {
    let (object, settings) = text
        .split_once(" delete-policy=")
        .map_or((text, json!({})), |(object, policy)| (object, json!({ "delete-policy": policy })));
    let (kind, name) = object.split_once(' ').unwrap();
    match kind {
        "CRD" => json!({ "kind": object, "name": "", "settings": settings }),
        _ => json!({ "kind": kind, "name": name, "settings": settings }),
    }
}

async fn observe(lab: &Lab) -> Value {
    let deleted = lab.world.wire.count(|call| is_dependent(call) && call.method == "DELETE");
    let allowed = lab.reason("x", "Ready").await != "DeletionBlocked";
    let mut found = json!({ "allowed": allowed, "dependents_deleted": deleted });
    if !lab.component("x").await.is_null() {
        found["state"] = json!(state_of(lab, "x").await);
        found["ready_status"] = lab.condition("x", "Ready").await["status"].clone();
        found["reason"] = json!(reason_of(lab, true).await);
        let pauses = next(lab).await;
        found["requeue"] = pauses.last().map_or(json!("none"), |pause| json!(format!("{}s", pause.round())));
    }
    found
}

//! Takes over the status fields of earlier managers, so that a later write removes those that it leaves out.

use kube::api::DynamicObject;
use serde_json::{Value, json};

/// The status fields to take over.
#[derive(Clone, Copy, Debug)]
pub(in crate::pass) enum Take<'a> {
    /// All fields of these managers.
    Managers(&'a [&'a str]),
    /// These fields, of any manager.
    Fields(&'a Value),
}

impl Take<'_> {
    /// The status fields to take over from the entry of another manager.
    fn of(self, entry: &Value) -> Option<Value> {
        let claim = entry["fieldsV1"].get("f:status")?;
        match self {
            Self::Managers(names) => {
                entry["manager"].as_str().filter(|name| names.contains(name)).map(|_| claim.clone())
            }
            Self::Fields(fields) => intersection(claim, fields),
        }
    }
}

/// The `managedFields` with these status fields moved to our Apply entry; `None`: no other entry has any of them.
///
/// Server-side apply removes only fields that its own manager owned and left out. Field sets are JSON tries, so their union is a deep
/// merge.
pub(in crate::pass) fn managed_fields(live: &DynamicObject, manager: &str, take: Take<'_>) -> Option<Value> {
    let entries = serde_json::to_value(live.metadata.managed_fields.as_ref()?).ok()?;
    let is_ours = |entry: &Value| entry["manager"] == manager && entry["operation"] == "Apply";
    let mut taken = Value::Null;
    let mut remaining = entries.as_array()?.clone();
    for entry in remaining.iter_mut().filter(|entry| !is_ours(entry)) {
        if let Some(claim) = take.of(entry) {
            subtract(&mut entry["fieldsV1"]["f:status"], &claim);
            merge(&mut taken, claim);
        }
    }
    if taken.is_null() {
        return None;
    }
    // Kubernetes 1.20 reads an empty `f:status`, which its defaults leave to the creator, as a claim to all status fields. Later versions
    // record the subresource, and a manager that writes the object itself owns no status field.
    for entry in remaining.iter_mut().filter(|entry| entry["subresource"] != "status") {
        if let Some(claim) = entry["fieldsV1"].get_mut("f:status") {
            subtract(claim, &taken);
        }
    }
    for fields in remaining.iter_mut().filter_map(|entry| entry["fieldsV1"].as_object_mut()) {
        fields.retain(|name, claim| name != "f:status" || claims_a_field(claim));
    }
    remaining.retain(|entry| entry["fieldsV1"].as_object().is_some_and(|fields| !fields.is_empty()));
    // Servers before 1.22 do not record the subresource.
    let of_status = |e: &Value| e["subresource"] == "status" || e["fieldsV1"]["f:status"].is_object();
    let ours = remaining.iter().position(|e| e["manager"] == manager && e["operation"] == "Apply" && of_status(e));
    let mut entry = match ours {
        Some(at) => remaining.remove(at),
        None => json!({
            "manager": manager, "operation": "Apply", "subresource": "status", "fieldsType": "FieldsV1", "fieldsV1": {},
            "apiVersion": live.types.as_ref().map_or("", |types| &types.api_version),
        }),
    };
    merge(&mut entry["fieldsV1"], json!({ "f:status": taken }));
    remaining.push(entry);
    Some(Value::Array(remaining))
}

/// The part of a field set that is within `fields`. A leaf of `fields` includes everything below it.
fn intersection(claim: &Value, fields: &Value) -> Option<Value> {
    let (Value::Object(claim), Value::Object(fields)) = (claim, fields) else { return None };
    if fields.is_empty() {
        return Some(Value::Object(claim.clone()));
    }
    let both = fields.iter().filter_map(|(name, below)| Some((name.clone(), intersection(claim.get(name)?, below)?)));
    let both: serde_json::Map<String, Value> = both.collect();
    (!both.is_empty()).then(|| both.into())
}

/// Removes the fields of one set from another.
fn subtract(from: &mut Value, fields: &Value) {
    let (Value::Object(from), Value::Object(fields)) = (from, fields) else { return };
    for (name, below) in fields {
        let Some(claim) = from.get_mut(name) else { continue };
        subtract(claim, below);
        let is_leaf = below.as_object().is_none_or(serde_json::Map::is_empty);
        if is_leaf || claim.as_object().is_none_or(serde_json::Map::is_empty) {
            from.remove(name);
        }
    }
}

fn claims_a_field(claim: &Value) -> bool {
    claim.as_object().is_some_and(|fields| fields.keys().any(|name| name != "."))
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(entries: &Value) -> DynamicObject {
        serde_json::from_value(json!({
            "apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": { "name": "w", "managedFields": entries }
        }))
        .unwrap()
    }

    #[test]
    fn only_status_fields_of_earlier_managers_are_taken_over() {
        let live = object(&json!([
            { "manager": "old", "operation": "Update", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1",
              "fieldsV1": { "f:spec": { "f:a": {} }, "f:status": { "f:conditions": { "k:{\"type\":\"Reconciling\"}": { ".": {} } } } } },
            { "manager": "ours", "operation": "Apply", "apiVersion": "ex.dev/v1", "subresource": "status", "fieldsType": "FieldsV1",
              "fieldsV1": { "f:status": { "f:conditions": { "k:{\"type\":\"Ready\"}": { ".": {} } } } } },
        ]));
        let entries = managed_fields(&live, "ours", Take::Managers(&["old"])).unwrap();
        assert_eq!(entries[0]["fieldsV1"], json!({ "f:spec": { "f:a": {} } }));
        let conditions = &entries[1]["fieldsV1"]["f:status"]["f:conditions"];
        assert!(
            conditions.get("k:{\"type\":\"Ready\"}").is_some()
                && conditions.get("k:{\"type\":\"Reconciling\"}").is_some()
        );
    }

    #[test]
    fn only_claims_to_the_same_fields_are_dropped() {
        let reconciling = json!({ "k:{\"type\":\"Reconciling\"}": { ".": {}, "f:status": {} } });
        let foreign = json!({ "k:{\"type\":\"Foreign\"}": { ".": {}, "f:status": {} } });
        let entry = |manager: &str, conditions: &Value| {
            json!({ "manager": manager, "operation": "Update", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1",
                "fieldsV1": { "f:status": { "f:conditions": conditions } } })
        };
        let live =
            object(&json!([entry("creator", &reconciling), entry("old", &reconciling), entry("neighbour", &foreign)]));
        let entries = managed_fields(&live, "ours", Take::Managers(&["old"])).unwrap();
        let managers: Vec<_> = entries.as_array().unwrap().iter().map(|e| e["manager"].as_str().unwrap()).collect();
        assert_eq!(managers, ["neighbour", "ours"]);
        assert_eq!(entries[1]["fieldsV1"]["f:status"]["f:conditions"], reconciling);
    }

    #[test]
    fn taken_over_fields_join_our_applied_status_entry() {
        let entry = |manager: &str, operation: &str, subresource: &str, claim: Value| {
            json!({ "manager": manager, "operation": operation, "apiVersion": "ex.dev/v1", "subresource": subresource,
                "fieldsType": "FieldsV1", "fieldsV1": claim })
        };
        let found = json!([
            entry("theirs", "Apply", "status", json!({ "f:status": { "f:a": {} } })),
            entry("ours", "Update", "status", json!({ "f:status": { "f:b": {} } })),
            entry("ours", "Apply", "", json!({ "f:metadata": { "f:labels": {} } })),
            entry("old", "Update", "status", json!({ "f:status": { "f:c": {} } })),
        ]);
        let entries = managed_fields(&object(&found), "ours", Take::Managers(&["old"])).unwrap();
        let (remaining, taken) = entries.as_array().unwrap().split_at(3);
        assert_eq!(remaining, &found.as_array().unwrap()[..3]);
        assert_eq!(taken, [entry("ours", "Apply", "status", json!({ "f:status": { "f:c": {} } }))]);
    }

    #[test]
    fn an_empty_claim_to_the_status_is_dropped() {
        let live = object(&json!([
            { "manager": "creator", "operation": "Update", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1",
              "fieldsV1": { "f:spec": { "f:a": {} }, "f:status": {} } },
            { "manager": "old", "operation": "Update", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1",
              "fieldsV1": { "f:status": { "f:b": {} } } },
        ]));
        let entries = managed_fields(&live, "ours", Take::Managers(&["old"])).unwrap();
        assert_eq!(entries[0]["fieldsV1"], json!({ "f:spec": { "f:a": {} } }));
        assert_eq!(entries[1]["fieldsV1"], json!({ "f:status": { "f:b": {} } }));
        assert_eq!(entries.as_array().unwrap().len(), 2);
    }

    #[test]
    fn nothing_is_written_without_an_earlier_status_manager() {
        let live = object(&json!([{ "manager": "kubectl", "operation": "Update", "apiVersion": "ex.dev/v1",
            "fieldsType": "FieldsV1", "fieldsV1": { "f:status": {} } }]));
        assert_eq!(managed_fields(&live, "ours", Take::Managers(&["old"])), None);
    }

    #[test]
    fn single_fields_are_taken_over_from_any_manager() {
        let condition = |type_: &str| (format!("k:{}", json!({ "type": type_ })), json!({ ".": {}, "f:status": {} }));
        let conditions = |types: &[&str]| Value::Object(types.iter().map(|type_| condition(type_)).collect());
        let live = object(&json!([
            { "manager": "creator", "operation": "Update", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1", "fieldsV1": {
                "f:spec": { "f:a": {} },
                "f:status": { ".": {}, "f:conditions": conditions(&["Ready", "Reconciling"]), "f:b": {} } } },
            { "manager": "ours", "operation": "Apply", "apiVersion": "ex.dev/v1", "fieldsType": "FieldsV1",
              "fieldsV1": { "f:status": { "f:conditions": conditions(&["Ready"]) } } },
        ]));
        let left = json!({ "f:conditions": { condition("Reconciling").0: {} }, "f:none": {} });
        let entries = managed_fields(&live, "ours", Take::Fields(&left)).unwrap();
        assert_eq!(entries[0]["fieldsV1"]["f:status"]["f:conditions"], conditions(&["Ready"]));
        assert_eq!(entries[0]["fieldsV1"]["f:status"]["f:b"], json!({}));
        assert_eq!(
            entries[1]["fieldsV1"]["f:status"],
            json!({ "f:conditions": conditions(&["Ready", "Reconciling"]) })
        );
        assert_eq!(managed_fields(&live, "ours", Take::Fields(&json!({ "f:none": {} }))), None);
    }

    #[test]
    fn a_field_is_taken_over_unless_already_applied() {
        let entry = |manager: &str, operation: &str| {
            json!({ "manager": manager, "operation": operation, "apiVersion": "ex.dev/v1", "subresource": "status",
                "fieldsType": "FieldsV1", "fieldsV1": { "f:status": { "f:a": {} } } })
        };
        let field = json!({ "f:a": {} });
        let taken = |manager, operation| {
            managed_fields(&object(&json!([entry(manager, operation)])), "ours", Take::Fields(&field))
        };
        assert_eq!(taken("ours", "Apply"), None);
        for (manager, operation) in [("ours", "Update"), ("theirs", "Apply"), ("theirs", "Update")] {
            assert_eq!(taken(manager, operation), Some(json!([entry("ours", "Apply")])), "{manager} {operation}");
        }
    }
}

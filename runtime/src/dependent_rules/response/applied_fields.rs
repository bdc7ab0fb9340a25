//! A hash of the fields that the operator applied, by which a change of another writer is found.

use serde_json::{Value, json};

use super::field_owner::FieldOwner;
use crate::dependent_rules::manifest::Digest;
use crate::stable_hash::StableHash;

/// A hash of the fields that this field manager owns by server-side apply; `None`: it owns none.
///
/// If another writer changes or removes a field of the manifest, the API server removes the field from the manager's entry in
/// `metadata.managedFields`. Changes of the status and of fields that the manifest does not set leave the entry unchanged. So the hash changes
/// only if the object no longer matches what was applied.
///
/// The resource version would not do, as it changes with each write. The generation would not do either, as some kinds have none.
///
/// An object that the manager only ever replaced as a whole has an entry for the operation `Update` instead. Then every field counts, also those that others add,
/// and the hash is of the generation, or of the content where there is none.
#[must_use]
pub fn applied_fields(object: &Value, owners: &[FieldOwner], manager: &str) -> Option<u64> {
    let own = |operation: &str| owners.iter().find(|owner| owner.is(manager, operation));
    let Some(applied) = own("Apply") else { return own("Update").map(|_| replaced(object)) };
    if !applied.owns_replicas() {
        return Some(applied.fields());
    }
    // Before Kubernetes 1.23, a write to the subresource `scale` leaves the owner of the field as it was.
    let mut hash = StableHash::new();
    hash.add(&object["spec"]["replicas"].to_string());
    hash.word(applied.fields());
    Some(hash.finish())
}

/// The hash of an object that was replaced.
fn replaced(object: &Value) -> u64 {
    replaced_content(object).number()
}

fn replaced_content(object: &Value) -> Digest {
    let meta = &object["metadata"];
    if meta["generation"].is_number() {
        return Digest::of_value(&json!([meta["generation"], meta["labels"], meta["annotations"]]));
    }
    let is_content = |name: &str| !["apiVersion", "kind", "metadata", "status"].contains(&name);
    let content = object.as_object().into_iter().flatten().filter(|(name, _)| is_content(name));
    let content: serde_json::Map<_, _> = content.map(|(name, value)| (name.clone(), value.clone())).collect();
    // Of metadata alone, only the version shows a change of the content.
    let version = content.is_empty().then(|| &meta["resourceVersion"]);
    Digest::of_value(&json!([content, version, meta["labels"], meta["annotations"]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, fields: &Value) -> Value {
        json!({ "manager": manager, "operation": operation, "time": "2026-01-01T00:00:00Z", "fieldsV1": fields })
    }

    fn applied(object: &Value, manager: &str) -> Option<u64> {
        applied_fields(object, &FieldOwner::all(object), manager)
    }

    fn digest(entries: &Value, replicas: u32) -> Option<u64> {
        applied(&json!({ "metadata": { "managedFields": entries }, "spec": { "replicas": replicas } }), "op/shop")
    }

    #[test]
    fn only_the_applied_fields_count() {
        let fields = json!({ "f:data": { "f:a": {} } });
        let own = entry("op/shop", "Apply", &fields);
        let one = digest(&json!([own]), 1);
        assert!(one.is_some());
        let mut status = entry("op/shop", "Apply", &json!({ "f:status": {} }));
        status["subresource"] = json!("status");
        let mut later = own.clone();
        later["time"] = json!("2026-02-02T00:00:00Z");
        let others = [status, entry("kubectl", "Apply", &json!({})), entry("op/shop", "Update", &json!({})), later];
        assert_eq!(digest(&json!(others), 5), one, "the number of replicas belongs to another manager");
        assert_eq!(digest(&json!([entry("op/shop2", "Apply", &fields)]), 1), None);
        assert_eq!(applied(&json!({}), "op/shop"), None);
        assert_ne!(digest(&json!([entry("op/shop", "Apply", &json!({ "f:data": {} }))]), 1), one);
    }

    #[test]
    fn every_field_of_a_replaced_object_counts() {
        let own = json!([entry("op/shop", "Update", &json!({ "f:data": {} }))]);
        let replaced = |object: Value| {
            let mut object = object;
            object["metadata"]["managedFields"] = own.clone();
            applied(&object, "op/shop")
        };
        let map = |value: &str| replaced(json!({ "metadata": { "resourceVersion": value }, "data": { "a": value } }));
        assert!(map("1").is_some() && map("1") != map("2"));
        let with = |generation: u32, status: &str| {
            replaced(
                json!({ "metadata": { "generation": generation, "resourceVersion": status }, "spec": {}, "status": status }),
            )
        };
        assert_eq!(with(1, "a"), with(1, "b"));
        assert_ne!(with(1, "a"), with(2, "a"));
        let only_metadata = |version: &str| replaced(json!({ "metadata": { "resourceVersion": version } }));
        assert_ne!(only_metadata("1"), only_metadata("2"));
    }

    #[test]
    fn a_scaled_object_has_changed_if_the_manifest_sets_its_replicas() {
        let own = json!([entry("op/shop", "Apply", &json!({ "f:spec": { "f:replicas": {} } }))]);
        assert_ne!(digest(&own, 1), digest(&own, 2));
    }
}

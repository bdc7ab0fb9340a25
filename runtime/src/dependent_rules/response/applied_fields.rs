//! A digest of the fields that the operator applied, by which a change of another writer is found.

use serde_json::{Value, json};

use crate::dependent_rules::manifest::Digest;

/// The digest of the fields that this field manager owns by server-side apply; `None`: it owns none.
///
/// If another writer changes or removes a field of the manifest, the API server removes the field from the manager's entry in
/// `metadata.managedFields`. Changes of the status and of fields that the manifest does not set leave the entry unchanged. So the digest changes
/// only if the object no longer matches what was applied.
///
/// The resource version would not do, as it changes with each write. The generation would not do either, as some kinds have none.
///
/// An object that the manager only ever replaced as a whole has an entry for the operation `Update` instead. Then every field counts, also those that others add,
/// and the digest is of the generation, or of the content where there is none.
#[must_use]
pub fn applied_fields(object: &Value, manager: &str) -> Option<Digest> {
    let entries = object["metadata"]["managedFields"].as_array()?;
    let own = |operation: &str| {
        entries.iter().find(|entry| {
            let has_subresource = entry["subresource"].as_str().is_some_and(|name| !name.is_empty());
            entry["manager"] == manager && entry["operation"] == operation && !has_subresource
        })
    };
    let Some(applied) = own("Apply") else { return own("Update").map(|_| replaced(object)) };
    let fields = &applied["fieldsV1"];
    // Before Kubernetes 1.23, a write to the subresource `scale` leaves the owner of the field as it was.
    let owns_replicas = fields["f:spec"].get("f:replicas").is_some();
    let replicas = owns_replicas.then(|| &object["spec"]["replicas"]);
    Some(Digest::of_value(&json!([fields, replicas])))
}

/// The digest of an object that was replaced.
fn replaced(object: &Value) -> Digest {
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

    fn digest(entries: &Value, replicas: u32) -> Option<Digest> {
        applied_fields(
            &json!({ "metadata": { "managedFields": entries }, "spec": { "replicas": replicas } }),
            "op/shop",
        )
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
        assert_eq!(applied_fields(&json!({}), "op/shop"), None);
        assert_ne!(digest(&json!([entry("op/shop", "Apply", &json!({ "f:data": {} }))]), 1), one);
    }

    #[test]
    fn every_field_of_a_replaced_object_counts() {
        let own = json!([entry("op/shop", "Update", &json!({ "f:data": {} }))]);
        let replaced = |object: Value| {
            let mut object = object;
            object["metadata"]["managedFields"] = own.clone();
            applied_fields(&object, "op/shop")
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

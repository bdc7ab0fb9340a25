//! The field `spec.replicas`, which an autoscaler takes over when the manifest does not set it any more.

use serde_json::Value;

use super::field_owner::FieldOwner;

/// Whether this field manager owns the field by server-side apply.
#[must_use]
pub fn owns_replicas(owners: &[FieldOwner], manager: &str) -> bool {
    owners.iter().any(|owner| owner.is(manager, "Apply") && owner.owns_replicas())
}

/// The entries of `metadata.managedFields` in which this field manager does not own the field; `None`: it does not own it.
///
/// If the manager applied a manifest without the field while it owns it, the API server would remove the value and set the default, which is 1.
#[must_use]
pub fn without_replicas(entries: &Value, manager: &str) -> Option<Value> {
    let mut entries = entries.clone();
    let own = entries.as_array_mut()?.iter_mut().find(|entry| is_owner(entry, manager))?;
    own["fieldsV1"]["f:spec"].as_object_mut()?.remove("f:replicas");
    Some(entries)
}

fn is_owner(entry: &Value, manager: &str) -> bool {
    let has_subresource = entry["subresource"].as_str().is_some_and(|name| !name.is_empty());
    entry["manager"] == manager
        && entry["operation"] == "Apply"
        && !has_subresource
        && entry["fieldsV1"]["f:spec"].get("f:replicas").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, operation: &str, spec: &Value) -> Value {
        json!({ "manager": manager, "operation": operation, "fieldsV1": { "f:spec": spec } })
    }

    #[test]
    fn only_our_own_entry_gives_the_field_up() {
        let both = json!({ "f:replicas": {}, "f:paused": {} });
        let others = [entry("op/shop", "Update", &both), entry("other", "Apply", &both)];
        let entries = json!([others[0], others[1], entry("op/shop", "Apply", &both)]);
        let owners = |entries: &Value| FieldOwner::all(&json!({ "metadata": { "managedFields": entries } }));
        assert!(owns_replicas(&owners(&entries), "op/shop"));
        let left = without_replicas(&entries, "op/shop").unwrap();
        assert_eq!(left, json!([others[0], others[1], entry("op/shop", "Apply", &json!({ "f:paused": {} }))]));
        assert!(!owns_replicas(&owners(&left), "op/shop"));
        assert_eq!(without_replicas(&left, "op/shop"), None);
    }
}

//! JSON merge patch (RFC 7386).

use serde_json::Value;

/// Applies the merge patch `patch` to `doc`: objects are merged, null removes a member, and other values replace it.
pub fn merge_patch(doc: &mut Value, patch: &Value) {
    json_patch::merge(doc, patch);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_merge_null_removes_and_lists_are_replaced() {
        let mut doc = json!({"spec": {"size": 1, "tags": ["x", "y"], "dict": {"a": "1", "b": "2"}}});
        merge_patch(&mut doc, &json!({"spec": {"size": 2, "dict": {"a": null, "c": "3"}, "tags": ["z"]}}));
        assert_eq!(doc, json!({"spec": {"size": 2, "tags": ["z"], "dict": {"b": "2", "c": "3"}}}));
    }

    #[test]
    fn nulls_in_a_new_object_are_dropped() {
        let mut doc = json!({});
        merge_patch(&mut doc, &json!({"spec": {"a": null, "b": {"c": null, "d": 1}}}));
        assert_eq!(doc, json!({"spec": {"b": {"d": 1}}}));
    }
}

//! The body of a request that replaces an object.

use serde_json::Value;

/// Metadata of the existing object that a replacement keeps: its version, as a guard, and what others need for its end.
const KEPT: [&str; 4] = ["resourceVersion", "uid", "finalizers", "ownerReferences"];

/// What is sent to replace the existing object: the manifest, with the finalizers and owner references that are there.
#[must_use]
pub fn replacement(manifest: &Value, existing: &Value) -> Value {
    let mut body = manifest.clone();
    for field in KEPT {
        if body["metadata"][field].is_null() && !existing["metadata"][field].is_null() {
            body["metadata"][field] = existing["metadata"][field].clone();
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finalizers_are_kept_and_labels_are_not() {
        let meta =
            json!({ "name": "a", "uid": "1", "resourceVersion": "7", "finalizers": ["x/y"], "labels": { "a": "b" } });
        let body = replacement(
            &json!({ "metadata": { "name": "a" }, "data": {} }),
            &json!({ "metadata": meta, "data": { "x": "y" } }),
        );
        let kept = json!({ "name": "a", "uid": "1", "resourceVersion": "7", "finalizers": ["x/y"] });
        assert_eq!(body, json!({ "metadata": kept, "data": {} }));
    }
}

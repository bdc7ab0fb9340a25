//! The marks of dependents of evenkeel: labels and annotations with digests and hashes, which depend on all of the content.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

/// The label with the operator of a dependent. An object without it is no dependent.
const OPERATOR: &str = "evenkeel.dev/operator";
/// The label with a hash of the component and the set.
const DEPENDENT_OF: &str = "evenkeel.dev/dependent-of";
/// The annotation with the component and the object itself.
const OWNER: &str = "evenkeel.dev/owner";
/// The annotation with the digests of what was applied.
const APPLIED: &str = "evenkeel.dev/applied";

static DIGEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b[0-9a-f]{16}([0-9a-f]{16})?\b").ok());

/// Replaces the hashes and digests in the marks of a dependent, and the digests in the status of a component.
pub(crate) fn redact(object: &mut Value) {
    if is_dependent(object) {
        for pointer in ["/metadata/labels", "/metadata/annotations"] {
            let values = object.pointer_mut(pointer).and_then(Value::as_object_mut).into_iter().flatten();
            values.filter(|(key, _)| [DEPENDENT_OF, APPLIED].contains(&&***key)).for_each(|(_, value)| replace(value));
        }
    }
    redact_status(object);
}

/// Removes the marks of a dependent, and replaces the digests in the status of a component.
pub(crate) fn remove(object: &mut Value) {
    if is_dependent(object)
        && let Some(metadata) = object["metadata"].as_object_mut()
    {
        without(metadata, "labels", &[OPERATOR, DEPENDENT_OF]);
        without(metadata, "annotations", &[OWNER, APPLIED]);
    }
    redact_status(object);
}

/// Returns whether the label is set. A patch that removes it from an orphan sets it to null.
fn is_dependent(object: &Value) -> bool {
    object["metadata"]["labels"][OPERATOR].is_string()
}

/// Removes keys from a map of the metadata, and the map if it is then empty.
fn without(metadata: &mut Map<String, Value>, field: &str, keys: &[&str]) {
    let Some(map) = metadata.get_mut(field).and_then(Value::as_object_mut) else { return };
    map.retain(|key, _| !keys.contains(&&**key));
    if map.is_empty() {
        metadata.remove(field);
    }
}

fn redact_status(object: &mut Value) {
    let sets = object.pointer_mut("/status/dependents").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, set) in sets {
        for field in ["digest", "applied"] {
            set.get_mut(field).into_iter().for_each(replace);
        }
    }
}

fn replace(value: &mut Value) {
    if let (Some(digest), Value::String(text)) = (&*DIGEST, &*value) {
        *value = json!(digest.replace_all(text, "<digest>"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef";

    fn dependent() -> Value {
        json!({"metadata": {
            "labels": {OPERATOR: "shops", DEPENDENT_OF: HASH},
            "annotations": {APPLIED: format!("1 {HASH} {HASH} wave=1"), OWNER: "Shop/a for b", "own": HASH},
        }})
    }

    #[test]
    fn digests_in_marks_and_statuses_are_replaced() {
        let mut object = dependent();
        redact(&mut object);
        let annotations = json!({APPLIED: "1 <digest> <digest> wave=1", OWNER: "Shop/a for b", "own": HASH});
        let labels = json!({OPERATOR: "shops", DEPENDENT_OF: "<digest>"});
        assert_eq!(object["metadata"], json!({"labels": labels, "annotations": annotations}));
        let mut component = json!({"status": {"digest": HASH, "dependents": {"shop/install": {"digest": HASH, "applied": &HASH[..16]}}}});
        redact(&mut component);
        let expected = json!({"status": {"digest": HASH, "dependents": {"shop/install": {"digest": "<digest>", "applied": "<digest>"}}}});
        assert_eq!(component, expected);
    }

    #[test]
    fn a_dependent_without_marks_has_the_labels_and_annotations_of_its_manifest() {
        let mut object = dependent();
        remove(&mut object);
        assert_eq!(object, json!({"metadata": {"annotations": {"own": HASH}}}));
    }

    #[test]
    fn the_removal_of_a_mark_and_other_objects_are_shown() {
        let orphan =
            json!({"metadata": {"labels": {OPERATOR: null, DEPENDENT_OF: null}, "annotations": {OWNER: null}}});
        let owned = json!({"metadata": {"labels": {DEPENDENT_OF: HASH}}});
        for object in [orphan, owned] {
            let mut shown = object.clone();
            remove(&mut shown);
            redact(&mut shown);
            assert_eq!(shown, object);
        }
    }
}

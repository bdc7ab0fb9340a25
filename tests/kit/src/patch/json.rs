//! JSON patch (RFC 6902); a `test` against null behaves as on an API server.

use std::fmt;

use json_patch::jsonptr::Pointer;
use json_patch::{PatchOperation, TestOperation};
use serde_json::Value;

/// The error of a patch; the target object is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch is not a list of known operations: HTTP 400, reason `BadRequest`.
    Malformed(String),
    /// An operation does not match the object (a failed `test`, an absent path): HTTP 422, reason `Invalid`.
    Failed(String),
    /// A strategic merge patch without a key or with an unknown directive: HTTP 500 without a reason, as API servers return.
    Broken(String),
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(text) | Self::Failed(text) | Self::Broken(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for PatchError {}

/// Applies the JSON patch `patch` to `doc`. On an error `doc` is unchanged.
///
/// A `test` against null succeeds if only the last member of the path is absent. RFC 6902 requires it to fail, but API servers accept it,
/// and the finalizer of kube-runtime relies on that.
///
/// # Errors
/// [`PatchError::Malformed`] if `patch` is not a list of operations; [`PatchError::Failed`] if an operation does not apply.
pub fn json_patch(doc: &mut Value, patch: &Value) -> Result<(), PatchError> {
    let operations = parse(patch)?;
    let mut patched = doc.clone();
    for operation in &operations {
        apply(&mut patched, operation)?;
    }
    *doc = patched;
    Ok(())
}

fn parse(patch: &Value) -> Result<Vec<PatchOperation>, PatchError> {
    let Value::Array(operations) = patch else {
        return Err(PatchError::Malformed("error decoding patch: a JSON patch is a list of operations".to_owned()));
    };
    operations.iter().map(parse_operation).collect()
}

fn parse_operation(operation: &Value) -> Result<PatchOperation, PatchError> {
    const KNOWN: [&str; 6] = ["add", "copy", "move", "remove", "replace", "test"];
    if let Some(op) = operation.get("op").and_then(Value::as_str)
        && !KNOWN.contains(&op)
    {
        return Err(PatchError::Malformed(format!("invalid operation {operation}: unsupported operation")));
    }
    serde_json::from_value(operation.clone())
        .map_err(|error| PatchError::Malformed(format!("invalid operation {operation}: {error}")))
}

fn apply(doc: &mut Value, operation: &PatchOperation) -> Result<(), PatchError> {
    match operation {
        PatchOperation::Test(test) if is_absent_null(doc, test) => Ok(()),
        other => {
            json_patch::patch(doc, std::slice::from_ref(other)).map_err(|error| PatchError::Failed(error.to_string()))
        }
    }
}

/// Whether the operation tests for null and only the last member of its path is absent.
fn is_absent_null(doc: &Value, test: &TestOperation) -> bool {
    if !test.value.is_null() {
        return false;
    }
    let path: &Pointer = &test.path;
    let Some((parent, key)) = path.split_back() else {
        return false;
    };
    matches!(doc.pointer(parent.as_str()), Some(Value::Object(map)) if !map.contains_key(key.decoded().as_ref()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn patched(patch: &Value) -> Result<Value, PatchError> {
        let mut doc = json!({"metadata": {"finalizers": ["ex.dev/g"]}, "spec": {"size": 1, "a/b": null}});
        json_patch(&mut doc, patch).map(|()| doc)
    }

    fn is_failed(patch: &Value) -> bool {
        matches!(patched(patch), Err(PatchError::Failed(_)))
    }

    #[test]
    fn a_test_of_null_passes_where_only_the_last_member_is_absent() {
        assert!(patched(&json!([{"op": "test", "path": "/metadata/labels", "value": null}])).is_ok());
        assert!(patched(&json!([{"op": "test", "path": "/spec/a~1b", "value": null}])).is_ok());
        assert!(is_failed(&json!([{"op": "test", "path": "/metadata/absent/deep", "value": null}])));
        assert!(is_failed(&json!([{"op": "test", "path": "/metadata/finalizers/7", "value": null}])));
        assert!(is_failed(&json!([{"op": "test", "path": "/spec/size", "value": null}])));
        assert!(is_failed(&json!([{"op": "test", "path": "/metadata/labels", "value": {}}])));
    }

    #[test]
    fn absent_paths_fail_on_replace_remove_and_under_a_missing_parent() {
        assert!(is_failed(&json!([{"op": "replace", "path": "/metadata/labels", "value": {"a": "b"}}])));
        assert!(is_failed(&json!([{"op": "remove", "path": "/metadata/labels"}])));
        assert!(is_failed(&json!([{"op": "add", "path": "/metadata/labels/a", "value": "b"}])));
    }

    #[test]
    fn the_finalizer_patches_of_kube_runtime_apply() {
        let done = patched(&json!([
            {"op": "test", "path": "/metadata/finalizers", "value": ["ex.dev/g"]},
            {"op": "add", "path": "/metadata/finalizers/-", "value": "ex.dev/f"},
            {"op": "test", "path": "/metadata/finalizers/0", "value": "ex.dev/g"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ]));
        assert_eq!(done.unwrap()["metadata"]["finalizers"], json!(["ex.dev/f"]));
    }

    #[test]
    fn an_invalid_operation_list_is_malformed() {
        for patch in [
            json!({"op": "replace", "path": "/spec/size", "value": 3}),
            json!([{"op": "bogus", "path": "/spec/size"}]),
            json!([7]),
        ] {
            assert!(matches!(patched(&patch), Err(PatchError::Malformed(_))), "{patch}");
        }
    }

    #[test]
    fn a_failed_operation_undoes_earlier_ones() {
        let mut doc = json!({"spec": {"size": 1}});
        let patch = json!([{"op": "replace", "path": "/spec/size", "value": 2}, {"op": "remove", "path": "/nope"}]);
        assert!(json_patch(&mut doc, &patch).is_err());
        assert_eq!(doc, json!({"spec": {"size": 1}}));
    }
}

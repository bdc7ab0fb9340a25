//! A Pod for tests.

use serde_json::{Value, json};

/// A Pod that API servers without nodes and service accounts accept.
#[must_use]
pub fn a_pod(name: &str) -> Value {
    let containers = json!([{ "name": "c", "image": "example.com/c" }]);
    let spec = json!({ "automountServiceAccountToken": false, "containers": containers });
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name }, "spec": spec })
}

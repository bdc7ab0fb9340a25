//! The fields of `ObjectMeta`, whose schema no custom resource may state.

use serde_json::Value;

const KNOWN: [&str; 16] = [
    "annotations",
    "clusterName",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Drops the members of the `ObjectMeta` at the path `at` that Kubernetes does not know, and returns their paths, sorted.
pub fn prune_metadata(metadata: &mut Value, at: &str) -> Vec<String> {
    let Value::Object(map) = metadata else { return Vec::new() };
    let mut unknown = Vec::new();
    map.retain(|name, _| {
        let is_known = KNOWN.contains(&name.as_str());
        if !is_known {
            unknown.push(format!("{at}.{name}"));
        }
        is_known
    });
    unknown.sort();
    unknown
}

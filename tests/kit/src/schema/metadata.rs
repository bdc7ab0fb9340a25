//! The fields of `ObjectMeta`. The schema of a custom resource must not declare them.

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

/// Drops unknown members of the `ObjectMeta` at the path `at`, and returns their paths, sorted.
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

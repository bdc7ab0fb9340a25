//! Selection of resources and fields for snapshots and comparisons.

use serde_json::Value;

use super::redact;

/// Resources that are rarely relevant to a test. They are excluded by default.
const SILENT: [&str; 3] = ["customresourcedefinitions", "events", "leases"];
/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
/// Metadata fields that differ in every run.
const VOLATILE: [&str; 4] = ["uid", "resourceVersion", "creationTimestamp", "selfLink"];

/// The content of a [snapshot](super::Snapshot), which a [sweep](crate::Sweep) compares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    pub(crate) shown: Vec<String>,
    pub(crate) hidden: Vec<String>,
    pub(crate) ignored: Vec<String>,
    pub(crate) owners: bool,
    /// Whether the digests of dependents are shown.
    pub(crate) digests: bool,
}

impl Choice {
    pub(super) fn shows(&self, plural: &str, object: &Value) -> bool {
        let named = |list: &[String]| list.iter().any(|name| name == plural);
        let is_silent = SILENT.contains(&plural)
            || plural == "namespaces"
                && object["metadata"]["name"].as_str().is_some_and(|name| NAMESPACES.contains(&name));
        !named(&self.hidden) && (!is_silent || named(&self.shown))
    }

    /// Returns the object without the excluded fields.
    pub(super) fn cut(&self, mut object: Value) -> Value {
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|field, _| !VOLATILE.contains(&&**field));
            if !self.owners {
                metadata.remove("managedFields");
            }
        }
        for field in &self.ignored {
            redact::remove(&mut object, field);
        }
        object
    }
}

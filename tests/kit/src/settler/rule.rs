//! The kinds whose status a settler writes, with their rules.

use serde_json::Value;

use super::{single, workload};

/// Computes a merge patch of the status of an object, at the given time.
type Change = fn(&Value, &str) -> Value;

/// The rules of one kind.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) plural: &'static str,
    /// Whether the object has work to do.
    pub(super) is_active: fn(&Value) -> bool,
    /// The status once the object is observed.
    pub(super) observed: Change,
    /// The status once the object is ready.
    pub(super) ready: Change,
}

pub(super) const RULES: [Rule; 7] = [
    rule(["apps", "v1", "deployments"], workload::deployment_observed, workload::deployment_ready),
    rule(["apps", "v1", "statefulsets"], workload::stateful_set_observed, workload::stateful_set_ready),
    rule(["apps", "v1", "daemonsets"], workload::daemon_set_observed, workload::daemon_set_ready),
    rule(["apps", "v1", "replicasets"], workload::replica_set_observed, workload::replica_set_ready),
    Rule { is_active: single::is_running, ..rule(["batch", "v1", "jobs"], single::job_observed, single::job_ready) },
    rule(["", "v1", "pods"], single::pod_observed, single::pod_ready),
    rule(["", "v1", "persistentvolumeclaims"], single::claim_observed, single::claim_ready),
];

const fn rule([group, version, plural]: [&'static str; 3], observed: Change, ready: Change) -> Rule {
    Rule { group, version, plural, is_active: |_| true, observed, ready }
}

impl Rule {
    /// Returns the path of the status of an object.
    pub(super) fn path(&self, namespace: &str, name: &str) -> String {
        let root = if self.group.is_empty() { "api".to_owned() } else { format!("apis/{}", self.group) };
        format!("/{root}/{}/namespaces/{namespace}/{}/{name}/status", self.version, self.plural)
    }
}

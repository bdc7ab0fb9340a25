//! Coverage of the declared conditions and reasons by tests.

#[cfg(feature = "evenkeel")]
mod wiring;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::cluster::Cluster;
use crate::diff::diff;

/// The declared conditions and reasons, and those that were written to a status.
///
/// With the feature `evenkeel`, `declare_reconciler::<R>()` declares those in the wiring of a reconciler.
///
/// ```
/// # use evenkeel_testkit::{Cluster, Coverage};
/// # use k8s_openapi::api::core::v1::Service;
/// # use kube::Api;
/// # use kube::api::{Patch, PatchParams};
/// # use serde_json::json;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// let mut coverage = Coverage::default();
/// coverage.declare("services", "Ready", ["Succeeded", "NoEndpoints"]);
///
/// // One test, or several tests with separate clusters.
/// let cluster = Cluster::start().await;
/// cluster.seed("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}").await.unwrap();
/// let services: Api<Service> = Api::default_namespaced(cluster.client());
/// let ready = json!({"type": "Ready", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"});
/// let patch = Patch::Merge(json!({"status": {"conditions": [ready]}}));
/// services.patch_status("web", &PatchParams::default(), &patch).await?;
/// coverage.add(&cluster);
///
/// coverage.assert_missing(["services Ready NoEndpoints"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    declared: BTreeSet<ConditionReason>,
    reached: BTreeSet<ConditionReason>,
}

/// A condition of a resource with one of its reasons.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ConditionReason {
    resource: String,
    condition: String,
    reason: String,
}

impl ConditionReason {
    fn new(resource: &str, condition: &str, reason: &str) -> Self {
        Self { resource: resource.to_owned(), condition: condition.to_owned(), reason: reason.to_owned() }
    }
}

impl fmt::Display for ConditionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.resource, self.condition, self.reason)
    }
}

impl Coverage {
    /// Declares a condition of a resource, such as "widgets", with its reasons.
    pub fn declare<R: AsRef<str>>(
        &mut self,
        plural: &str,
        condition: &str,
        reasons: impl IntoIterator<Item = R>,
    ) -> &mut Self {
        let declared = reasons.into_iter().map(|reason| ConditionReason::new(plural, condition, reason.as_ref()));
        self.declared.extend(declared);
        self
    }

    /// Adds the conditions of all successful status writes in a cluster.
    ///
    /// It reads updates, merge patches and server-side apply patches in the request log.
    pub fn add(&mut self, cluster: &Cluster) -> &mut Self {
        let writes = cluster.log().requests().writes().filter(|entry| (200..300).contains(&entry.code));
        for entry in writes.entries() {
            let body = entry.json().unwrap_or_default();
            let conditions = body["status"]["conditions"].as_array().into_iter().flatten();
            let written = conditions.map(|condition| {
                ConditionReason::new(&entry.resource, text(condition, "type"), text(condition, "reason"))
            });
            self.reached.extend(written);
        }
        self
    }

    /// Returns the declared conditions and reasons that were never reached.
    ///
    /// Each is a line such as `widgets Ready NotFound`.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        self.declared.difference(&self.reached).map(ToString::to_string).collect()
    }

    /// Asserts that exactly these conditions and reasons are missing.
    ///
    /// Since the list is exact, an entry must be removed as soon as a test reaches it.
    ///
    /// # Panics
    /// Panics if the missing ones differ from the list.
    #[track_caller]
    pub fn assert_missing<L: AsRef<str>>(&self, wanted: impl IntoIterator<Item = L>) {
        let mut wanted: Vec<String> = wanted.into_iter().map(|line| line.as_ref().to_owned()).collect();
        wanted.sort();
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        if let Some(difference) = diff(&text(&wanted), &text(&self.missing())) {
            panic!("conditions and reasons that no test reached: - expected, + found\n{difference}\n{self}");
        }
    }
}

impl fmt::Display for Coverage {
    /// Lists all declared conditions and reasons, and whether each was reached.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.declared.intersection(&self.reached).count();
        writeln!(f, "{reached} of {} reached", self.declared.len())?;
        self.declared.iter().try_for_each(|one| {
            writeln!(f, "  {} {one}", if self.reached.contains(one) { "reached    " } else { "NOT REACHED" })
        })
    }
}

fn text<'a>(condition: &'a Value, field: &str) -> &'a str {
    condition[field].as_str().unwrap_or_default()
}

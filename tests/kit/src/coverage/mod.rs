//! Which declared conditions and reasons the tests have reached.

#[cfg(feature = "evenkeel")]
mod wiring;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::cluster::Cluster;
use crate::diff::diff;

/// Which conditions and reasons are declared, and which of them were written to a status.
///
/// With the feature `evenkeel`, `declare_reconciler::<R>()` takes them from the wiring of a reconciler.
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
/// // A test, or several with a cluster each.
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
    declared: BTreeSet<Said>,
    reached: BTreeSet<Said>,
}

/// A condition of a resource with one of its reasons.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    resource: String,
    condition: String,
    reason: String,
}

impl Said {
    fn new(resource: &str, condition: &str, reason: &str) -> Self {
        Self { resource: resource.to_owned(), condition: condition.to_owned(), reason: reason.to_owned() }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.resource, self.condition, self.reason)
    }
}

impl Coverage {
    /// Declares a condition of a plural, such as "widgets", with its reasons.
    pub fn declare<R: AsRef<str>>(
        &mut self,
        plural: &str,
        condition: &str,
        reasons: impl IntoIterator<Item = R>,
    ) -> &mut Self {
        self.declared.extend(reasons.into_iter().map(|reason| Said::new(plural, condition, reason.as_ref())));
        self
    }

    /// Adds what successful status writes in the request log of a cluster say: updates, merge patches, server-side apply.
    pub fn add(&mut self, cluster: &Cluster) -> &mut Self {
        let writes = cluster.log().requests().writes().filter(|entry| (200..300).contains(&entry.code));
        for entry in writes.entries() {
            let body = entry.json().unwrap_or_default();
            let conditions = body["status"]["conditions"].as_array().into_iter().flatten();
            let said = conditions
                .map(|condition| Said::new(&entry.resource, text(condition, "type"), text(condition, "reason")));
            self.reached.extend(said);
        }
        self
    }

    /// What is declared and was never reached, a line each: `widgets Ready NotFound`.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        self.declared.difference(&self.reached).map(ToString::to_string).collect()
    }

    /// Nothing but this is missing. What a test reaches now has to leave the list, so it can only shrink.
    ///
    /// # Panics
    /// When something else is.
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
    /// All that is declared, each with whether it was reached.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.declared.intersection(&self.reached).count();
        writeln!(f, "{reached} of {} reached", self.declared.len())?;
        self.declared.iter().try_for_each(|said| {
            writeln!(f, "  {} {said}", if self.reached.contains(said) { "reached    " } else { "NOT REACHED" })
        })
    }
}

fn text<'a>(condition: &'a Value, field: &str) -> &'a str {
    condition[field].as_str().unwrap_or_default()
}

//! A chart that `helm template` renders.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::hooks::without_hooks;
use super::program::{Program, TIME};
use crate::pipeline::dependents::source::{Source, SourceError};

/// The objects that `helm template` prints for a chart. Requires the feature `programs`, and the program in the image of the operator.
///
/// The chart is a local folder that contains the charts on which it depends. Helm runs with a clean environment, does not talk to the cluster
/// (`lookup` finds nothing), and ends after 60 s at the latest. It runs again only if the values or a file of the chart have changed, and then
/// twice: a chart that prints something else each time, as with `randAlphaNum`, is refused.
///
/// Hooks become waves, which is how SAP's component reconciler treats them:
///
/// | annotation | effect |
/// | --- | --- |
/// | `helm.sh/hook: pre-install` | `apply-order` below all others, `reconcile-policy: once` |
/// | `helm.sh/hook: pre-install,pre-upgrade` | the same, and applied again with each change of the object or of the component |
/// | `helm.sh/hook: post-install`, `post-install,post-upgrade` | the same, above all others |
/// | `helm.sh/hook-weight` | the place among the hooks of one kind |
/// | `helm.sh/hook-delete-policy: hook-succeeded` | `purge-order` after the wave |
/// | `before-hook-creation`, or no delete policy | `update-policy: recreate` |
/// | `helm.sh/resource-policy: keep` | `delete-policy: orphan` |
///
/// A hook with all four types is treated as `pre-install,pre-upgrade`, and purged after all waves. Objects for tests and for a rollback are left
/// out. Hooks for a deletion, and `hook-failed`, are refused.
///
/// ```ignore
/// wanted.source(HelmChart::new("charts/shop", &shop.name_any(), &namespace).values(&shop.spec.values));
/// ```
#[derive(Clone)]
pub struct HelmChart {
    program: Program,
    invalid: Option<String>,
}

impl HelmChart {
    /// The chart in a folder, as a release with this name and namespace.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, release: &str, namespace: &str) -> Self {
        let folder = folder.into();
        let options = ["template", "--include-crds", "--skip-tests", "--values=-"].map(OsString::from);
        let mut arguments = Vec::from(options);
        arguments.push(format!("--namespace={namespace}").into());
        arguments.extend(["--".into(), release.into(), folder.clone().into()]);
        let program = Program { command: "helm".into(), arguments, values: json!({}), folder, time: TIME };
        Self { program, invalid: None }
    }

    /// The values of the release. Helm reads them from its standard input, so that no other process sees them.
    #[must_use]
    pub fn values(mut self, values: &impl Serialize) -> Self {
        match serde_json::to_value(values) {
            Ok(values @ Value::Object(_)) => self.program.values = values,
            Ok(_) => self.invalid = Some("the values are no map of fields".into()),
            Err(error) => self.invalid = Some(format!("the values are no JSON: {error}")),
        }
        self
    }

    /// The version of Kubernetes that the chart sees; that of Helm unless set.
    #[must_use]
    pub fn kube_version(self, version: &str) -> Self {
        self.option(format!("--kube-version={version}"))
    }

    /// An API version that the chart sees, such as `monitoring.coreos.com/v1`, beside those of Helm.
    #[must_use]
    pub fn api_version(self, version: &str) -> Self {
        self.option(format!("--api-versions={version}"))
    }

    fn option(mut self, option: String) -> Self {
        self.program.arguments.insert(1, option.into());
        self
    }

    /// The path of the program; `helm` in the `PATH` of the operator unless set.
    #[must_use]
    pub fn command(mut self, path: impl Into<PathBuf>) -> Self {
        self.program.command = path.into();
        self
    }

    /// The time limit of a run; 60 s unless set.
    #[must_use]
    pub const fn time_limit(mut self, limit: Duration) -> Self {
        self.program.time = limit;
        self
    }
}

impl std::fmt::Debug for HelmChart {
    /// Without the values, which may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HelmChart").field("folder", &self.program.folder).finish_non_exhaustive()
    }
}

impl Source for HelmChart {
    fn name(&self) -> String {
        format!("chart {}", self.program.folder.display())
    }

    async fn render(self) -> Result<String, SourceError> {
        match self.invalid {
            Some(problem) => Err(SourceError::Invalid(problem)),
            None => self.program.manifests(without_hooks).await,
        }
    }
}

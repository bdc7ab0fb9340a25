//! A folder that `kustomize build` renders.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::program::{Program, TIME};
use crate::pipeline::dependents::source::{Source, SourceError};

/// The objects that `kustomize build` prints for a folder. Requires the feature `programs`, and the program in the image of the operator.
///
/// It runs with a clean environment and ends after 60 s at the latest. It runs again only if a file of the folder has changed.
///
/// ```ignore
/// wanted.source(Kustomization::new("deploy/overlays/production"));
/// ```
#[derive(Clone)]
pub struct Kustomization {
    program: Program,
}

impl Kustomization {
    /// The kustomization of a folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let arguments = vec!["build".into(), "--".into(), folder.clone().into()];
        Self { program: Program { command: "kustomize".into(), arguments, values: Value::Null, folder, time: TIME } }
    }

    /// The path of the program; `kustomize` in the `PATH` of the operator unless set.
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

impl std::fmt::Debug for Kustomization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kustomization").field("folder", &self.program.folder).finish_non_exhaustive()
    }
}

impl Source for Kustomization {
    fn name(&self) -> String {
        format!("kustomization {}", self.program.folder.display())
    }

    async fn render(self) -> Result<String, SourceError> {
        self.program.manifests(Ok).await
    }
}

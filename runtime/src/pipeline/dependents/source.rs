//! Sources of manifests beside Rust values and templates.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::error::DependentsError;
use super::templates::Rendered;
use super::yaml::{InvalidYaml, document_texts};
use crate::dependent_rules::manifest::Digest;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};

/// The longest output of a source.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// Prints the manifests of a set: a program, or a library that renders a chart.
///
/// The kinds of the manifests are those that the step declares, for example with `kinds("apps/v1/Deployment")`.
///
/// ```
/// use std::path::PathBuf;
///
/// use evenkeel::dependents::{Source, SourceError};
///
/// /// A file that another container of the pod renders.
/// struct Rendered(PathBuf);
///
/// impl Source for Rendered {
///     fn name(&self) -> String {
///         self.0.display().to_string()
///     }
///
///     async fn render(self) -> Result<String, SourceError> {
///         // It may be there later.
///         tokio::fs::read_to_string(&self.0).await.map_err(|error| SourceError::Failed(error.to_string()))
///     }
/// }
/// ```
pub trait Source: Send + 'static {
    /// What messages call it, for example the path of a chart.
    fn name(&self) -> String;

    /// The manifests, as YAML with any number of documents.
    ///
    /// # Errors
    /// The cause, in plain words and without values that may be secret.
    fn render(self) -> impl Future<Output = Result<String, SourceError>> + Send;
}

/// Why a source prints no manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// The input cannot be rendered. The set is stalled with the reason `RenderFailed` until its component changes.
    Invalid(String),
    /// Another attempt may succeed. The set has the reason `SourceFailed`, and is rendered again with back-off.
    Failed(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(cause) | Self::Failed(cause) => f.write_str(cause),
        }
    }
}

impl std::error::Error for SourceError {}

/// A source that is rendered when its set converges.
pub(super) struct Pending {
    name: String,
    text: BoxFuture<'static, Result<String, SourceError>>,
}

impl Pending {
    pub(super) fn of(source: impl Source) -> Self {
        Self { name: source.name(), text: async move { source.render().await }.boxed() }
    }

    pub(super) fn text(text: &str) -> Self {
        Self { name: "the YAML".into(), text: ready(Ok(text.to_owned())).boxed() }
    }

    /// The text of the manifests.
    pub(super) async fn printed(self) -> Result<Printed, DependentsError> {
        let Self { name, text } = self;
        match text.await {
            Ok(text) => Ok(Printed { name: name.into(), text }),
            Err(error) => Err(failed(&name, error)),
        }
    }
}

/// The output of a source.
pub(super) struct Printed {
    pub(super) name: Arc<str>,
    pub(super) text: String,
}

impl Printed {
    /// What its manifests depend on.
    pub(super) fn input(&self) -> Digest {
        Digest::of_all([Digest::of_bytes(&*self.name), Digest::of_bytes(&self.text)])
    }

    /// The manifests in the text.
    pub(super) fn rendered(&self) -> Result<Vec<Rendered>, DependentsError> {
        let objects = parsed(&self.text, document_texts).map_err(|error| failed(&self.name, error))?;
        Ok(objects.into_iter().map(|object| Rendered { file: self.name.clone(), object }).collect())
    }
}

fn failed(name: &str, error: SourceError) -> DependentsError {
    match error {
        SourceError::Invalid(cause) => DependentsError::RenderFailed(format!("{name}: {cause}")),
        SourceError::Failed(cause) => DependentsError::SourceFailed(format!("{name}: {cause}")),
    }
}

/// The objects of a text, as this function parses them.
pub(super) fn parsed<T>(text: &str, parse: fn(&str) -> Result<Vec<T>, InvalidYaml>) -> Result<Vec<T>, SourceError> {
    if text.len() > MOST_BYTES {
        return Err(SourceError::Invalid("it prints more than 32 MiB".into()));
    }
    parse(text).map_err(|(line, cause)| match line {
        Some(line) => SourceError::Invalid(format!("in line {line} of its output {cause}")),
        None => SourceError::Invalid(cause),
    })
}

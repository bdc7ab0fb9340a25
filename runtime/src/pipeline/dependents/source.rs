//! Sources of manifests beside Rust values and templates.

use std::fmt;
use std::future::Future;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::error::DependentsError;
use super::templates::{Rendered, documents};

/// The longest output of a source.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// Prints the manifests of a set: a program, or a library that renders a chart.
///
/// The kinds of the manifests are those that the step declares, for example with `kinds("apps/v1/Deployment")`.
///
/// ```
/// use evenkeel::dependents::{Source, SourceError};
///
/// struct Chart {
///     values: String,
/// }
///
/// impl Source for Chart {
///     fn name(&self) -> String {
///         "charts/shop".into()
///     }
///
///     async fn render(self) -> Result<String, SourceError> {
///         let output = std::process::Command::new("render-chart").arg(&self.values).output();
///         // It may be installed later.
///         let output = output.map_err(|error| SourceError::Failed(error.to_string()))?;
///         String::from_utf8(output.stdout).map_err(|_| SourceError::Invalid("it prints no UTF-8".into()))
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

    /// Renders the manifests.
    pub(super) async fn rendered(self) -> Result<Vec<Rendered>, DependentsError> {
        let Self { name, text } = self;
        let failed = |cause: String| DependentsError::RenderFailed(format!("{name}: {cause}"));
        let text = text.await.map_err(|error| match error {
            SourceError::Invalid(cause) => failed(cause),
            SourceError::Failed(cause) => DependentsError::SourceFailed(format!("{name}: {cause}")),
        })?;
        if text.len() > MOST_BYTES {
            return Err(failed("it prints more than 32 MiB".into()));
        }
        let invalid = |(line, cause): (Option<u64>, String)| match line {
            Some(line) => failed(format!("in line {line} of its output {cause}")),
            None => failed(cause),
        };
        let objects = documents(&text).map_err(invalid)?;
        let rendered = objects.into_iter().map(|object| match object.is_object() {
            true => Ok(Rendered { file: name.clone(), object }),
            false => Err(failed("a document is no object; write `apiVersion`, `kind` ..".into())),
        });
        rendered.collect()
    }
}

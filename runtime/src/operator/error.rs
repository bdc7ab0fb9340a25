//! The error of an operator that cannot start or continue, with its cause and fix.

use std::fmt;
use std::sync::Arc;

pub(super) use crate::schema::install;

/// An operator that could not start, or could not continue.
///
/// Prints one line about the cause and one about the fix. `Debug` prints the same, since `main` prints errors that way.
///
/// The headline contains the text of the [source](std::error::Error::source), so that printing the error is enough.
#[derive(Clone)]
pub struct Error {
    reason: Reason,
    headline: String,
    help: String,
    dropped: Vec<String>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The category of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The program contradicts itself or Kubernetes: two reconcilers of one kind, or an invalid name.
    Setup,
    /// There is no usable kubeconfig, or the service account cannot be read.
    Config,
    /// The API server does not respond.
    Unreachable,
    /// The CRD is not installed.
    NotInstalled,
    /// The CRD does not serve the version for which the program was built.
    NotServed,
    /// The installed CRD does not fit the type: a status field, or a spec field that the type requires, is missing.
    Outdated,
    /// The program is too old: objects may be stored in a version that a newer program has added.
    TooOld,
    /// The RBAC rules do not grant a permission that the operator requires.
    Forbidden,
    /// A part of the operator that must never end has ended.
    Ended,
    /// Blocking work still ran when another replica was allowed to take over.
    LeaseLost,
    /// A file of the command `render` cannot be used, or a set of dependents cannot be rendered.
    Render,
    /// The file of `contract --check` cannot be used, or the contract has changed more than is allowed.
    Contract,
    /// An option of the command `manifests` has an invalid value, a file cannot be written, or a folder differs from what it prints.
    Manifests,
    /// Passes were still running after the [shutdown timeout](crate::Operator::shutdown_timeout) and were dropped.
    Dropped,
}

/// The result of running an operator.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(reason: Reason, headline: impl Into<String>, help: impl Into<String>) -> Self {
        Self { reason, headline: headline.into(), help: help.into(), dropped: Vec::new(), source: None }
    }

    pub(super) fn with_dropped(self, dropped: Vec<String>) -> Self {
        Self { dropped, ..self }
    }

    pub(super) fn caused_by(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The category of the error.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// How to fix it.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }

    /// The passes that were dropped after the [shutdown timeout](crate::Operator::shutdown_timeout), as
    /// `reconciler namespace/name`.
    ///
    /// Their objects are reconciled again after the next start.
    #[must_use]
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }
}

/// Two errors are equal if they print the same; their sources are not compared.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let Self { reason, headline, help, dropped, source: _ } = self;
        (*reason, headline, help, dropped) == (other.reason, &other.headline, &other.help, &other.dropped)
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  help: {}", self.headline, self.help)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

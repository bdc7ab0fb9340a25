//! The error of an operator that cannot start or continue, with its cause and fix.

use std::fmt;

pub(super) use crate::schema::install;

/// An operator that could not start, or could not continue.
///
/// Prints one line about the cause and one about the fix. `Debug` prints the same, since `main` prints errors that way.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    reason: Reason,
    headline: String,
    help: String,
    dropped: Vec<String>,
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
    /// The RBAC rules do not grant a permission that the operator requires.
    Forbidden,
    /// A part of the operator that must never end has ended.
    Ended,
    /// Passes were still running after the [shutdown timeout](crate::Operator::shutdown_timeout) and were dropped.
    Dropped,
}

/// The result of running an operator.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(reason: Reason, headline: impl Into<String>, help: impl Into<String>) -> Self {
        Self { reason, headline: headline.into(), help: help.into(), dropped: Vec::new() }
    }

    pub(super) fn with_dropped(self, dropped: Vec<String>) -> Self {
        Self { dropped, ..self }
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

impl std::error::Error for Error {}

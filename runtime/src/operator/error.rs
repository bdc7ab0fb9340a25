//! Why an operator does not start: what is wrong, and the cure.

use std::fmt;

pub(super) use crate::schema::install;

/// An operator that could not start, or could not go on.
///
/// Prints as one line on what is wrong and one on what to do; `Debug` prints the same, since that is what `main` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    reason: Reason,
    headline: String,
    cure: String,
    dropped: Vec<String>,
}

/// What kind of obstacle it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The program itself contradicts Kubernetes or itself: two reconcilers of one kind, a name that Kubernetes refuses.
    Setup,
    /// No usable kubeconfig, or a service account that cannot be read.
    Config,
    /// The API server does not answer.
    Unreachable,
    /// The CRD is not installed.
    NotInstalled,
    /// The CRD does not serve the version that the program was built for.
    NotServed,
    /// The installed CRD does not fit the type: it lacks a field of the status, or one of the spec that the type requires.
    Outdated,
    /// The role does not allow what the operator cannot do without.
    Forbidden,
    /// A part of the operator ended that never should.
    Ended,
    /// Passes were still running at the end of the [shutdown timeout](crate::Operator::shutdown_timeout) and were dropped.
    Dropped,
}

/// The result of running an operator.
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(reason: Reason, headline: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { reason, headline: headline.into(), cure: cure.into(), dropped: Vec::new() }
    }

    pub(super) fn with_dropped(self, dropped: Vec<String>) -> Self {
        Self { dropped, ..self }
    }

    /// What kind of obstacle it is.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> &str {
        &self.cure
    }

    /// The passes that were dropped at the end of the [shutdown timeout](crate::Operator::shutdown_timeout), as `reconciler namespace/name`. They run again at
    /// the next start.
    #[must_use]
    pub fn dropped(&self) -> &[String] {
        &self.dropped
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  help: {}", self.headline, self.cure)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

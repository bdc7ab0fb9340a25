//! The class of an error, which determines how the framework handles it.

use std::time::Duration;

use super::reporting::{Actions, VariantInfo};
use super::retry::Retry;

/// The class of an error, which determines how the framework handles it.
///
/// Every variant of the error type of a step has a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// A retry is useless until a person changes something.
    Stalled,
    /// A precondition is not met yet. A change to the watched object triggers a reconcile, or the object is polled.
    Waiting {
        /// The time until the next pass; `None` if a watch triggers it.
        poll: Option<Duration>,
    },
    /// A retry may succeed; retried with back-off.
    Transient,
    /// Nothing to do; the pass counts as done.
    Ignored,
}

impl Class {
    /// The name of the class in metrics.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Stalled => "stalled",
            Self::Waiting { .. } => "waiting",
            Self::Transient => "transient",
            Self::Ignored => "ignored",
        }
    }

    /// The default event, log level and notification for errors of this class.
    #[must_use]
    pub const fn actions(self) -> Actions {
        match self {
            Self::Stalled => Actions::STALLED,
            Self::Waiting { .. } => Actions::WAITING,
            Self::Transient => Actions::TRANSIENT,
            Self::Ignored => Actions::IGNORED,
        }
    }
}

/// The poll time of an error of class `waiting(poll = self.after)` whose field is `None`: 30 s.
pub(crate) const POLL: Duration = Duration::from_secs(30);

impl Class {
    /// The class Waiting with this poll time, or with [`POLL`] if it is `None`.
    #[doc(hidden)]
    #[must_use]
    pub fn polling(after: Option<Duration>) -> Self {
        Self::Waiting { poll: Some(after.unwrap_or(POLL)) }
    }
}

/// An error type whose variants all have a class.
///
/// Derive it with [`ReconcileError`](derive@crate::ReconcileError).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a step: its variants have no class",
    label = "no classes",
    note = "`#[derive(ReconcileError)]` on it, and mark each variant: `#[class(transient)]`, `#[class(waiting)]`, `#[class(stalled)]` or `#[class(ignored)]`"
)]
pub trait ReconcileError: std::fmt::Display + Send {
    /// The class of the error.
    fn class(&self) -> Class;
    /// The reason of the condition that the error marks, one word in CamelCase.
    fn reason(&self) -> &'static str;
    /// The event, log level and notification for the error; default: those of its class.
    fn actions(&self) -> Actions {
        self.class().actions()
    }
    /// The pace of retries; default: [`Retry::Slow`].
    fn retry(&self) -> Retry {
        Retry::Slow
    }
    /// All variants in declared order, for generated documentation; empty if the trait is implemented manually.
    const VARIANTS: &'static [VariantInfo] = &[];
}

/// The error of a step that cannot fail.
impl ReconcileError for std::convert::Infallible {
    fn class(&self) -> Class {
        match *self {}
    }

    fn reason(&self) -> &'static str {
        match *self {}
    }
}

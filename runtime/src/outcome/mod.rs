//! Outcomes of a pass, classes of errors, and the error that stops a pipeline.

pub(crate) mod class;
pub(crate) mod message;
mod pass_error;
pub(crate) mod reporting;
mod requeue;
pub(crate) mod retry;

use std::time::Duration;

pub use self::class::{Class, ReconcileError};
pub(crate) use self::pass_error::panicked;
pub use self::pass_error::{PassError, PassResult};
pub use self::requeue::Requeue;

/// The outcome of a pass.
///
/// One enum covers all results, so there are no contradictory pairs of result and error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Every step succeeded and the object is ready.
    Done,
    /// Every step succeeded, and a step requested another pass (`cx.requeue()`, `cx.requeue_after(d)`).
    Requeue {
        /// The time until the next pass; `None` means the back-off curve.
        after: Option<Duration>,
    },
    /// An error of class `waiting`.
    Waiting {
        /// The time until the next pass; `None` if a watch triggers it.
        poll: Option<Duration>,
    },
    /// An error of class `stalled`.
    Stalled {
        /// The reason of the error.
        reason: String,
        /// The text of the error.
        message: String,
    },
    /// An error of class `transient`, a panic, a time-out, or a successful pass after which the object is not ready.
    Failed {
        /// The text of the error.
        message: String,
    },
    /// An error of class `ignored`; there is nothing to do.
    Ignored,
    /// The object no longer exists.
    Gone,
    /// A write failed because the API server has a newer version of the object.
    Conflict,
}

impl Outcome {
    /// The name of the outcome in logs and metrics.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "Done",
            Self::Requeue { .. } => "Requeue",
            Self::Waiting { .. } => "Waiting",
            Self::Stalled { .. } => "Stalled",
            Self::Failed { .. } => "Failed",
            Self::Ignored => "Ignored",
            Self::Gone => "Gone",
            Self::Conflict => "Conflict",
        }
    }

    /// Whether the pass records the generation as observed.
    ///
    /// No retry is scheduled after such an outcome.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Done | Self::Stalled { .. } | Self::Ignored)
    }
}

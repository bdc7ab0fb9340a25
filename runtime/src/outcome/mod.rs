//! Outcomes: how errors are classed, how a pipeline stops, how a pass ends.

mod class;
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

/// How a pass ended. One sum type: no pairs of result and error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Every step succeeded and the object is ready.
    Done,
    /// A step asked to run again (`cx.requeue()`, `cx.requeue_after(d)`); every step succeeded.
    Requeue {
        /// After how long; `None` follows the back-off curve.
        after: Option<Duration>,
    },
    /// An error of class `waiting`.
    Waiting {
        /// When to look again; `None` where a watch wakes the object.
        poll: Option<Duration>,
    },
    /// An error of class `stalled`.
    Stalled {
        /// The reason of the error.
        reason: String,
        /// The text of the error.
        message: String,
    },
    /// An error of class `transient`, a panic, a time-out, or a success that left the object not ready.
    Failed {
        /// The text of the error.
        message: String,
    },
    /// An error of class `ignored`: nothing to do.
    Ignored,
    /// The object vanished.
    Gone,
    /// A write met a newer version of the object.
    Conflict,
}

impl Outcome {
    /// The word for logs and metrics.
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

    /// Whether the generation counts as observed: nothing more happens until something changes.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Done | Self::Stalled { .. } | Self::Ignored)
    }
}

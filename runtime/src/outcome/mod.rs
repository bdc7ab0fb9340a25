//! Outcomes: how errors are classed, how a pipeline stops, how a pass ends.

pub(crate) mod message;
pub(crate) mod reporting;
pub(crate) mod retry;

use std::time::Duration;

use self::message::sanitize;
use self::reporting::{Actions, VariantInfo};
use self::retry::Retry;

/// What the framework does about an error of a step. Every variant of a step's error type has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Retrying is useless until a person changes something.
    Stalled,
    /// Not our turn yet: woken by the object it waits on, or after `poll`.
    Waiting {
        /// When to look again; `None` where a watch wakes the object.
        poll: Option<Duration>,
    },
    /// Worth another try, with back-off.
    Transient,
    /// Nothing to do: the pass counts as done.
    Ignored,
}

impl Class {
    /// The word for those who count.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Stalled => "stalled",
            Self::Waiting { .. } => "waiting",
            Self::Transient => "transient",
            Self::Ignored => "ignored",
        }
    }
}

/// When an error of class `waiting(poll = self.after)` looks again where its field is `None`: after 30 s.
pub(crate) const POLL: Duration = Duration::from_secs(30);

impl Class {
    /// Waiting, to look again after the time that the error says; see [`POLL`] where it says none.
    #[doc(hidden)]
    #[must_use]
    pub fn polling(after: Option<Duration>) -> Self {
        Self::Waiting { poll: Some(after.unwrap_or(POLL)) }
    }
}

/// An error type of which every variant has a class. Derive it with [`ReconcileError`](derive@crate::ReconcileError).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a step: its variants have no class",
    label = "no classes",
    note = "`#[derive(ReconcileError)]` on it, and mark each variant: `#[class(transient)]`, `#[class(waiting)]`, `#[class(stalled)]` or `#[class(ignored)]`"
)]
pub trait ReconcileError: std::fmt::Display + Send {
    /// What to do about it.
    fn class(&self) -> Class;
    /// The reason of the condition that the error marks, a word in CamelCase.
    fn reason(&self) -> &'static str;
    /// What is told of it beside the conditions; that of its class unless its variant says otherwise.
    fn actions(&self) -> Actions {
        self.class().actions()
    }
    /// How soon it is tried again.
    fn retry(&self) -> Retry {
        Retry::Slow
    }
    /// All variants, in declared order, for what is generated of them; empty where the trait is implemented by hand.
    const VARIANTS: &'static [VariantInfo] = &[];
}

/// What a pipeline returns: `Ok(())` once every step succeeded.
pub type Flow = Result<(), Halt>;

/// Why a pipeline stopped. Only the framework makes one, from the error of a step, whose condition it has marked by then.
#[derive(Clone, Debug)]
pub struct Halt {
    pub(crate) class: Class,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) actions: Actions,
    pub(crate) retry: Retry,
}

impl Halt {
    /// What the framework itself found out.
    pub(crate) fn new(class: Class, reason: &'static str, message: &str, actions: Actions) -> Self {
        Self { class, reason, message: sanitize(message), actions, retry: Retry::Slow }
    }

    /// A step or a cleanup did not end in time.
    pub(crate) fn timed_out(part: &str, limit: Duration) -> Self {
        Self::mishap("TimedOut", &format!("{part} did not end within {limit:?}"))
    }

    /// Nothing that the author said something about.
    pub(crate) fn mishap(reason: &'static str, message: &str) -> Self {
        Self::new(Class::Transient, reason, message, Actions::MISHAP)
    }

    /// What the framework does about it.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// The reason that stands in the marked condition.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// The text of the error.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What is told of it.
    #[must_use]
    pub fn actions(&self) -> Actions {
        self.actions
    }
}

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)
    }
}

/// What a panic says.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// How a pass ended. One sum type: no pairs of result and error.
#[derive(Clone, Debug, PartialEq, Eq)]
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

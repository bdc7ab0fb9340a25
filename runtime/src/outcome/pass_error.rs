//! The error that stops a pipeline.

use std::time::Duration;

use super::class::Class;
use super::message::sanitize;
use super::reporting::Actions;
use super::retry::Retry;

/// The return type of a pipeline: `Ok(())` if every step succeeded.
pub type PassResult = Result<(), PassError>;

/// The reason of a step that was halted by a dry run. No condition contains it.
const HALTED: &str = "evenkeel.dev/DryRun";

/// The error that stopped a pipeline.
///
/// Only the framework creates it, from the error of a step. The condition of the step is already marked at this point.
///
/// It has no source: the error of a step need not implement `Error`, and its text is the message.
#[derive(Clone, Debug)]
pub struct PassError {
    pub(crate) class: Class,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) actions: Actions,
    pub(crate) retry: Retry,
}

impl PassError {
    /// An error detected by the framework.
    pub(crate) fn new(class: Class, reason: &'static str, message: &str, actions: Actions) -> Self {
        Self { class, reason, message: sanitize(message), actions, retry: Retry::Slow }
    }

    /// The error of a step or a cleanup that exceeded its time limit.
    pub(crate) fn timed_out(part: &str, limit: Duration) -> Self {
        Self::mishap("TimedOut", &format!("{part} did not end within {limit:?}"))
    }

    /// The end of a step that a dry run does not run, whose result later steps need.
    pub(crate) fn halted() -> Self {
        Self::new(Class::Ignored, HALTED, "", Actions::IGNORED)
    }

    /// Whether it is [`halted`](Self::halted).
    #[cfg(feature = "operator")]
    pub(crate) fn is_halted(&self) -> bool {
        self.class == Class::Ignored && self.reason == HALTED
    }

    /// A transient error that the author did not declare, such as a panic.
    pub(crate) fn mishap(reason: &'static str, message: &str) -> Self {
        Self::new(Class::Transient, reason, message, Actions::MISHAP)
    }

    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// The reason of the marked condition.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// The text of the error.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The event, log level and notification for the error.
    #[must_use]
    pub fn actions(&self) -> Actions {
        self.actions
    }
}

impl std::fmt::Display for PassError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)
    }
}

impl std::error::Error for PassError {}

/// The message of a panic.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

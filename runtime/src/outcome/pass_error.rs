//! Why a pipeline stopped before its end.

use std::time::Duration;

use super::class::Class;
use super::message::sanitize;
use super::reporting::Actions;
use super::retry::Retry;

/// What a pipeline returns: `Ok(())` once every step succeeded.
pub type PassResult = Result<(), PassError>;

/// Why a pipeline stopped. Only the framework makes one, from the error of a step, whose condition it has marked by then.
#[derive(Clone, Debug)]
pub struct PassError {
    pub(crate) class: Class,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) actions: Actions,
    pub(crate) retry: Retry,
}

impl PassError {
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

impl std::fmt::Display for PassError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)
    }
}

impl std::error::Error for PassError {}

/// What a panic says.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

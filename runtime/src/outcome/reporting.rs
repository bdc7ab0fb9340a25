//! Actions: what is told, beside the conditions, when a pass ends in an error.

use std::time::Duration;

use super::retry::Retry;
use crate::kind::KindInfo;

/// What is told of an error: to the cluster, to the log, and to those who asked to be notified.
///
/// Each class has its default; a variant may say otherwise: `#[class(transient, event = "none", log = "info", notify = false)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actions {
    /// The Kubernetes event of the transition; there is none at rest.
    pub event: EventLevel,
    /// The level of the one line that the framework logs.
    pub log: LogLevel,
    /// Whether observers should notify people.
    pub notify: bool,
}

/// The type of a Kubernetes event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventLevel {
    /// No event at all.
    None,
    /// An event of type `Normal`.
    Normal,
    /// An event of type `Warning`.
    Warning,
}

/// The level of a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLevel {
    /// No line at all.
    None,
    /// For who looks for a fault in the operator.
    Debug,
    /// In the normal course of things.
    Info,
    /// May pass by itself.
    Warn,
    /// A person must help.
    Error,
}

impl Actions {
    /// Of the class `stalled`: a warning event, an error in the log, a notification.
    pub const STALLED: Self = Self { event: EventLevel::Warning, log: LogLevel::Error, notify: true };
    /// Of the class `waiting`: a normal event, a line of level info, no notification.
    pub const WAITING: Self = Self { event: EventLevel::Normal, log: LogLevel::Info, notify: false };
    /// Of the class `transient`: a warning event, a warning in the log, a notification.
    pub const TRANSIENT: Self = Self { event: EventLevel::Warning, log: LogLevel::Warn, notify: true };
    /// Of the class `ignored`: no event, a line of level debug, no notification.
    pub const IGNORED: Self = Self { event: EventLevel::None, log: LogLevel::Debug, notify: false };

    /// Of a panic and a time-out, which nobody can override.
    pub(crate) const MISHAP: Self = Self::STALLED;

    /// The same with another event.
    #[must_use]
    pub const fn with_event(self, event: EventLevel) -> Self {
        Self { event, ..self }
    }

    /// The same with another level in the log.
    #[must_use]
    pub const fn with_log(self, log: LogLevel) -> Self {
        Self { log, ..self }
    }

    /// The same with or without a notification.
    #[must_use]
    pub const fn with_notify(self, notify: bool) -> Self {
        Self { notify, ..self }
    }
}

/// What `#[derive(ReconcileError)]` knows of one variant of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// The reason of the condition that it marks.
    pub reason: &'static str,
    /// The word of its class: `stalled`, `waiting`, `transient` or `ignored`.
    pub class: &'static str,
    /// Its doc comment, lines joined.
    pub doc: &'static str,
    /// What is told of it.
    pub actions: Actions,
    /// How soon it is tried again.
    pub retry: Retry,
    /// What ends a wait of this class. `None`: the class is not `waiting`, or the attribute does not say it.
    pub until: Option<Until>,
}

/// What ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Until {
    /// A change of a watched object, of the kind that the error holds.
    Change(WatchedKind),
    /// Polling, so long after the error.
    Poll(Duration),
    /// Polling, after the time that the error itself carries.
    PollOfError,
    /// The next resync of the object.
    Resync,
}

/// The kind of a watched object.
#[derive(Clone, Copy)]
pub struct WatchedKind(pub fn() -> KindInfo);

impl PartialEq for WatchedKind {
    /// By the kind: two functions that return the same may have one address or two.
    fn eq(&self, other: &Self) -> bool {
        (self.0)() == (other.0)()
    }
}

impl Eq for WatchedKind {}

impl std::fmt::Debug for WatchedKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&(self.0)().resource.kind)
    }
}

impl VariantInfo {
    /// Of a variant that is tried again as failures are.
    #[must_use]
    pub const fn new(reason: &'static str, class: &'static str, doc: &'static str, actions: Actions) -> Self {
        Self { reason, class, doc, actions, retry: Retry::Slow, until: None }
    }

    /// The same, tried again at another pace.
    #[must_use]
    pub const fn retried(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// The same, waiting for this.
    #[must_use]
    pub const fn until(self, until: Until) -> Self {
        Self { until: Some(until), ..self }
    }
}

//! Actions: the event, log line and notification for a pass that ends with an error.

use std::time::Duration;

use super::retry::Retry;
use crate::kind::KindInfo;

/// The event, log level and notification for an error.
///
/// Each class has defaults. A variant overrides them in its attribute: `#[class(transient, event = "none", log = "info", notify = false)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actions {
    /// The type of the Kubernetes event. An event is emitted only on a transition.
    pub event: EventLevel,
    /// The level of the line that the framework logs for the pass.
    pub log: LogLevel,
    /// Whether observers should notify people.
    pub notify: bool,
}

/// The type of a Kubernetes event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventLevel {
    /// No event.
    None,
    /// An event of type `Normal`.
    Normal,
    /// An event of type `Warning`.
    Warning,
}

/// The level of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLevel {
    /// No log line.
    None,
    /// Details for debugging the operator.
    Debug,
    /// Normal operation.
    Info,
    /// A problem that may resolve itself.
    Warn,
    /// A problem that a person must resolve.
    Error,
}

impl Actions {
    /// The defaults of the class `stalled`: an event of type `Warning`, log level error, a notification.
    pub const STALLED: Self = Self { event: EventLevel::Warning, log: LogLevel::Error, notify: true };
    /// The defaults of the class `waiting`: an event of type `Normal`, log level info, no notification.
    pub const WAITING: Self = Self { event: EventLevel::Normal, log: LogLevel::Info, notify: false };
    /// The defaults of the class `transient`: an event of type `Warning`, log level warn, a notification.
    pub const TRANSIENT: Self = Self { event: EventLevel::Warning, log: LogLevel::Warn, notify: true };
    /// The defaults of the class `ignored`: no event, log level debug, no notification.
    pub const IGNORED: Self = Self { event: EventLevel::None, log: LogLevel::Debug, notify: false };

    /// The actions for a panic or a time-out. They cannot be overridden.
    pub(crate) const MISHAP: Self = Self::STALLED;

    /// Sets the type of the event.
    #[must_use]
    pub const fn with_event(self, event: EventLevel) -> Self {
        Self { event, ..self }
    }

    /// Sets the log level.
    #[must_use]
    pub const fn with_log(self, log: LogLevel) -> Self {
        Self { log, ..self }
    }

    /// Notifies people.
    #[must_use]
    pub const fn with_notification(self) -> Self {
        Self { notify: true, ..self }
    }

    /// Does not notify people.
    #[must_use]
    pub const fn without_notification(self) -> Self {
        Self { notify: false, ..self }
    }
}

/// The information of `#[derive(ReconcileError)]` about one variant of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantInfo {
    /// The reason of the condition that the variant marks.
    pub reason: &'static str,
    /// The name of the class: `stalled`, `waiting`, `transient` or `ignored`.
    pub class: &'static str,
    /// The doc comment of the variant, with its lines joined.
    pub doc: &'static str,
    /// The event, log level and notification for the variant.
    pub actions: Actions,
    /// The pace of retries.
    pub retry: Retry,
    /// The end of the wait. `None` if the class is not `waiting`, or if the attribute does not contain this information.
    pub until: Option<Until>,
}

/// The end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Until {
    /// A change to a watched object of the kind that the error contains.
    Change(WatchedKind),
    /// Polling, after this time.
    Poll(Duration),
    /// Polling, after the time that the error contains.
    PollOfError,
    /// The next resync of the object.
    Resync,
}

/// The kind of a watched object.
#[derive(Clone, Copy)]
pub struct WatchedKind(pub fn() -> KindInfo);

impl PartialEq for WatchedKind {
    /// Compares the kinds, not the functions: two functions that return the same kind may have the same address or different ones.
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
    /// Creates the information for a variant with the retry pace [`Retry::Slow`].
    #[must_use]
    pub const fn new(reason: &'static str, class: &'static str, doc: &'static str, actions: Actions) -> Self {
        Self { reason, class, doc, actions, retry: Retry::Slow, until: None }
    }

    /// Sets the pace of retries.
    #[must_use]
    pub const fn retried(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Sets the end of the wait.
    #[must_use]
    pub const fn until(self, until: Until) -> Self {
        Self { until: Some(until), ..self }
    }
}

/// The number of variants of all parts.
#[must_use]
pub const fn count_variants(parts: &[&[VariantInfo]]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        count += parts[at].len();
        at += 1;
    }
    count
}

/// The variants of all parts, in order.
#[must_use]
pub const fn join_variants<const N: usize>(parts: &[&[VariantInfo]]) -> [VariantInfo; N] {
    let mut all = [VariantInfo::new("", "", "", Actions::IGNORED); N];
    let (mut count, mut at) = (0, 0);
    while at < parts.len() {
        let mut i = 0;
        while i < parts[at].len() {
            all[count] = parts[at][i];
            (count, i) = (count + 1, i + 1);
        }
        at += 1;
    }
    all
}

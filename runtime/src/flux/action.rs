//! Reports of errors, and the processors that receive the result of a run.

use super::{Config, Error, Reconciled};
use crate::condition::sanitize;
use crate::outcome::reporting::{EventLevel, LogLevel};

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// A Normal event in the cluster, forwarded to the notification service.
    Normal,
    /// A Warning event in the cluster, always forwarded.
    Warning,
    /// A Normal event in the cluster that is not forwarded.
    Trace,
}

impl EventType {
    /// Whether the event is forwarded to the notification service.
    #[must_use]
    pub const fn is_forwarded(self) -> bool {
        !matches!(self, Self::Trace)
    }

    /// The event type in the Kubernetes API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal | Self::Trace => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An event to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event type.
    pub type_: EventType,
    /// The reason of the error.
    pub reason: &'static str,
    /// The sanitized text of the error.
    pub message: String,
}

/// The event and the log level for an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// The event, if any.
    pub event: Option<Event>,
    /// The level of the log line; [`LogLevel::None`]: no line.
    pub log: LogLevel,
}

impl Error {
    /// The event and the log level for the error, according to its [`Config`].
    ///
    /// ```
    /// use evenkeel::flux::{Error, EventType};
    /// let report = Error::stalling("InvalidUrl", "no such scheme").report();
    /// assert_eq!(report.event.unwrap().type_, EventType::Warning);
    /// ```
    #[must_use]
    pub fn report(&self) -> ErrorReport {
        let config = self.config();
        let type_ = match (config.event, config.notification) {
            (EventLevel::None, _) => None,
            (EventLevel::Normal, true) => Some(EventType::Normal),
            (EventLevel::Normal, false) => Some(EventType::Trace),
            (EventLevel::Warning, _) => Some(EventType::Warning),
        };
        let level = match config {
            Config { log: false, .. } => LogLevel::None,
            Config { event: EventLevel::Warning, .. } => LogLevel::Error,
            _ => LogLevel::Info,
        };
        let event = |type_| Event { type_, reason: self.reason(), message: sanitize(&self.to_string()) };
        ErrorReport { event: type_.map(event), log: level }
    }
}

/// A hook with the object and the result of a run, before conditions are corrected. Implemented for closures with these arguments.
pub trait ResultProcessor<K> {
    /// Processes the result; may change the object.
    fn look(&mut self, object: &mut K, reconciled: &Reconciled);
}

impl<K, F: FnMut(&mut K, &Reconciled)> ResultProcessor<K> for F {
    fn look(&mut self, object: &mut K, reconciled: &Reconciled) {
        self(object, reconciled);
    }
}

/// A processor that passes the report of an error, if there is one, to a closure.
///
/// ```
/// use evenkeel::flux::{Error, ErrorActions, ResultProcessor};
/// let mut reports = Vec::new();
/// ErrorActions(|_: &String, one| reports.push(one)).look(&mut "repo".to_owned(), &Err(Error::plain("boom")));
/// assert_eq!(reports[0].event, None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ErrorActions<F>(
    /// Records the event and writes the log line.
    pub F,
);

impl<K, F: FnMut(&K, ErrorReport)> ResultProcessor<K> for ErrorActions<F> {
    fn look(&mut self, object: &mut K, reconciled: &Reconciled) {
        if let Err(error) = reconciled {
            (self.0)(object, error.report());
        }
    }
}

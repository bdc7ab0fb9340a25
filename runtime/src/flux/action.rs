//! What is told of an error, and the processors that see what a run came to.

use super::{Config, Error, Reconciled};
use crate::condition::sanitize;
use crate::outcome::reporting::{EventLevel, LogLevel};

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// A Normal cluster event, forwarded to the notification service.
    Normal,
    /// A Warning cluster event, always forwarded.
    Warning,
    /// A Normal cluster event that stays in the cluster.
    Trace,
}

impl EventType {
    /// Whether the notification service gets it.
    #[must_use]
    pub const fn is_forwarded(self) -> bool {
        !matches!(self, Self::Trace)
    }

    /// The type as the cluster stores it.
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
    /// Its type.
    pub type_: EventType,
    /// The reason of the error.
    pub reason: &'static str,
    /// The text of the error, without what must not be shown.
    pub message: String,
}

/// What is told of one error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// The event.
    pub event: Option<Event>,
    /// The level of the log line; [`LogLevel::None`]: no line.
    pub log: LogLevel,
}

impl Error {
    /// What is to be told of it, by its [`Config`].
    ///
    /// ```
    /// use evenkeel::flux::{Error, EventType};
    /// let told = Error::stalling("InvalidUrl", "no such scheme").told();
    /// assert_eq!(told.event.unwrap().type_, EventType::Warning);
    /// ```
    #[must_use]
    pub fn told(&self) -> ErrorReport {
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

/// Sees the object and what the run came to, before anything is corrected. Any closure with these arguments is one.
pub trait ResultProcessor<K> {
    /// Looks, and may change the object.
    fn look(&mut self, object: &mut K, reconciled: &Reconciled);
}

impl<K, F: FnMut(&mut K, &Reconciled)> ResultProcessor<K> for F {
    fn look(&mut self, object: &mut K, reconciled: &Reconciled) {
        self(object, reconciled);
    }
}

/// The processor that hands on what is to be told of the error, if there is one.
///
/// ```
/// use evenkeel::flux::{Error, ErrorActions, ResultProcessor};
/// let mut told = Vec::new();
/// ErrorActions(|_: &String, one| told.push(one)).look(&mut "repo".to_owned(), &Err(Error::plain("boom")));
/// assert_eq!(told[0].event, None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ErrorActions<F>(
    /// Records the event and writes the log line.
    pub F,
);

impl<K, F: FnMut(&K, ErrorReport)> ResultProcessor<K> for ErrorActions<F> {
    fn look(&mut self, object: &mut K, reconciled: &Reconciled) {
        if let Err(error) = reconciled {
            (self.0)(object, error.told());
        }
    }
}

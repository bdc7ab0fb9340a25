//! Typed errors of a run: how each kind is handled and reported.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::outcome::reporting::EventLevel;

/// Any error, as a cause.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason of an error without its own reason.
pub const FAILED: &str = "Failed";

/// The kind of an error, which decides how it is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Retrying is useless until a person changes something.
    Stalling,
    /// A precondition is not met yet: retried after this time. Zero means the success interval.
    Waiting(Duration),
    /// A failure; retried with back-off, unless its [`Config`] ignores it.
    Generic,
    /// An error without its own reason; retried with back-off.
    Plain,
}

/// How an error is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The level of the event in the cluster.
    pub event: EventLevel,
    /// Whether the error is logged. The runtime always logs returned errors.
    pub log: bool,
    /// Whether a Normal event is forwarded to the notification service; a Warning always is.
    pub notification: bool,
    /// Whether the run counts as a success with nothing to do. Generic errors only.
    pub ignore: bool,
}

impl Config {
    /// The default configuration for errors of this kind.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        let (event, log, notification) = match kind {
            Kind::Stalling => (EventLevel::Warning, true, true),
            Kind::Waiting(_) => (EventLevel::Normal, true, false),
            Kind::Generic => (EventLevel::Warning, false, true),
            Kind::Plain => (EventLevel::None, false, false),
        };
        Self { event, log, notification, ignore: false }
    }
}

/// An error of a run in the classic form.
///
/// It does not implement [`std::error::Error`], so `?` turns any other error into a [`Kind::Plain`] one, and wrapping cannot hide the kind.
/// Add text with [`context`](Self::context).
///
/// ```
/// use evenkeel::flux::{Error, Kind};
/// fn port(text: &str) -> Result<u16, Error> {
///     let port = text.parse()?; // plain
///     if port < 1024 {
///         return Err(Error::stalling("InvalidPort", format!("port {port} is privileged")));
///     }
///     Ok(port)
/// }
/// assert_eq!(port("http").unwrap_err().kind(), Kind::Plain);
/// let error = port("80").unwrap_err().context("cannot listen");
/// assert_eq!((error.kind(), error.reason()), (Kind::Stalling, "InvalidPort"));
/// assert_eq!(error.to_string(), "cannot listen: port 80 is privileged");
/// ```
pub struct Error {
    kind: Kind,
    reason: &'static str,
    context: Cow<'static, str>,
    cause: Cause,
    config: Config,
}

impl Error {
    /// An error that only a person can fix.
    pub fn stalling(reason: &'static str, cause: impl Into<Cause>) -> Self {
        Self::new(Kind::Stalling, reason, cause.into())
    }

    /// A precondition is not met yet: retried after `after`, or after the success interval if that is zero.
    pub fn waiting(reason: &'static str, after: Duration, cause: impl Into<Cause>) -> Self {
        Self::new(Kind::Waiting(after), reason, cause.into())
    }

    /// An error that is retried with back-off.
    pub fn generic(reason: &'static str, cause: impl Into<Cause>) -> Self {
        Self::new(Kind::Generic, reason, cause.into())
    }

    /// An error that means there was nothing to do: the run counts as a success.
    pub fn ignored(reason: &'static str, cause: impl Into<Cause>) -> Self {
        let config = Config { event: EventLevel::None, ignore: true, ..Config::of(Kind::Generic) };
        Self::generic(reason, cause).with(Config { notification: false, ..config })
    }

    /// An error without its own reason, as `?` creates from any other error.
    pub fn plain(cause: impl Into<Cause>) -> Self {
        Self::new(Kind::Plain, FAILED, cause.into())
    }

    fn new(kind: Kind, reason: &'static str, cause: Cause) -> Self {
        Self { kind, reason, context: Cow::Borrowed(""), cause, config: Config::of(kind) }
    }

    /// Replaces the reporting configuration.
    #[must_use]
    pub fn with(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Adds text before the message. Kind, reason and configuration stay unchanged.
    #[must_use]
    pub fn context(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        let words = words.into();
        self.context = if self.context.is_empty() { words } else { format!("{words}: {}", self.context).into() };
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The reason, in CamelCase; [`FAILED`] for a plain error.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// The reporting configuration.
    #[must_use]
    pub fn config(&self) -> Config {
        self.config
    }

    /// The underlying error.
    #[must_use]
    pub fn cause(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        &*self.cause
    }

    /// Whether the run counts as a success with nothing to do.
    #[must_use]
    pub fn is_ignored(&self) -> bool {
        self.kind == Kind::Generic && self.config.ignore
    }

    /// Whether the runtime gets the error and retries it with back-off.
    #[must_use]
    pub fn is_retried(&self) -> bool {
        matches!(self.kind, Kind::Generic | Kind::Plain) && !self.is_ignored()
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::plain(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.context.is_empty() {
            write!(f, "{}: ", self.context)?;
        }
        write!(f, "{}", self.cause)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({}: {self})", self.kind, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_generic_error_can_be_ignored() {
        let ignore = |error: Error| {
            let config = Config { ignore: true, ..error.config() };
            error.with(config)
        };
        assert!(ignore(Error::generic("NoChange", "same")).is_ignored());
        assert!(!ignore(Error::stalling("Invalid", "bad")).is_ignored());
        assert!(ignore(Error::plain("boom")).is_retried());
        assert!(Error::ignored("NoChange", "same").is_ignored());
    }

    #[test]
    fn error_context_is_printed_outermost_first() {
        let error = Error::waiting("NotYet", Duration::ZERO, "no secret").context("fetch").context("team-a/repo");
        assert_eq!(error.to_string(), "team-a/repo: fetch: no secret");
        assert_eq!(error.kind(), Kind::Waiting(Duration::ZERO));
    }
}

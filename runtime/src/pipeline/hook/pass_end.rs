//! The end of a pass, which the hook of its reconciler can inspect and change.

use crate::condition::{Condition, sanitize};
use crate::outcome::reporting::{EventLevel, LogLevel};
use crate::outcome::{Outcome, PassError};
use crate::pipeline::object::Primary;

/// The end of a pass, after its outcome is determined and before its status is written.
///
/// `#[reconciler(.., on_end = report)]` names a function that is called with the object and a `PassEnd`. The function is also called if a
/// cleanup has failed, or if the object is waiting for its dependencies. It may:
///
/// - change the author's fields of the status, which are part of the single status write of the pass
/// - replace or suppress the event
/// - set the level of the log line
///
/// It cannot change conditions; only steps set them. Its changes to the status do not count as progress, so that a failure counter does not
/// keep the back-off short.
///
/// ```ignore
/// fn report(repo: &GitRepository, end: &mut PassEnd<'_, GitRepositoryStatus>) {
///     if end.is_recovery() {
///         end.announce(EventLevel::Normal, "FetchedAgain", &format!("{} can be reached again", repo.spec.url));
///     }
///     end.status().last_error = end.error().map(|error| error.reason().to_owned());
/// }
/// ```
#[derive(Debug)]
pub struct PassEnd<'a, S> {
    pub(crate) known: Known<'a>,
    pub(crate) status: &'a mut S,
    pub(crate) announcement: &'a mut Announcement,
}

/// The parts of the end of a pass that a hook cannot change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) outcome: &'a Outcome,
    pub(crate) error: Option<&'a PassError>,
    pub(crate) conditions: &'a [Condition],
    pub(crate) transition: bool,
    pub(crate) recovery: bool,
}

/// The parts of the end of a pass that a hook can change, besides the status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub(crate) event: Option<Event>,
    pub(crate) log: LogLevel,
}

/// The Kubernetes event that the pass will emit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The type of the event.
    pub level: EventLevel,
    /// The reason, one word in CamelCase.
    pub reason: String,
    /// The message for people.
    pub note: String,
}

impl<S> PassEnd<'_, S> {
    /// The outcome of the pass.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.known.outcome
    }

    /// The error that ended the pass, with class, reason and message; `None` if every step succeeded.
    #[must_use]
    pub fn error(&self) -> Option<&PassError> {
        self.known.error
    }

    /// The conditions as they will be written.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        self.known.conditions
    }

    /// Whether the summary changes: the status or the reason of Ready, or whether the object is stalled.
    ///
    /// An event is emitted only in this case.
    #[must_use]
    pub fn is_transition(&self) -> bool {
        self.known.transition
    }

    /// Whether the object has recovered from a failure.
    ///
    /// A declared condition was bad before, or the object was stalled, and neither is the case now.
    #[must_use]
    pub fn is_recovery(&self) -> bool {
        self.known.recovery
    }

    /// The author's fields of the status, for changes before the status write.
    pub fn status(&mut self) -> &mut S {
        self.status
    }

    /// The event that the pass will emit, if any.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        self.announcement.event.as_ref()
    }

    /// Emits this event instead of the default event of the transition.
    ///
    /// It is also emitted if the error has no event by default. Without a [transition](Self::is_transition) no event is emitted.
    pub fn announce(&mut self, level: EventLevel, reason: &str, note: &str) {
        let event = Event { level, reason: reason.to_owned(), note: sanitize(note) };
        self.announcement.event = Some(event).filter(|event| self.known.transition && event.level != EventLevel::None);
    }

    /// Suppresses the event.
    pub fn silence(&mut self) {
        self.announcement.event = None;
    }

    /// Sets the level at which the end of the pass is logged.
    pub fn log(&mut self, level: LogLevel) {
        self.announcement.log = level;
    }
}

/// The function named by `on_end = ..`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Hook<K: Primary> {
    /// The name as the author wrote it.
    pub name: &'static str,
    /// The function.
    pub run: fn(&K, &mut PassEnd<'_, K::Status>),
}

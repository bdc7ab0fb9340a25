//! The end of a pass, as the hook of its reconciler sees and changes it.

use crate::condition::{Condition, sanitize};
use crate::outcome::reporting::{EventLevel, LogLevel};
use crate::outcome::{Outcome, PassError};
use crate::pipeline::object::Primary;

/// The end of a pass: its outcome is certain, and nothing of it is written yet.
///
/// `#[reconciler(.., on_end = report)]` names a function that is called with the object and this, also where a cleanup has failed or
/// dependencies hold the object up. It may change the author's fields of the status a last time: they go into the one write of the
/// pass. They count as no progress, so that a counter of failures does not keep the back-off short. It may replace or silence the
/// event, and set the level of the line that is logged. Conditions are the steps' affair, and stay as they are.
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

/// What is certain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) outcome: &'a Outcome,
    pub(crate) error: Option<&'a PassError>,
    pub(crate) conditions: &'a [Condition],
    pub(crate) transition: bool,
    pub(crate) recovery: bool,
}

/// What is still open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Announcement {
    pub(crate) event: Option<Event>,
    pub(crate) log: LogLevel,
}

/// An event as it will be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its type.
    pub level: EventLevel,
    /// Why, a word in CamelCase.
    pub reason: String,
    /// What happened, for people.
    pub note: String,
}

impl<S> PassEnd<'_, S> {
    /// How the pass ended.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.known.outcome
    }

    /// The error that ended it, with class, reason and message; `None` where every step succeeded.
    #[must_use]
    pub fn error(&self) -> Option<&PassError> {
        self.known.error
    }

    /// The conditions as they will be written.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        self.known.conditions
    }

    /// Whether the summary changes: the status or the reason of Ready, or whether the object is stalled. Events are told only then.
    #[must_use]
    pub fn is_transition(&self) -> bool {
        self.known.transition
    }

    /// Whether a failure is over: a declared condition was bad before, or the object was stalled, and now nothing of the kind is.
    #[must_use]
    pub fn is_recovery(&self) -> bool {
        self.known.recovery
    }

    /// The author's part of the status, to be changed a last time.
    pub fn status(&mut self) -> &mut S {
        self.status
    }

    /// The event that will be told, if there will be one.
    #[must_use]
    pub fn event(&self) -> Option<&Event> {
        self.announcement.event.as_ref()
    }

    /// Tells this instead of the event of the transition, or where its error has none. Without a [transition](Self::is_transition)
    /// nothing is told: there are no events at rest.
    pub fn announce(&mut self, level: EventLevel, reason: &str, note: &str) {
        let event = Event { level, reason: reason.to_owned(), note: sanitize(note) };
        self.announcement.event = Some(event).filter(|event| self.known.transition && event.level != EventLevel::None);
    }

    /// Tells no event.
    pub fn silence(&mut self) {
        self.announcement.event = None;
    }

    /// Logs the end of the pass at this level.
    pub fn log(&mut self, level: LogLevel) {
        self.announcement.log = level;
    }
}

/// The function that `after = ..` names.
#[doc(hidden)]
#[derive(Debug)]
pub struct Hook<K: Primary> {
    /// As the author wrote it.
    pub name: &'static str,
    /// The function itself.
    pub run: fn(&K, &mut PassEnd<'_, K::Status>),
}

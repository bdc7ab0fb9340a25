//! The report of a pass outside of the status: one log line, at most one event, and warnings of clamped values.

pub(super) mod current_pass;
pub(super) mod event;
pub(super) mod hook;
#[cfg(feature = "metrics")]
pub(super) mod inspect;

use std::collections::BTreeSet;

use kube::runtime::events::{self, EventType};

use crate::condition::{Condition, ConditionInfo, ConditionStatus, has_recovered};
use crate::interval::Clamped;
use crate::outcome::reporting::{Actions, EventLevel, LogLevel};
use crate::outcome::{Class, Outcome, PassError};
use crate::pass::context::PassContext;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event::{event, is_transition, to_send};
use crate::pipeline::hook::{Announcement, Event};
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;

/// The report of a pass.
pub(super) struct PassReport {
    /// The summary changed in status or reason, or the object became stalled or is no longer stalled.
    pub(super) transition: bool,
    /// A failure ended.
    pub(super) recovery: bool,
    /// The reason of the error, or that of Ready if there is no error.
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) actions: Actions,
    /// The event and the log level, which the hook may change.
    pub(super) announcement: Announcement,
}

impl PassReport {
    pub(super) fn of(
        before: &DesiredStatus,
        after: &DesiredStatus,
        outcome: &Outcome,
        pass_error: Option<&PassError>,
        declared: &[ConditionInfo],
    ) -> Self {
        let (was, is) = (before.ready(), after.ready());
        let ready_again = was.is_some_and(|c| c.status == ConditionStatus::False)
            && is.is_some_and(|c| c.status == ConditionStatus::True);
        let (reason, message) = match pass_error {
            Some(pass_error) => (pass_error.reason.to_owned(), pass_error.message.clone()),
            None => is.map(|ready| (ready.reason.clone(), ready.message.clone())).unwrap_or_default(),
        };
        let recovery = has_recovered(&before.conditions, &after.conditions, declared);
        let actions = actions(outcome, pass_error, ready_again, recovery);
        let transition = is_transition(before, after);
        let ready = is.filter(|_| transition && actions.event != EventLevel::None);
        let note = |ready: &Condition| match unstalled(before, after, outcome) {
            Some(end) => format!("{end}: {}", ready.message),
            None => ready.message.clone(),
        };
        let event = ready.map(|c| Event { level: actions.event, reason: c.reason.clone(), note: note(c) });
        let announcement = Announcement { event, log: actions.log };
        Self { transition, recovery, reason, message, actions, announcement }
    }

    /// The report of a pass without a result.
    pub(super) fn empty() -> Self {
        let actions = Actions::IGNORED;
        let announcement = Announcement { event: None, log: LogLevel::None };
        let (reason, message) = (String::new(), String::new());
        Self { transition: false, recovery: false, reason, message, actions, announcement }
    }

    /// Logs the end of the pass in one line, including the error.
    pub(super) fn log(&self, outcome: &Outcome, progressed: bool) {
        let (outcome, reason, message) = (outcome.as_str(), &*self.reason, &*self.message);
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(outcome, reason, condition_message = message, progressed, "pass ended")
            };
        }
        match self.announcement.log {
            LogLevel::None => {}
            LogLevel::Debug => line!(debug),
            LogLevel::Info => line!(info),
            LogLevel::Warn => line!(warn),
            LogLevel::Error => line!(error),
        }
    }

    /// The event of the transition, if there is one and its level is not `None`.
    pub(super) fn event(&self) -> Option<events::Event> {
        to_send(self.announcement.event.as_ref()?)
    }
}

/// Queues the events that the steps recorded.
pub(super) fn step_events(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object, recorded: &[Event]) {
    for event in recorded.iter().filter_map(to_send) {
        pass.send(event, context.reference(object));
    }
}

/// The note for the end of a stall without success. Reason and message may be unchanged, and an equal event would only be counted: the
/// person who was needed would not learn that no action is required any more.
fn unstalled(before: &DesiredStatus, after: &DesiredStatus, outcome: &Outcome) -> Option<&'static str> {
    let ends = before.is_stalled() && !after.is_stalled();
    match outcome {
        Outcome::Failed { .. } if ends => Some("no longer stalled, retrying"),
        Outcome::Waiting { .. } if ends => Some("no longer stalled, waiting"),
        _ => None,
    }
}

/// The actions for an outcome. A Ready that is True again counts as a success, even after an ignored error.
fn actions(outcome: &Outcome, pass_error: Option<&PassError>, ready_again: bool, recovery: bool) -> Actions {
    let success = Actions { event: EventLevel::Normal, log: LogLevel::Info, notify: recovery };
    match (outcome, pass_error) {
        (Outcome::Done | Outcome::Requeue { .. }, _) => success,
        (Outcome::Ignored, _) if ready_again => success,
        // Success or nothing to do, but not ready.
        (Outcome::Failed { .. }, None | Some(PassError { class: Class::Ignored, .. })) | (_, None) => {
            Actions::TRANSIENT
        }
        (_, Some(pass_error)) => pass_error.actions,
    }
}

/// Emits one warning for each value out of bounds, until it has been within bounds again. After a restart, an unchanged status repeats no
/// warning.
pub(super) fn warn_of_clamped(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    changed: bool,
    clamped: &[Clamped],
) {
    let now: BTreeSet<&'static str> = clamped.iter().map(|value| value.what).collect();
    let before = context.memory().entry(pass.key.clone()).or_default().clamped.replace(now);
    let is_known = |what| before.as_ref().map_or(!changed, |before| before.contains(what));
    let new: Vec<String> = clamped.iter().filter(|value| !is_known(value.what)).map(ToString::to_string).collect();
    if new.is_empty() {
        return;
    }
    // One event for all values, since events of one reason are counted as one.
    let warning = new.join("; ");
    tracing::warn!("{warning}");
    let event = event(EventType::Warning, "Clamped", &warning);
    pass.send(event, context.reference(object));
}

pub(in crate::pass) fn send_event(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    reason: &str,
    note: &str,
) {
    pass.send(event::event(EventType::Normal, reason, note), context.reference(object));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{Polarity, READY, STALLED};

    const DECLARED: [ConditionInfo; 1] = [ConditionInfo::new("Stored", Polarity::Positive)];

    fn status(ready: Option<ConditionStatus>, stalled: bool) -> DesiredStatus {
        let mut conditions = Vec::new();
        conditions.extend(ready.map(|status| Condition::new(READY, status, "Said", "so")));
        conditions.extend(stalled.then(|| Condition::new(STALLED, ConditionStatus::True, "Invalid", "bad")));
        DesiredStatus { conditions, ..DesiredStatus::empty() }
    }

    fn pass_error(class: Class) -> PassError {
        PassError::new(class, "Boom", "boom", Actions::STALLED)
    }

    fn failed() -> Outcome {
        Outcome::Failed { message: "boom".into() }
    }

    #[test]
    fn an_ignored_error_is_a_success_only_if_ready_recovers() {
        let actions_of = |was, is| {
            let (before, after) = (status(Some(was), false), status(Some(is), false));
            PassReport::of(&before, &after, &Outcome::Ignored, Some(&pass_error(Class::Ignored)), &DECLARED).actions
        };
        assert_eq!(actions_of(ConditionStatus::False, ConditionStatus::True).log, LogLevel::Info);
        for (was, is) in [
            (ConditionStatus::True, ConditionStatus::True),
            (ConditionStatus::Unknown, ConditionStatus::True),
            (ConditionStatus::False, ConditionStatus::False),
        ] {
            assert_eq!(actions_of(was, is), Actions::STALLED, "what the error says, {was:?} {is:?}");
        }
    }

    #[test]
    fn each_outcome_is_reported_as_its_error() {
        let success = |notify| Actions { event: EventLevel::Normal, log: LogLevel::Info, notify };
        for outcome in [Outcome::Done, Outcome::Requeue { after: None }] {
            assert_eq!(actions(&outcome, None, false, true), success(true));
            assert_eq!(actions(&outcome, Some(&pass_error(Class::Transient)), false, false), success(false));
        }
        assert_eq!(actions(&failed(), None, false, false), Actions::TRANSIENT);
        assert_eq!(actions(&failed(), Some(&pass_error(Class::Ignored)), false, false), Actions::TRANSIENT);
        assert_eq!(actions(&failed(), Some(&pass_error(Class::Transient)), false, false), Actions::STALLED);
        assert_eq!(actions(&Outcome::Waiting { poll: None }, None, false, false), Actions::TRANSIENT);
    }

    #[test]
    fn the_end_of_a_stall_is_reported_without_success() {
        let (stalled, not) = (status(Some(ConditionStatus::False), true), status(Some(ConditionStatus::False), false));
        let waiting = Outcome::Waiting { poll: None };
        assert_eq!(unstalled(&stalled, &not, &failed()), Some("no longer stalled, retrying"));
        assert_eq!(unstalled(&stalled, &not, &waiting), Some("no longer stalled, waiting"));
        for (before, after) in [(&not, &not), (&stalled, &stalled), (&not, &stalled)] {
            assert_eq!((unstalled(before, after, &failed()), unstalled(before, after, &waiting)), (None, None));
        }
        assert_eq!(unstalled(&stalled, &not, &Outcome::Done), None);
        let report = PassReport::of(&stalled, &not, &failed(), Some(&pass_error(Class::Transient)), &DECLARED);
        assert_eq!(report.announcement.event.unwrap().note, "no longer stalled, retrying: so");
        assert!(report.transition && (report.reason, report.message) == ("Boom".to_owned(), "boom".to_owned()));
    }

    #[test]
    fn only_a_transition_has_an_event() {
        let (bad, good) = (status(Some(ConditionStatus::False), false), status(Some(ConditionStatus::True), false));
        let done = |before, after| PassReport::of(before, after, &Outcome::Done, None, &DECLARED);
        let event = done(&bad, &good).event().unwrap();
        assert_eq!((event.type_, event.reason, event.note), (EventType::Normal, "Said".into(), Some("so".into())));
        assert!(done(&good, &good).event().is_none() && !done(&good, &good).transition);
        assert!(done(&status(None, false), &good).transition);
        assert!(PassReport::empty().event().is_none());
        let silent = PassError {
            actions: Actions { event: EventLevel::None, ..Actions::STALLED },
            ..pass_error(Class::Transient)
        };
        let report = PassReport::of(&good, &bad, &failed(), Some(&silent), &DECLARED);
        assert!(report.transition && report.event().is_none());
    }
}

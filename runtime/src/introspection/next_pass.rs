//! When an object is reconciled again, from the constants and the declared times with which the queue schedules passes.

use std::time::Duration;

use super::reconciler_info::ReconcilerInfo;
use super::table;
use crate::backoff::{Backoff, LEAST};
use crate::interval::{Interval, LONGEST, SHORTEST};
use crate::outcome::class::POLL;
use crate::outcome::reporting::{Until, VariantInfo, WatchedKind};
use crate::outcome::retry::Retry;
use crate::wiring::How;

/// When the object runs again after a reason that the framework sets.
#[derive(Clone, Copy)]
pub(super) enum FrameworkNext {
    /// As after a success.
    Success,
    /// With the step that blocks it.
    Blocker,
    /// With the back-off of a failure.
    Failure,
    /// When the object of another owner changes.
    Foreign,
}

/// The pauses of a back-off: `after 1s, doubling to 10m`.
fn pauses(backoff: Backoff) -> String {
    let Backoff { base, cap } = backoff;
    match base == cap {
        true => format!("after {}", Interval::from(base)),
        false => format!("after {}, doubling to {}", Interval::from(base), Interval::from(cap)),
    }
}

/// When the objects of a reconciler are reconciled again.
pub(super) struct NextPass<'a>(pub(super) &'a ReconcilerInfo);

impl NextPass<'_> {
    /// When the object is reconciled again after this error.
    pub(super) fn next_after(&self, info: &VariantInfo) -> String {
        match info.class {
            "stalled" if info.retry == Retry::VerySlow => format!("Stalled is True; runs again {}", self.resync()),
            "stalled" => format!("Stalled is True; no timer: runs again only on a change of {}", self.changes()),
            "waiting" => self.next_after_wait(info.until),
            "ignored" => format!("the pass counts as done; runs again {}", self.after_success()),
            _ => self.next_after_failure(info.retry),
        }
    }

    /// When the object is reconciled again after a reason of the framework.
    pub(super) fn next_after_framework(&self, next: FrameworkNext) -> String {
        match next {
            FrameworkNext::Success => self.after_success(),
            FrameworkNext::Blocker => "with the step that blocks it".to_owned(),
            FrameworkNext::Failure => self.next_after_failure(Retry::Slow),
            FrameworkNext::Foreign => format!(
                "triggered by the watch of that object; polled after {} if no watch shows it",
                Interval::from(POLL)
            ),
        }
    }

    /// The table of the section about the next pass, with its notes.
    pub(super) fn schedule(&self) -> String {
        let timeout = self
            .0
            .wiring
            .times
            .timeout
            .map_or_else(|| Interval::from(self.0.wiring.timeout).to_string(), |timeout| timeout.to_string());
        let failure = self.next_after_failure(Retry::Slow);
        let rows = [
            ("a success".to_owned(), self.after_success()),
            ("`cx.requeue()`".to_owned(), format!("retried {}", pauses(self.0.backoff))),
            ("an error".to_owned(), "see the table of errors".to_owned()),
            (format!("a panic, or no end within the timeout of {timeout}"), failure),
            (
                "a write that met a newer version".to_owned(),
                format!("when the cache has it, or {}", pauses(Backoff::CONFLICT)),
            ),
            ("calls that the API server did not answer".to_owned(), format!("retried {}", pauses(Backoff::OUTAGE))),
        ];
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(after, next)| vec![after, next]).collect();
        format!("{}\n{}", table::markdown(&["after", "next pass without a change"], &rows), self.notes())
    }

    fn notes(&self) -> String {
        let debounce = self.0.wiring.debounce.map_or_else(String::new, |window| {
            format!(", after {} in which further changes are collected", Interval::from(window))
        });
        let (shortest, longest) = (Interval::from(SHORTEST), Interval::from(LONGEST));
        format!(
            "- A change that the list of triggers names runs the object at once{debounce}.\n\
             - Jitter shortens the pauses of a back-off by up to {:.0} %. A success ends the back-off.\n\
             - A `Retry-After` of the API server delays the next pass by that time.\n\
             - Times of objects, errors and the API server are limited to {longest}, those of objects and errors also to at least {shortest}.\n\
             - A reason that a step sets itself has no time of its own. While a negative condition is True, a success is retried as a failure.\n",
            (1.0 - LEAST) * 100.0,
        )
    }

    fn after_success(&self) -> String {
        let dependents = if self.0.wiring.keeps_dependents() { ", or when its dependents are due" } else { "" };
        match self.0.wiring.times.requeue {
            Some(interval) => format!("at each resync, every {interval}{dependents}"),
            None => format!("only on a change{dependents}"),
        }
    }

    /// The resync of an object that nothing else triggers.
    fn resync(&self) -> String {
        format!("at each resync, every {}", self.interval())
    }

    /// The requeue interval, or what stands in for it.
    fn interval(&self) -> String {
        self.0.wiring.times.requeue.map_or_else(|| Interval::from(Retry::HOUR).to_string(), |time| time.to_string())
    }

    /// What changes if a stalled object is to run again.
    fn changes(&self) -> String {
        let watches = |how: How| !matches!(how, How::Reads | How::Uses(_));
        let watched = self.0.wiring.relations().any(|relation| watches(relation.how));
        format!("its spec{}{}", self.0.wiring.triggers, if watched { ", or an object that it watches" } else { "" })
    }

    fn next_after_failure(&self, retry: Retry) -> String {
        let policy = self.0.wiring.watcher.and_then(|watcher| watcher.policy);
        let retried = match (retry, policy, self.0.wiring.times.retry) {
            (Retry::Fast, ..) => format!("retried {}", pauses(Backoff::FAST)),
            (Retry::VerySlow, ..) => format!("retried after {}", self.interval()),
            (Retry::After(pause), ..) => format!("retried {}", pauses(Backoff::flat(pause))),
            (Retry::Slow, Some(policy), _) => format!("retried after the time that `{policy}` returns"),
            (Retry::Slow, None, Some(declared)) => format!("retried after {declared}"),
            (Retry::Slow, None, None) => format!("retried {}", pauses(self.0.backoff)),
        };
        match self.0.wiring.watcher.is_some_and(|watcher| watcher.gives_up) {
            true => format!("{retried}; once it is given up, {}", self.resync()),
            false => format!("{retried}, without end"),
        }
    }

    /// The event that ends a wait: a change of a watched object, or a poll.
    fn next_after_wait(&self, until: Option<Until>) -> String {
        match until {
            Some(Until::Change(WatchedKind(kind))) => {
                format!("no timer: triggered by the watch when the {} changes", kind().resource.kind)
            }
            Some(Until::Poll(time)) => format!("polled: runs again after {}", within_bounds(time)),
            Some(Until::PollOfError) => {
                format!("polled: runs again after the time of the error, or {} without one", Interval::from(POLL))
            }
            Some(Until::Resync) => format!("polled: runs again {}", self.resync()),
            // The trait was implemented without the derive.
            None => "runs again when the awaited object changes, or after its poll time".to_owned(),
        }
    }
}

/// The time with the limits that the queue applies to it.
fn within_bounds(time: Duration) -> Interval {
    Interval::from(time.clamp(SHORTEST, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::outcome::reporting::Actions;
    use crate::wiring::{DeclaredTime, DeclaredTimes, WatcherWiring};

    const MINUTE: Duration = Duration::from_secs(60);
    const BUSY: VariantInfo = VariantInfo::new("Busy", "transient", "", Actions::TRANSIENT);

    fn with(times: DeclaredTimes) -> ReconcilerInfo {
        let mut known = fixture::known();
        known.wiring.times = times;
        known
    }

    #[test]
    fn each_pace_of_retries_has_its_figures() {
        let known = fixture::known();
        let paces =
            [Retry::Slow, Retry::Fast, Retry::VerySlow].map(|retry| NextPass(&known).next_after(&BUSY.retried(retry)));
        assert_eq!(
            paces,
            [
                "retried after 1s, doubling to 10m, without end",
                "retried after 1s, doubling to 30s, without end",
                "retried after 1h, without end",
            ]
        );
        let own = Backoff { base: Duration::from_millis(500), cap: MINUTE };
        let known = ReconcilerInfo { backoff: own, ..fixture::known() };
        assert_eq!(NextPass(&known).next_after(&BUSY), "retried after 500ms, doubling to 1m, without end");
    }

    #[test]
    fn declared_times_replace_the_defaults() {
        let known = with(DeclaredTimes {
            requeue: Some(DeclaredTime::Computed("spec.interval")),
            retry: Some(DeclaredTime::Fixed(MINUTE)),
            timeout: Some(DeclaredTime::Fixed(2 * MINUTE)),
        });
        assert_eq!(NextPass(&known).next_after(&BUSY), "retried after 1m, without end");
        assert_eq!(
            NextPass(&known).next_after(&BUSY.retried(Retry::VerySlow)),
            "retried after `spec.interval`, without end"
        );
        let schedule = NextPass(&known).schedule();
        for row in [
            "| a success | at each resync, every `spec.interval` |",
            "| a panic, or no end within the timeout of 2m | retried after 1m, without end |",
            "| a write that met a newer version | when the cache has it, or after 50ms, doubling to 5s |",
        ] {
            assert!(schedule.contains(row), "{row}\n{schedule}");
        }
        assert!(NextPass(&fixture::known()).schedule().contains("| a success | only on a change |"));
    }

    #[test]
    fn a_wait_without_a_poll_time_uses_the_default_of_the_queue() {
        let waiting = VariantInfo::new("Full", "waiting", "", Actions::WAITING);
        let next = |until| NextPass(&fixture::known()).next_after(&waiting.until(until));
        assert_eq!(next(Until::PollOfError), "polled: runs again after the time of the error, or 30s without one");
        assert_eq!(next(Until::Poll(Duration::ZERO)), "polled: runs again after 1s");
    }

    #[test]
    fn a_watcher_with_a_policy_names_it_and_the_end_of_its_tries() {
        let mut known = with(DeclaredTimes { requeue: Some(DeclaredTime::Fixed(MINUTE)), ..DeclaredTimes::NONE });
        known.wiring.watcher = Some(WatcherWiring { gives_up: true, policy: Some("policy"), ..WatcherWiring::DEFAULT });
        let next = "retried after the time that `policy` returns; once it is given up, at each resync, every 1m";
        assert_eq!(NextPass(&known).next_after(&BUSY), next);
    }
}

//! What the queue remembers of one key, and how the end of a pass changes it.

use std::time::Duration;

use tokio::time::Instant;

use crate::queue::backoff::Backoff;
use crate::queue::next::Next;
use crate::queue::priority::LanePosition;
use crate::queue::timers::Slot;
use crate::queue::worker::Attempt;
use crate::trigger::TriggerSet;

/// The longest time that a timer is set for; more than any interval that the framework lets through.
pub(super) const HORIZON: Duration = Duration::from_secs(366 * 24 * 3600);

/// A key that is not at rest. Keys at rest without a history have no entry.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) phase: Phase,
    /// Why it waits; while it runs: why it has to run again.
    pub(super) triggers: TriggerSet,
    pub(super) attempt: Attempt,
    pub(super) timer: Option<Timer>,
    /// When the next try is due, kept while changes run passes in between.
    pub(super) retry_at: Option<Instant>,
    /// The version that a write of ours met as outdated.
    pub(super) refused: Option<String>,
}

#[derive(Debug, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    /// It may run since then.
    Queued {
        place: LanePosition,
        since: Instant,
    },
    Running {
        triggers: TriggerSet,
        since: Instant,
    },
}

/// What happens to an idle key in the future.
#[derive(Debug)]
pub(super) struct Timer {
    pub(super) slot: Slot,
    pub(super) triggers: TriggerSet,
    pub(super) owed: TriggerSet,
    /// The rate has let it through.
    pub(super) reserved: bool,
}

impl Timer {
    /// Why the key runs when the time has come.
    pub(super) const fn all(&self) -> TriggerSet {
        self.triggers.union(self.owed)
    }
}

/// When a key runs without a change.
pub(super) struct Due {
    pub(super) at: Instant,
    /// A change that comes first makes these pointless.
    pub(super) triggers: TriggerSet,
    /// What the pass was to deal with, and did not: the next one gets them, whenever it runs.
    pub(super) owed: TriggerSet,
}

/// How a pass ended.
#[derive(Debug)]
pub(in crate::queue) struct FinishedPass {
    pub(in crate::queue) next: Next,
    /// The curve that a retry follows.
    pub(in crate::queue) curve: Backoff,
    /// A number drawn evenly from 0 to 1, for the jitter.
    pub(in crate::queue) drawn: f64,
}

impl Entry {
    /// Updates the history of the key by the end of a pass and says when, and why, it is due without a change.
    pub(super) fn settle(&mut self, ran: TriggerSet, ended: FinishedPass, now: Instant) -> Option<Due> {
        let drawn = ended.drawn;
        let (at, triggers, owed) = match ended.next {
            Next::Await | Next::Forget => {
                self.rest();
                return None;
            }
            Next::After(delay) => {
                self.rest();
                (now + delay.min(HORIZON), TriggerSet::RESYNC, TriggerSet::NONE)
            }
            Next::Store(delay) => {
                self.rest();
                (now + delay.min(HORIZON), TriggerSet::WIRING, TriggerSet::NONE)
            }
            Next::Later(delay) => {
                let at = now + delay.min(HORIZON);
                let retry = self.retry_at.filter(|retry| *retry < at);
                retry.map_or((at, TriggerSet::NONE, ran), |retry| (retry, TriggerSet::RETRY, ran))
            }
            Next::Retry { progressed, at_least } => {
                let anew = progressed || ran.contains(TriggerSet::GENERATION);
                let at = self.fail(now, anew, |failures| ended.curve.delay_at(failures, drawn));
                (self.retry(at, now, at_least), TriggerSet::RETRY, TriggerSet::NONE)
            }
            Next::NotStarted { at_least } => {
                let at = self.fail(now, false, |failures| ended.curve.delay_at(failures, drawn));
                (self.retry(at, now, at_least), TriggerSet::RETRY, ran.both(TriggerSet::TRANSIENT_TRIGGERS))
            }
            Next::RetryAlong { progressed, curve, at_least } => {
                let anew = progressed || ran.contains(TriggerSet::GENERATION);
                let at = self.fail(now, anew, |failures| curve.delay_at(failures, drawn));
                (self.retry(at, now, at_least), TriggerSet::RETRY, TriggerSet::NONE)
            }
            Next::Conflict { newer_than } => {
                let delay = Backoff::CONFLICT.delay_at(self.attempt.conflicts, drawn);
                self.attempt.conflicts = self.attempt.conflicts.saturating_add(1);
                self.refused = Some(newer_than);
                (now + delay, TriggerSet::NONE, ran)
            }
        };
        Some(Due { at, triggers, owed })
    }

    /// When the next try is due: not before what was asked for has passed.
    fn retry(&mut self, at: Instant, now: Instant, at_least: Option<Duration>) -> Instant {
        let at = at_least.map_or(at, |least| at.max(now + least.min(HORIZON)));
        *self.retry_at.insert(at)
    }

    /// No failure is remembered.
    fn rest(&mut self) {
        self.attempt = Attempt::default();
        self.retry_at = None;
    }

    /// Counts a failure and returns when the next try is due. A change that ran a pass in between neither moves a pending try nor
    /// counts; a new generation and progress start the curve anew.
    fn fail(&mut self, now: Instant, anew: bool, delay: impl Fn(u32) -> Duration) -> Instant {
        self.attempt.conflicts = 0;
        let pending = self.retry_at.take_if(|at| *at > now && !anew);
        if anew {
            self.attempt.failures = 0;
        }
        pending.unwrap_or_else(|| {
            let delay = delay(self.attempt.failures);
            self.attempt.failures = self.attempt.failures.saturating_add(1);
            now + delay
        })
    }
}

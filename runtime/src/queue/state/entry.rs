//! The state of one key in the queue, and how the end of a pass changes it.

use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::queue::next::Next;
use crate::queue::priority::LanePosition;
use crate::queue::timers::Slot;
use crate::queue::worker::Attempt;
use crate::trigger::TriggerSet;

/// The longest timer; longer than any interval that the framework accepts.
pub(super) const HORIZON: Duration = Duration::from_secs(366 * 24 * 3600);

/// A key that is queued, running or scheduled, or has a history. Other keys have no entry.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) phase: Phase,
    /// The triggers of the next pass.
    pub(super) triggers: TriggerSet,
    pub(super) attempt: Attempt,
    pub(super) timer: Option<Timer>,
    /// When the next retry is due; unchanged while changes run passes in between.
    pub(super) retry_at: Option<Instant>,
    /// The resource version for which a write was refused as outdated.
    pub(super) refused: Option<String>,
}

#[derive(Debug, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    /// Ready to run since `since`.
    Queued {
        place: LanePosition,
        since: Instant,
    },
    Running {
        triggers: TriggerSet,
        since: Instant,
    },
}

/// A scheduled pass of an idle key.
#[derive(Debug)]
pub(super) struct Timer {
    pub(super) slot: Slot,
    pub(super) triggers: TriggerSet,
    pub(super) owed: TriggerSet,
    /// The rate limit has granted this retry.
    pub(super) reserved: bool,
}

impl Timer {
    /// The triggers of the pass when the timer fires.
    pub(super) const fn all(&self) -> TriggerSet {
        self.triggers.union(self.owed)
    }
}

/// When a key runs if nothing changes.
pub(super) struct Due {
    pub(super) at: Instant,
    /// Dropped if a change comes first.
    pub(super) triggers: TriggerSet,
    /// The triggers that the pass did not handle; the next pass gets them, whenever it runs.
    pub(super) owed: TriggerSet,
}

/// How a pass ended.
#[derive(Debug)]
pub(in crate::queue) struct FinishedPass {
    pub(in crate::queue) next: Next,
    /// The curve for a retry.
    pub(in crate::queue) curve: Backoff,
    /// A uniform random number between 0 and 1, for the jitter.
    pub(in crate::queue) drawn: f64,
}

impl Entry {
    /// Updates the history of the key after a pass. Returns when and why the key is due if nothing changes.
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

    /// Records and returns when the next retry is due, after at least the requested delay.
    fn retry(&mut self, at: Instant, now: Instant, at_least: Option<Duration>) -> Instant {
        let at = at_least.map_or(at, |least| at.max(now + least.min(HORIZON)));
        *self.retry_at.insert(at)
    }

    /// Resets the failures.
    fn rest(&mut self) {
        self.attempt = Attempt::default();
        self.retry_at = None;
    }

    /// Counts a failure and returns when the next retry is due. A failed pass before a pending retry is due neither moves the retry nor
    /// counts. A new generation or progress resets the curve.
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

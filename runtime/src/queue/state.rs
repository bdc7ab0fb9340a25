//! What the queue knows of each key. No awaiting here: a state machine under a lock.

use std::collections::HashMap;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::time::{DelayQueue, delay_queue};

use super::curve::Curve;
use super::lanes::{Lane, Lanes};
use super::{Attempt, Causes, Key, Next};
use crate::cause::List;

/// The longest time that the timer wheel is asked for; more than any interval that the framework lets through.
const HORIZON: Duration = Duration::from_secs(366 * 24 * 3600);

#[derive(Debug, Default)]
pub(super) struct State {
    /// The causes that count.
    list: List,
    entries: HashMap<Key, Entry>,
    lanes: Lanes,
    timers: DelayQueue<Key>,
    waiting: usize,
}

/// A key that is not at rest. Keys at rest without a history have no entry.
#[derive(Debug, Default)]
struct Entry {
    phase: Phase,
    /// Why it waits; while it runs: why it has to run again.
    causes: Causes,
    attempt: Attempt,
    timer: Option<Timer>,
    /// When the next try is due, kept while changes run passes in between.
    retry_at: Option<Instant>,
    /// The version that a write of ours met as outdated.
    refused: Option<String>,
}

#[derive(Debug, Default)]
enum Phase {
    #[default]
    Idle,
    Queued {
        ticket: u64,
        lane: Lane,
    },
    Running(Causes),
}

/// What happens to an idle key in the future.
#[derive(Debug)]
struct Timer {
    key: delay_queue::Key,
    causes: Causes,
}

/// A pass to run.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) key: Key,
    pub(super) causes: Causes,
    pub(super) attempt: Attempt,
}

/// How a pass ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) next: Next,
    /// The curve that a retry follows.
    pub(super) curve: Curve,
}

impl State {
    pub(super) fn new(list: List) -> Self {
        Self { list, ..Self::default() }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether nothing at all is remembered.
    #[cfg(test)]
    pub(super) fn is_blank(&self) -> bool {
        self.entries.is_empty() && self.timers.is_empty() && self.waiting == 0
    }

    pub(super) fn add(&mut self, key: &Key, causes: Causes) {
        let causes = self.list.admit(causes);
        if causes.is_empty() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(key) {
            entry.causes = entry.causes | causes;
        } else {
            self.entries.insert(key.clone(), Entry { causes, ..Entry::default() });
        }
        self.queue(key);
    }

    /// Queues a key for the causes in its entry, unless it runs; moves it to the fast lane if it now belongs there.
    fn queue(&mut self, key: &Key) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        let lane = if entry.causes.is_urgent() { Lane::Fast } else { Lane::Slow };
        match entry.phase {
            Phase::Running(_) => return,
            Phase::Queued { lane: now, .. } if now == lane || now == Lane::Fast => return,
            Phase::Queued { .. } => {}
            Phase::Idle => self.waiting += 1,
        }
        if let Some(timer) = entry.timer.take() {
            self.timers.try_remove(&timer.key);
        }
        entry.phase = Phase::Queued { ticket: self.lanes.push(lane, key.clone()), lane };
    }

    /// The next pass to run.
    pub(super) fn take(&mut self) -> Option<Task> {
        loop {
            let ticket = self.lanes.pop()?;
            let Some(entry) = self.entries.get_mut(&ticket.key) else { continue };
            if !matches!(entry.phase, Phase::Queued { ticket: number, .. } if number == ticket.number) {
                continue;
            }
            let causes = std::mem::take(&mut entry.causes);
            entry.phase = Phase::Running(causes);
            entry.refused = None;
            self.waiting -= 1;
            return Some(Task { key: ticket.key, causes, attempt: entry.attempt });
        }
    }

    /// Takes note of the end of a pass. True: the key waits for the cache to hold another version than the refused one.
    pub(super) fn finish(&mut self, key: &Key, ended: Ended) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let Phase::Running(ran) = std::mem::take(&mut entry.phase) else { return false };
        let timer = entry.settle(ran, ended);
        let awaits = entry.refused.is_some();
        if !entry.causes.is_empty() {
            self.queue(key);
        } else if let Some((at, causes)) = timer {
            let timer = self.timers.insert_at(key.clone(), at.min(Instant::now() + HORIZON));
            entry.timer = Some(Timer { key: timer, causes });
        } else {
            self.entries.remove(key);
        }
        awaits
    }

    /// The cache holds this version (or nothing) now. True if that made the key run.
    pub(super) fn seen(&mut self, key: &Key, version: Option<&str>) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let Some(refused) = entry.refused.take_if(|refused| is_other(refused, version)) else { return false };
        let Some(timer) = entry.timer.as_ref().filter(|_| matches!(entry.phase, Phase::Idle)) else { return false };
        tracing::trace!(object = %key, refused, "the cache has caught up");
        let causes = timer.causes;
        self.add(key, causes);
        true
    }

    /// Queues the keys whose time has come.
    pub(super) fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut due = false;
        while let Poll::Ready(Some(expired)) = self.timers.poll_expired(cx) {
            let key = expired.into_inner();
            // The timer is over: nothing is left to cancel.
            let timer = self.entries.get_mut(&key).and_then(|entry| entry.timer.take());
            if let Some(timer) = timer {
                self.add(&key, timer.causes);
                due = true;
            }
        }
        if due { Poll::Ready(()) } else { Poll::Pending }
    }

    /// The keys whose passes run.
    pub(super) fn running(&self) -> Vec<Key> {
        let running = self.entries.iter().filter(|(_, entry)| matches!(entry.phase, Phase::Running(_)));
        running.map(|(key, _)| key.clone()).collect()
    }
}

impl Entry {
    /// Updates the history of the key by the end of a pass and says when, and why, it is due without a change.
    fn settle(&mut self, ran: Causes, ended: Ended) -> Option<(Instant, Causes)> {
        let now = Instant::now();
        match ended.next {
            Next::Await | Next::Forget => {
                self.rest();
                None
            }
            Next::After(delay) => {
                self.rest();
                Some((now + delay.min(HORIZON), Causes::RESYNC))
            }
            Next::Retry { progressed, at_least } => {
                let at = self.fail(now, ended.curve, progressed || ran.contains(Causes::GENERATION));
                Some((self.retry(at, now, at_least), Causes::RETRY))
            }
            Next::RetryAfter { progressed, pause, at_least } => {
                let curve = Curve { base: pause, cap: pause };
                let at = self.fail(now, curve, progressed || ran.contains(Causes::GENERATION));
                Some((self.retry(at, now, at_least), Causes::RETRY))
            }
            Next::Conflict { newer_than } => {
                let delay = Curve::CONFLICT.delay(self.attempt.conflicts);
                self.attempt.conflicts = self.attempt.conflicts.saturating_add(1);
                self.refused = Some(newer_than);
                Some((now + delay, ran))
            }
        }
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
    fn fail(&mut self, now: Instant, curve: Curve, anew: bool) -> Instant {
        self.attempt.conflicts = 0;
        let pending = self.retry_at.take_if(|at| *at > now && !anew);
        if anew {
            self.attempt.failures = 0;
        }
        pending.unwrap_or_else(|| {
            let delay = curve.delay(self.attempt.failures);
            self.attempt.failures = self.attempt.failures.saturating_add(1);
            now + delay
        })
    }
}

/// Whether the cache has moved on from the refused version. Versions are numbers on every API server we know; then an older one
/// does not count.
fn is_other(refused: &str, version: Option<&str>) -> bool {
    let Some(version) = version else { return true };
    match (refused.parse::<u128>(), version.parse::<u128>()) {
        (Ok(refused), Ok(version)) => version > refused,
        _ => version != refused,
    }
}

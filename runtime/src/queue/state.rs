//! The state of each key in the queue: a state machine without a clock, a lock or tasks.

mod entry;
mod external;

use std::time::Duration;

use tokio::time::Instant;

pub(super) use self::entry::FinishedPass;
use self::entry::{Due, Entry, HORIZON, Phase, Timer};
use super::key::{Key, KeyMap};
#[cfg(feature = "metrics")]
use super::key_status::{self, KeyStatus};
use super::meter::Meter;
use super::next::Next;
use super::priority::{PriorityLanes, due};
use super::rate_limit::Rate;
use super::stats::QueueStats;
use super::timers::Timers;
use super::worker::Attempt;
use crate::resource_version::is_newer;
use crate::trigger::{EnabledTriggers, TriggerSet};

/// The number of keys up to which memory is not given back.
const SMALL: usize = 256;

/// The number of queued keys up to which none is pruned.
const CROWD: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct KeyEntries {
    /// The enabled triggers.
    list: EnabledTriggers,
    rate: Rate,
    /// The debounce window: how long a change waits for further ones. `None`: not at all.
    pub(super) debounce: Option<Duration>,
    entries: KeyMap<Entry>,
    lanes: PriorityLanes,
    timers: Timers,
    figures: QueueStats,
    /// The number of queued keys at which they are pruned next.
    crowd: usize,
    pub(super) meter: Meter,
}

/// A pass to run.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) key: Key,
    pub(super) triggers: TriggerSet,
    pub(super) attempt: Attempt,
}

impl KeyEntries {
    pub(super) fn new(list: EnabledTriggers, rate: Rate) -> Self {
        Self { list, rate, ..Self::default() }
    }

    pub(super) fn figures(&self) -> QueueStats {
        QueueStats { sleeping: self.timers.len(), ..self.figures }
    }

    /// The number of queued keys.
    pub(super) fn depth(&self) -> usize {
        self.figures.depth()
    }

    /// Whether no entry, timer or queued key is left.
    #[cfg(test)]
    pub(super) fn is_blank(&self) -> bool {
        self.entries.is_empty() && self.timers.len() == 0 && self.figures.depth() == 0
    }

    /// Enqueues the key after the debounce window of its first change, or at once if there is no window.
    pub(super) fn add_event(&mut self, key: &Key, triggers: TriggerSet, now: Instant) {
        let triggers = self.list.admit(triggers);
        match self.window(triggers) {
            Some(window) => self.hold(key, triggers, now, window),
            None => self.add(key, triggers, now),
        }
    }

    /// The debounce window of these triggers; `None`: they run at once.
    fn window(&self, triggers: TriggerSet) -> Option<Duration> {
        self.debounce.filter(|_| !triggers.is_empty() && triggers.without(TriggerSet::DEBOUNCED).is_empty())
    }

    /// Enqueues an idle key when the window has passed. A timer that fires earlier takes the triggers along.
    fn hold(&mut self, key: &Key, triggers: TriggerSet, now: Instant, window: Duration) {
        let entry = self.entries.entry(key.clone()).or_default();
        if !matches!(entry.phase, Phase::Idle) {
            return self.add(key, triggers, now);
        }
        if let Some(timer) = entry.timer.as_mut().filter(|timer| timer.slot.at <= now + window) {
            timer.owed = timer.owed | triggers;
            return;
        }
        let mut owed = std::mem::take(&mut entry.triggers) | triggers;
        if let Some(timer) = entry.timer.take() {
            self.timers.cancel(timer.slot);
            owed = owed | timer.owed;
        }
        let slot = self.timers.set(key.clone(), now + window);
        entry.timer = Some(Timer { slot, triggers: TriggerSet::NONE, owed, reserved: false });
    }

    /// Enqueues the key.
    pub(super) fn add(&mut self, key: &Key, triggers: TriggerSet, now: Instant) {
        let triggers = self.list.admit(triggers);
        if triggers.is_empty() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(key) {
            self.figures.added += u64::from(entry.triggers.is_empty());
            entry.triggers = entry.triggers | triggers;
        } else {
            self.figures.added += 1;
            self.entries.insert(key.clone(), Entry { triggers, ..Entry::default() });
        }
        self.queue(key, now);
    }

    /// Queues a key for the triggers in its entry, unless it runs. Moves it to another lane if it is due sooner there.
    fn queue(&mut self, key: &Key, now: Instant) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        if let Some(timer) = entry.timer.take() {
            self.timers.cancel(timer.slot);
            entry.triggers = entry.triggers | timer.owed;
        }
        let urgency = entry.triggers.urgency();
        let since = match entry.phase {
            Phase::Running { .. } => return,
            Phase::Queued { place, .. } if place.due <= due(urgency, now) => return,
            Phase::Queued { place, since } => {
                self.figures.waiting[place.urgency as usize] -= 1;
                since
            }
            Phase::Idle => now,
        };
        self.figures.waiting[urgency as usize] += 1;
        entry.phase = Phase::Queued { place: self.lanes.push(urgency, key.clone(), now), since };
    }

    /// Removes queued keys of objects that are gone and were never reconciled here, whenever the number of queued keys has doubled. While a
    /// replica waits for its term, nothing else removes them.
    pub(super) fn prune(&mut self, is_known: impl Fn(&Key) -> bool) {
        if self.depth() < self.crowd.max(CROWD) {
            return;
        }
        let figures = &mut self.figures;
        self.entries.retain(|key, entry| {
            let Phase::Queued { place, .. } = entry.phase else { return true };
            let is_kept = is_known(key);
            figures.waiting[place.urgency as usize] -= usize::from(!is_kept);
            is_kept
        });
        let entries = &self.entries;
        self.lanes.retain(|place, key| {
            let phase = entries.get(key).map(|entry| &entry.phase);
            matches!(phase, Some(Phase::Queued { place: held, .. }) if held == place)
        });
        self.give_back();
        self.crowd = 2 * self.depth();
    }

    /// The next pass to run.
    pub(super) fn take(&mut self, now: Instant) -> Option<Task> {
        loop {
            let (place, key) = self.lanes.pop()?;
            self.figures.looked += 1;
            let Some(entry) = self.entries.get_mut(&key) else { continue };
            let since = match entry.phase {
                Phase::Queued { place: held, since } if held == place => since,
                _ => continue,
            };
            let triggers = std::mem::take(&mut entry.triggers);
            entry.phase = Phase::Running { triggers, since: now };
            entry.refused = None;
            self.figures.waiting[place.urgency as usize] -= 1;
            self.figures.start(now - since);
            self.meter.record(|counts| counts.waited(now - since));
            return Some(Task { key, triggers, attempt: entry.attempt });
        }
    }

    /// Records the end of a pass. Returns true if the key waits for a newer version in the cache than the refused one.
    pub(super) fn finish(&mut self, key: &Key, ended: FinishedPass, now: Instant) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let Phase::Running { triggers: ran, since } = std::mem::take(&mut entry.phase) else { return false };
        self.figures.end(now - since);
        self.meter.record(|counts| counts.worked(now - since));
        let again = ended.next.failed() || matches!(ended.next, Next::Conflict { .. });
        self.figures.retried += u64::from(again);
        let due = entry.settle(ran, ended, now);
        let awaits = entry.refused.is_some();
        if !entry.triggers.is_empty() {
            let triggers = entry.triggers | due.map_or(TriggerSet::NONE, |due| due.owed);
            entry.triggers = triggers;
            match self.window(triggers) {
                Some(window) => self.hold(key, TriggerSet::NONE, now, window),
                None => self.queue(key, now),
            }
        } else if let Some(Due { at, triggers, owed }) = due {
            let slot = self.timers.set(key.clone(), at.min(now + HORIZON));
            entry.timer = Some(Timer { slot, triggers, owed, reserved: false });
        } else {
            self.entries.remove(key);
            self.give_back();
        }
        awaits
    }

    /// Frees the memory of a burst, such as the first list: afterwards only few keys have an entry.
    fn give_back(&mut self) {
        let (len, capacity) = (self.entries.len(), self.entries.capacity());
        if capacity > SMALL && len < capacity / 8 {
            self.entries.shrink_to(2 * len);
        }
    }

    /// Records the version in the cache (`None`: not cached). Returns true if that enqueued the key.
    pub(super) fn seen(&mut self, key: &Key, version: Option<&str>, now: Instant) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let Some(refused) = entry.refused.take_if(|refused| is_other(refused, version)) else { return false };
        let Some(timer) = entry.timer.as_ref().filter(|_| matches!(entry.phase, Phase::Idle)) else { return false };
        tracing::trace!(object = %key, refused, "the cache has caught up");
        let triggers = timer.all();
        self.add(key, triggers, now);
        true
    }

    /// Enqueues the keys that are due. Returns when the next one is due.
    pub(super) fn enqueue_due(&mut self, now: Instant) -> Option<Instant> {
        while let Some(key) = self.timers.pop(now) {
            self.figures.looked += 1;
            // The timer has fired: there is none to cancel.
            let Some(timer) = self.entries.get_mut(&key).and_then(|entry| entry.timer.take()) else { continue };
            let retries = timer.all().without(TriggerSet::TRANSIENT_TRIGGERS) == TriggerSet::RETRY;
            if timer.reserved || !retries || !self.defer(&key, &timer, now) {
                self.add(&key, timer.all(), now);
            }
        }
        self.timers.next()
    }

    /// Defers a retry if the rate limit requires it. Returns false if it may begin now.
    fn defer(&mut self, key: &Key, timer: &Timer, now: Instant) -> bool {
        let at = self.rate.reserve(now);
        let Some(entry) = self.entries.get_mut(key).filter(|_| at > now) else { return false };
        self.figures.deferred += 1;
        entry.retry_at = Some(at);
        let slot = self.timers.set(key.clone(), at);
        entry.timer = Some(Timer { slot, triggers: timer.triggers, owed: timer.owed, reserved: true });
        true
    }

    /// The state of the key. `None`: idle, without a history.
    #[cfg(feature = "metrics")]
    pub(super) fn spot(&self, key: &Key, now: Instant) -> Option<KeyStatus> {
        let Entry { phase, triggers, attempt, timer, .. } = self.entries.get(key)?;
        let (phase, triggers) = match phase {
            Phase::Queued { since, .. } => (key_status::Phase::Waiting(now - *since), *triggers),
            Phase::Running { triggers, since } => (key_status::Phase::Running(now - *since), *triggers),
            Phase::Idle => {
                let due = timer.as_ref().map(|timer| timer.slot.at.saturating_duration_since(now));
                (key_status::Phase::Sleeping(due), timer.as_ref().map_or(TriggerSet::NONE, Timer::all))
            }
        };
        Some(KeyStatus { phase, triggers, attempt: *attempt })
    }

    /// How long each running pass has run.
    #[cfg(feature = "metrics")]
    pub(super) fn unfinished(&self, now: Instant) -> impl Iterator<Item = Duration> {
        self.entries.values().filter_map(move |entry| match entry.phase {
            Phase::Running { since, .. } => Some(now - since),
            _ => None,
        })
    }

    /// The keys whose passes run.
    pub(super) fn running(&self) -> Vec<Key> {
        let running = self.entries.iter().filter(|(_, entry)| matches!(entry.phase, Phase::Running { .. }));
        running.map(|(key, _)| key.clone()).collect()
    }
}

/// Whether the cache holds a newer version than the refused one.
fn is_other(refused: &str, version: Option<&str>) -> bool {
    version.is_none_or(|version| is_newer(version, refused))
}

#[cfg(test)]
mod tests;

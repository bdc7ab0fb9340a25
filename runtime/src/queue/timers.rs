//! The timers of keys, ordered by time; each can be cancelled.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::key::Key;

/// The handle of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) at: Instant,
    number: u64,
}

#[derive(Debug, Default)]
pub(super) struct Timers {
    due: BTreeMap<Slot, Key>,
    issued: u64,
}

impl Timers {
    pub(super) fn set(&mut self, key: Key, at: Instant) -> Slot {
        self.issued += 1;
        let slot = Slot { at, number: self.issued };
        self.due.insert(slot, key);
        slot
    }

    pub(super) fn cancel(&mut self, slot: Slot) {
        self.due.remove(&slot);
    }

    /// The next key that is due by now. Among equal times, the timer that was set first.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Key> {
        let first = self.due.first_entry().filter(|first| first.key().at <= now)?;
        Some(first.remove())
    }

    /// When the next timer is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.due.first_key_value().map(|(slot, _)| slot.at)
    }

    pub(super) fn len(&self) -> usize {
        self.due.len()
    }
}

//! The state under an external scheduler, which gets the queued keys and decides when each one runs.

use tokio::time::Instant;

use super::{KeyEntries, Phase, Task};
use crate::queue::key::Key;

impl KeyEntries {
    /// The pass of a key that the scheduler runs, with all triggers so far. `None`: there is no trigger.
    pub(in crate::queue) fn claim(&mut self, key: &Key, now: Instant) -> Option<Task> {
        let entry = self.entries.get_mut(key)?;
        if let Some(timer) = entry.timer.take_if(|timer| timer.slot.at <= now || !entry.triggers.is_empty()) {
            self.timers.cancel(timer.slot);
            entry.triggers = entry.triggers | timer.triggers;
        }
        let since = match entry.phase {
            Phase::Queued { place, since } => {
                self.figures.waiting[place.urgency as usize] -= 1;
                since
            }
            // The scheduler has dropped that pass: it never runs a key twice at a time.
            Phase::Running { triggers, since } => {
                self.figures.end(now - since);
                entry.triggers = entry.triggers | triggers;
                now
            }
            Phase::Idle => now,
        };
        let triggers = std::mem::take(&mut entry.triggers);
        entry.phase = Phase::Idle;
        if triggers.is_empty() {
            return None;
        }
        entry.phase = Phase::Running { triggers, since: now };
        entry.refused = None;
        self.figures.start(now - since);
        Some(Task { key: key.clone(), triggers, attempt: entry.attempt })
    }

    /// The queued keys that have not been announced yet, the most urgent first. They stay queued.
    pub(in crate::queue) fn announce(&mut self) -> Vec<Key> {
        let mut found = Vec::new();
        while let Some((place, key)) = self.lanes.pop() {
            let phase = self.entries.get(&key).map(|entry| &entry.phase);
            if matches!(phase, Some(Phase::Queued { place: held, .. }) if *held == place) {
                found.push(key);
            }
        }
        found
    }

    /// When the key is due if nothing changes; now if it is queued.
    pub(in crate::queue) fn due(&self, key: &Key, now: Instant) -> Option<Instant> {
        let entry = self.entries.get(key)?;
        match entry.phase {
            Phase::Queued { .. } => Some(now),
            _ => entry.timer.as_ref().map(|timer| timer.slot.at),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::backoff::Backoff;
    use crate::queue::state::FinishedPass;
    use crate::queue::{Next, TriggerSet};

    fn ended(next: Next) -> FinishedPass {
        FinishedPass { next, curve: Backoff::FAILURE, drawn: 0.0 }
    }

    #[tokio::test(start_paused = true)]
    async fn an_external_turn_without_trigger_leaves_the_timer() {
        let (mut state, key, now) = (KeyEntries::default(), Key::new(Some("a"), "one"), Instant::now());
        assert!(state.claim(&key, now).is_none());
        state.add(&key, TriggerSet::GENERATION, now);
        assert_eq!((state.announce(), state.announce()), (vec![key.clone()], vec![]));
        assert_eq!(state.claim(&key, now).map(|task| task.triggers), Some(TriggerSet::GENERATION));
        let minute = Duration::from_secs(60);
        state.finish(&key, ended(Next::After(minute)), now);
        assert!(state.claim(&key, now).is_none());
        assert_eq!(state.due(&key, now), Some(now + minute));
        assert_eq!(state.claim(&key, now + minute).map(|task| task.triggers), Some(TriggerSet::RESYNC));
        state.finish(&key, ended(Next::Await), now + minute);
        assert!(state.due(&key, now).is_none() && state.is_blank());
    }

    #[tokio::test(start_paused = true)]
    async fn triggers_of_a_dropped_pass_are_not_lost() {
        let (mut state, key, now) = (KeyEntries::default(), Key::new(None, "one"), Instant::now());
        state.add(&key, TriggerSet::GENERATION, now);
        state.announce();
        assert!(state.claim(&key, now).is_some());
        state.add(&key, TriggerSet::OWNED, now);
        assert_eq!(state.announce(), []);
        assert_eq!(state.claim(&key, now).map(|task| task.triggers), Some(TriggerSet::OWNED | TriggerSet::GENERATION));
        state.add(&key, TriggerSet::LABELS, now);
        state.finish(&key, ended(Next::Await), now);
        assert_eq!((state.announce(), state.due(&key, now)), (vec![key], Some(now)));
    }
}

//! Test hooks: the queue without operator, objects or cluster, to measure its cost.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::state::{FinishedPass, KeyEntries};
use super::{Attempt, Key, Next, PassOutput, Queue, QueueConfig, Rate, TriggerSet, Worker, drain};
use crate::backoff::Backoff;
use crate::leadership::{Leadership, ShardGates};
use crate::trigger::EnabledTriggers;

/// The bare state, with a clock that the test moves.
#[derive(Debug)]
pub struct Bare {
    state: KeyEntries,
    keys: Vec<Key>,
    now: Instant,
}

/// A running pass.
#[derive(Debug)]
pub struct Taken(Key);

impl Bare {
    /// Creates a state with this many keys, all idle.
    pub fn new(keys: usize) -> Self {
        Self {
            state: KeyEntries::new(EnabledTriggers::default(), Rate::unlimited()),
            keys: named(keys).collect(),
            now: Instant::now(),
        }
    }

    /// Adds all keys as new objects; those with an even number have also changed.
    pub fn fill(&mut self) {
        for (at, key) in self.keys.iter().enumerate() {
            let triggers =
                if at.is_multiple_of(2) { TriggerSet::APPEARED | TriggerSet::GENERATION } else { TriggerSet::APPEARED };
            self.state.add(key, triggers, self.now);
        }
    }

    /// Takes the next pass.
    pub fn take(&mut self) -> Option<Taken> {
        self.state.take(self.now).map(|task| Taken(task.key))
    }

    /// Ends the pass; the key is due again after this time.
    pub fn requeue(&mut self, taken: &Taken, after: Duration) {
        self.end(taken, Next::After(after));
    }

    /// Ends the pass with a failure.
    pub fn fail(&mut self, taken: &Taken) {
        self.end(taken, Next::Retry { progressed: false, at_least: None });
    }

    fn end(&mut self, taken: &Taken, next: Next) {
        self.state.finish(&taken.0, FinishedPass { next, curve: Backoff::FAILURE, drawn: 0.5 }, self.now);
    }

    /// Advances the clock and enqueues the keys that are due.
    pub fn pass(&mut self, time: Duration) {
        self.now += time;
        self.state.enqueue_due(self.now);
    }
}

/// A worker whose passes take 1 ms and requeue their key.
struct Again {
    every: Duration,
    passes: AtomicUsize,
}

impl Worker for Again {
    async fn run(&self, _: &Key, _: TriggerSet, _: Attempt) -> PassOutput {
        // Without the delay, passes would not overlap up to the limit.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let nth = self.passes.fetch_add(1, Ordering::Relaxed);
        // Spreads the due times, as in an operator.
        Next::After(self.every + Duration::from_millis(nth as u64 % 1000)).into()
    }
}

/// Runs a queue with this many keys, each requeued repeatedly, for `time`. Returns the number of passes.
pub async fn requeued(keys: usize, concurrency: NonZeroUsize, every: Duration, time: Duration) -> usize {
    let (queue, stop) = (Queue::new(EnabledTriggers::default(), Rate::unlimited()), CancellationToken::new());
    named(keys).for_each(|key| queue.add(&key, TriggerSet::APPEARED));
    let worker = Arc::new(Again { every, passes: AtomicUsize::new(0) });
    let config = QueueConfig { concurrency, ..QueueConfig::default() };
    let end = async {
        tokio::time::sleep(time).await;
        stop.cancel();
    };
    futures::join!(drain(queue, worker.clone(), config, ShardGates::one(Leadership::open()), stop.clone()), end);
    worker.passes.load(Ordering::Relaxed)
}

fn named(keys: usize) -> impl Iterator<Item = Key> {
    (0..keys).map(|at| Key::new(Some("default"), &format!("object-{at}")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_key_is_taken_once_and_again_when_it_is_due() {
        let mut bare = Bare::new(4);
        assert!(bare.take().is_none(), "all are idle");
        bare.fill();
        let taken: Vec<Taken> = std::iter::from_fn(|| bare.take()).collect();
        assert_eq!(taken.iter().map(|taken| &taken.0).collect::<HashSet<_>>(), bare.keys.iter().collect());
        bare.requeue(&taken[0], 10 * SECOND);
        bare.requeue(&taken[1], 20 * SECOND);
        bare.pass(9 * SECOND);
        assert!(bare.take().is_none());
        bare.pass(SECOND);
        assert_eq!(bare.take().unwrap().0, taken[0].0);
        assert!(bare.take().is_none());
        bare.pass(10 * SECOND);
        assert_eq!(bare.take().unwrap().0, taken[1].0);
        bare.fail(&taken[2]);
        bare.pass(60 * SECOND);
        assert_eq!(bare.take().unwrap().0, taken[2].0);
    }

    #[tokio::test(start_paused = true)]
    async fn concurrency_is_limited() {
        for (concurrency, most) in [(1, 1_000), (4, 4_000)] {
            let passes = requeued(5_000, NonZeroUsize::new(concurrency).unwrap(), 10 * SECOND, SECOND).await;
            assert!(
                (most * 9 / 10..=most).contains(&passes),
                "{passes} of 1 ms each in a second, {concurrency} at a time"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requeued_keys_run_whenever_they_are_due() {
        let passes = requeued(10, NonZeroUsize::new(2).unwrap(), 10 * SECOND, 100 * SECOND).await;
        assert_eq!(passes, 10 * 10, "each ten seconds or a little later");
    }
}

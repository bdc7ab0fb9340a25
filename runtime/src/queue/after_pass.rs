//! After-pass work, which runs when the slot of its pass is free: in order per key, and limited in total.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::key::{Key, KeyMap};
use super::worker::AfterPass;

/// The after-pass tasks that have not ended.
#[derive(Default)]
pub(super) struct AfterPassTasks {
    running: JoinSet<Key>,
    /// For each key with a running task, the tasks that are queued behind it.
    behind: KeyMap<VecDeque<AfterPass>>,
    len: usize,
}

impl AfterPassTasks {
    /// Runs the task after those of the same key.
    pub(super) fn add(&mut self, key: &Key, tail: AfterPass) {
        self.len += 1;
        match self.behind.entry(key.clone()) {
            Entry::Occupied(mut behind) => behind.get_mut().push_back(tail),
            Entry::Vacant(none) => {
                none.insert(VecDeque::new());
                self.spawn(key.clone(), tail);
            }
        }
    }

    fn spawn(&mut self, key: Key, tail: AfterPass) {
        // If one panics, those behind it still have to run.
        let tail = AssertUnwindSafe(tail).catch_unwind().map(|_| key);
        self.running.spawn(tail.in_current_span());
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Waits until a task ends. `None`: there is none.
    ///
    /// # Cancellation
    /// Cancel safe: no task is lost.
    pub(super) async fn next(&mut self) -> Option<()> {
        let ended = self.running.join_next().await?;
        // A task fails to join only if the runtime shuts down.
        let Ok(key) = ended else { return Some(()) };
        self.len -= 1;
        match self.behind.get_mut(&key).and_then(VecDeque::pop_front) {
            Some(tail) => self.spawn(key, tail),
            None => drop(self.behind.remove(&key)),
        }
        Some(())
    }

    /// Logs how many tasks are dropped with the queue.
    pub(super) fn warn(&self) {
        if self.len > 0 {
            tracing::warn!(passes = self.len, "the events of some passes were not sent in time");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tokio::time::{Instant, sleep};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::leadership::{Leadership, ShardGates};
    use crate::logged::logged;
    use crate::queue::{Attempt, Next, PassOutput, Queue, QueueConfig, TriggerSet, Worker, drain};

    /// The log entries, with their times in seconds.
    type Log = Arc<Mutex<Vec<(String, f64)>>>;

    const SECOND: Duration = Duration::from_secs(1);

    /// Each pass takes a second, and so does its work after the pass. Exceptions are the keys `slow` and `panics`.
    struct Leaves {
        log: Log,
        start: Instant,
    }

    fn note(log: &Log, start: Instant, what: String) {
        log.lock().unwrap().push((what, start.elapsed().as_secs_f64()));
    }

    impl Worker for Leaves {
        async fn run(&self, key: &Key, _: TriggerSet, _: Attempt) -> PassOutput {
            let (log, start, name) = (self.log.clone(), self.start, key.to_string());
            note(&log, start, format!("{name} runs"));
            sleep(SECOND).await;
            let tail = async move {
                sleep(if name == "slow" { 10 * SECOND } else { SECOND }).await;
                note(&log, start, format!("{name} sent"));
                assert_ne!(name, "panics");
            };
            PassOutput { tail: Some(tail.boxed()), ..Next::Await.into() }
        }
    }

    struct Bench {
        queue: Queue,
        log: Log,
        stop: CancellationToken,
        drained: tokio::task::JoinHandle<Vec<Key>>,
    }

    impl Bench {
        fn new(concurrency: usize) -> Self {
            let (queue, log, stop) = (Queue::default(), Log::default(), CancellationToken::new());
            let worker = Arc::new(Leaves { log: log.clone(), start: Instant::now() });
            let config = QueueConfig { concurrency: NonZeroUsize::new(concurrency).unwrap(), ..QueueConfig::default() };
            let drained =
                tokio::spawn(drain(queue.clone(), worker, config, ShardGates::one(Leadership::open()), stop.clone()));
            Self { queue, log, stop, drained }
        }

        fn add(&self, name: &str) {
            self.queue.add(&Key::new(None, name), TriggerSet::GENERATION);
        }

        /// The times of these entries.
        fn at(&self, what: &str) -> Vec<f64> {
            self.log.lock().unwrap().iter().filter(|(entry, _)| entry.ends_with(what)).map(|(_, at)| *at).collect()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_pass_work_holds_no_slot() {
        let bench = Bench::new(4);
        (0..20).for_each(|at| bench.add(&format!("n{at}")));
        sleep(60 * SECOND).await;
        let (runs, sent) = (bench.at("runs"), bench.at("sent"));
        assert_eq!((runs.len(), runs[19], sent.len(), sent[19]), (20, 4.0, 20, 6.0), "four in each second");
    }

    #[tokio::test(start_paused = true)]
    async fn after_pass_work_runs_in_order_without_blocking_the_key() {
        let bench = Bench::new(4);
        for _ in 0..3 {
            bench.add("slow");
            sleep(2 * SECOND).await;
        }
        sleep(60 * SECOND).await;
        assert_eq!((bench.at("slow runs"), bench.at("slow sent")), (vec![0.0, 2.0, 4.0], vec![11.0, 21.0, 31.0]));
    }

    #[tokio::test(start_paused = true)]
    async fn slow_after_pass_work_delays_passes() {
        let bench = Bench::new(2);
        bench.add("slow");
        for at in 0..30 {
            bench.add("slow");
            sleep(SECOND).await;
            let (runs, sent) = (bench.at("runs").len(), bench.at("sent").len());
            assert!(runs - sent <= 4 + 1, "{at}: {runs} passes, {sent} of them sent");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_does_not_block_later_work() {
        let bench = Bench::new(1);
        bench.add("panics");
        sleep(SECOND + SECOND / 2).await;
        bench.add("panics");
        sleep(60 * SECOND).await;
        assert_eq!(bench.at("panics sent").len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn shutdown_waits_for_after_pass_work() {
        let bench = Bench::new(1);
        bench.add("slow");
        sleep(2 * SECOND).await;
        bench.stop.cancel();
        assert_eq!(bench.drained.await.unwrap(), []);
        assert_eq!(
            bench.log.lock().unwrap().last().map(|(what, at)| (what.clone(), *at)),
            Some(("slow sent".into(), 11.0))
        );
    }

    #[tokio::test]
    async fn unsent_events_are_logged_with_their_count() {
        let mut tails = AfterPassTasks::default();
        assert_eq!(logged(|| tails.warn()), [""; 0]);
        tails.add(&Key::new(None, "a"), std::future::pending().boxed());
        tails.add(&Key::new(None, "a"), std::future::pending().boxed());
        assert_eq!(logged(|| tails.warn()), ["the events of some passes were not sent in time passes=2"]);
    }
}

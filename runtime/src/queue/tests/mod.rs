//! The queue with a clock that the tests advance.

mod cost;
mod model;
mod outage;
mod shared;

use std::collections::HashMap;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::backoff::Backoff;
use crate::leadership::{Leadership, ShardGates};
use crate::trigger::EnabledTriggers;

type Pass = Pin<Box<dyn Future<Output = Next> + Send>>;
type Plan = Box<dyn Fn(&Key, usize) -> Pass + Send + Sync>;

/// Runs the passes of the test and records when each of them ran.
struct Script {
    run: Plan,
    started: Instant,
    log: Mutex<Vec<(Duration, String, TriggerSet, Attempt)>>,
    at_once: Mutex<HashMap<Key, usize>>,
    overlaps: AtomicUsize,
    busiest: AtomicUsize,
}

impl Worker for Script {
    async fn run(&self, key: &Key, triggers: TriggerSet, attempt: Attempt) -> PassOutput {
        let nth = {
            let mut log = self.log.lock();
            log.push((self.started.elapsed(), key.to_string(), triggers, attempt));
            log.iter().filter(|(_, name, ..)| *name == key.to_string()).count()
        };
        let _running = Running::new(self, key);
        (self.run)(key, nth).await.into()
    }
}

/// Counts a running pass until it is dropped.
struct Running<'s>(&'s Script, Key);

impl<'s> Running<'s> {
    fn new(script: &'s Script, key: &Key) -> Self {
        let mut running = script.at_once.lock();
        let here = running.entry(key.clone()).or_default();
        *here += 1;
        script.overlaps.fetch_add(usize::from(*here > 1), Ordering::SeqCst);
        script.busiest.fetch_max(running.values().sum(), Ordering::SeqCst);
        Self(script, key.clone())
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut running = self.0.at_once.lock();
        *running.entry(self.1.clone()).or_default() -= 1;
    }
}

/// A queue that is being drained.
pub(super) struct Bench {
    pub(super) queue: Queue,
    script: Arc<Script>,
    gate: Leadership,
    stop: CancellationToken,
    drained: tokio::task::JoinHandle<Vec<Key>>,
}

impl Bench {
    fn new<F: Future<Output = Next> + Send + 'static>(run: impl Fn(&Key, usize) -> F + Send + Sync + 'static) -> Self {
        Self::with(QueueConfig::default(), run)
    }

    pub(super) fn with<F: Future<Output = Next> + Send + 'static>(
        config: QueueConfig,
        run: impl Fn(&Key, usize) -> F + Send + Sync + 'static,
    ) -> Self {
        let script = Arc::new(Script {
            run: Box::new(move |key, nth| Box::pin(run(key, nth))),
            started: Instant::now(),
            log: Mutex::default(),
            at_once: Mutex::default(),
            overlaps: AtomicUsize::new(0),
            busiest: AtomicUsize::new(0),
        });
        let (queue, gate, stop) =
            (Queue::new(EnabledTriggers::default(), config.rate.clone()), Leadership::open(), CancellationToken::new());
        let drained =
            tokio::spawn(drain(queue.clone(), script.clone(), config, ShardGates::one(gate.clone()), stop.clone()));
        Self { queue, script, gate, stop, drained }
    }

    pub(super) fn add(&self, name: &str, triggers: TriggerSet) {
        self.queue.add(&key(name), triggers);
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.script.log.lock().iter().map(|(_, name, ..)| name.clone()).collect()
    }

    fn triggers(&self) -> Vec<String> {
        self.script.log.lock().iter().map(|(_, _, triggers, _)| triggers.to_string()).collect()
    }

    /// The start times of the passes in seconds.
    fn times(&self) -> Vec<f64> {
        self.script.log.lock().iter().map(|(at, ..)| at.as_secs_f64()).collect()
    }

    fn failures(&self) -> Vec<u32> {
        self.script.log.lock().iter().map(|(_, _, _, attempt)| attempt.failures).collect()
    }
}

pub(super) fn key(name: &str) -> Key {
    Key::new(None, name)
}

pub(super) fn one_at_a_time() -> QueueConfig {
    QueueConfig { concurrency: NonZeroUsize::MIN, ..QueueConfig::default() }
}

const RETRY: Next = Next::Retry { progressed: false, at_least: None };

async fn quick(_: ()) -> Next {
    Next::Await
}

#[tokio::test(start_paused = true)]
async fn keys_run_in_arrival_order() {
    let bench = Bench::with(one_at_a_time(), |_, _| quick(()));
    let names: Vec<String> = (0..100).map(|i| format!("n{}", (i * 37) % 100)).collect();
    names.iter().for_each(|name| bench.add(name, TriggerSet::GENERATION));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.names(), names);
}

#[tokio::test(start_paused = true)]
async fn a_key_added_while_running_runs_again_afterwards() {
    let bench = Bench::new(|_, _| async {
        sleep(Duration::from_secs(1)).await;
        Next::Await
    });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_millis(500)).await;
    bench.add("a", TriggerSet::OWNED);
    bench.add("a", TriggerSet::LABELS);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(bench.triggers(), ["generation", "labels,owned"]);
    assert_eq!(bench.script.overlaps.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn concurrent_passes_are_limited() {
    let config = QueueConfig { concurrency: NonZeroUsize::new(4).unwrap(), ..QueueConfig::default() };
    let bench = Bench::with(config, |_, _| async {
        sleep(Duration::from_secs(1)).await;
        Next::Await
    });
    (0..40).for_each(|i| bench.add(&format!("n{i}"), TriggerSet::APPEARED));
    sleep(Duration::from_millis(4500)).await;
    assert_eq!(bench.queue.figures().depth(), 20, "16 of 40 have ended, 4 run");
    sleep(Duration::from_secs(6)).await;
    assert_eq!((bench.names().len(), bench.script.busiest.load(Ordering::SeqCst)), (40, 4));
}

#[tokio::test(start_paused = true)]
async fn changes_run_before_restarts_and_timers() {
    let bench = Bench::with(one_at_a_time(), |_, _| async {
        sleep(Duration::from_millis(100)).await;
        Next::Await
    });
    ["a", "b", "c", "d"].iter().for_each(|name| bench.add(name, TriggerSet::APPEARED));
    sleep(Duration::from_millis(50)).await;
    bench.add("changed", TriggerSet::GENERATION);
    bench.add("d", TriggerSet::LABELS);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(bench.names(), ["a", "changed", "d", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_timer_is_not_starved() {
    let bench = Bench::with(one_at_a_time(), |_, _| async {
        sleep(Duration::from_secs(1)).await;
        Next::Await
    });
    bench.add("first", TriggerSet::GENERATION);
    bench.add("patient", TriggerSet::RESYNC);
    for i in 0..60 {
        // Twice as many changes as the slot can run.
        bench.add(&format!("x{i}"), TriggerSet::GENERATION);
        bench.add(&format!("y{i}"), TriggerSet::GENERATION);
        sleep(Duration::from_secs(1)).await;
    }
    let place = bench.names().iter().position(|name| name == "patient").expect("it ran");
    assert!((10..=25).contains(&place), "{place}");
}

#[tokio::test(start_paused = true)]
async fn failures_back_off_and_retry_forever() {
    let bench = Bench::new(|_, _| async { RETRY });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(6 * 3600)).await;
    let times = bench.times();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (failures, gap) in (0..).zip(&gaps) {
        let ceiling = Backoff::FAILURE.ceiling(failures).as_secs_f64();
        assert!(*gap <= ceiling + 0.002 && *gap >= ceiling * 0.75 - 0.002, "{gap} after {failures}");
    }
    assert!(gaps.len() > 40, "{}", gaps.len());
    assert_eq!(bench.failures()[..4], [0, 1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn progress_resets_the_backoff() {
    let bench = Bench::new(|_, nth| async move { Next::Retry { progressed: nth == 5, at_least: None } });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(bench.failures()[..8], [0, 1, 2, 3, 4, 1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_retry_after() {
    let least = Some(Duration::from_secs(30));
    let bench = Bench::new(move |_, _| async move { Next::Retry { progressed: true, at_least: least } });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(95)).await;
    assert_eq!(bench.names().len(), 4, "at 0, 30, 60 and 90 s");
}

#[tokio::test(start_paused = true)]
async fn a_change_runs_at_once_and_leaves_the_pending_retry() {
    let bench = Bench::new(|_, _| async { RETRY });
    bench.add("a", TriggerSet::GENERATION);
    // The seventh retry comes after 95 to 127 s, the eighth after 191 to 255 s. None is due during the changes.
    sleep(Duration::from_secs(150)).await;
    let (before, failures) = (bench.names().len(), bench.failures().last().copied());
    for _ in 0..20 {
        bench.add("a", TriggerSet::OWNED);
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(bench.names().len(), before + 20, "each change runs");
    let now = bench.failures().last().copied();
    assert!(now <= failures.map(|n| n + 1), "events are no failures: {failures:?}, then {now:?}");
    sleep(Duration::from_secs(300)).await;
    // The ninth comes after 383 to 511 s.
    let retries = bench.triggers().iter().filter(|triggers| *triggers == "retry").count();
    assert!((8..=9).contains(&retries), "{retries}: {:?}", bench.times());
}

#[tokio::test(start_paused = true)]
async fn a_new_generation_resets_the_backoff() {
    let bench = Bench::new(|_, _| async { RETRY });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(1000)).await;
    bench.add("a", TriggerSet::GENERATION);
    // The second try comes after 0.75 to 1 s, the third 1.5 to 2 s later.
    sleep(Duration::from_secs(2)).await;
    let failures = bench.failures();
    let last = failures.len() - 1;
    assert_eq!(failures[last], 1, "two tries within 2 s: {failures:?}");
}

#[tokio::test(start_paused = true)]
async fn a_requeue_runs_on_time_unless_a_change_cancels_it() {
    let bench =
        Bench::new(|_, nth| async move { if nth == 1 { Next::After(Duration::from_secs(60)) } else { Next::Await } });
    bench.add("exact", TriggerSet::GENERATION);
    bench.add("changed", TriggerSet::GENERATION);
    sleep(Duration::from_secs(10)).await;
    bench.add("changed", TriggerSet::WATCHED);
    sleep(Duration::from_secs(600)).await;
    assert_eq!(bench.names(), ["exact", "changed", "changed", "exact"]);
    assert!((bench.times()[3] - 60.0).abs() < 0.01, "{:?}", bench.times());
}

#[tokio::test(start_paused = true)]
async fn a_panic_retries_only_its_own_key() {
    let bench = Bench::new(|key, nth| {
        let panics = &*key.name == "bad" && nth == 1;
        async move {
            assert!(!panics, "a bug in a step");
            Next::Await
        }
    });
    bench.add("bad", TriggerSet::GENERATION);
    bench.add("good", TriggerSet::GENERATION);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(bench.names(), ["bad", "good", "bad"]);
    assert_eq!(bench.triggers()[2], "retry");
    assert!(!bench.drained.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_conflict_retries_once_the_cache_is_newer() {
    let bench =
        Bench::new(
            |_, nth| async move { if nth <= 4 { Next::Conflict { newer_than: "7".into() } } else { Next::Await } },
        );
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_millis(10)).await;
    bench.queue.seen(&key("a"), "7");
    sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.names().len(), 1, "the refused version itself, and older ones, do not wake");
    bench.queue.seen(&key("a"), "10");
    sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.names().len(), 2);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(bench.names().len(), 5, "otherwise after 50 ms, doubling");
    assert!(bench.triggers().iter().all(|triggers| triggers == "generation"));
    let log = bench.script.log.lock();
    assert_eq!(log[4].3, Attempt { failures: 0, conflicts: 4 });
}

#[tokio::test(start_paused = true)]
async fn a_conflict_older_than_the_cache_retries_at_once() {
    let version: CachedVersionFn = Arc::new(|_| Some("8".into()));
    let config = QueueConfig { version: Some(version), ..QueueConfig::default() };
    let bench = Bench::with(config, |_, nth| async move {
        if nth == 1 { Next::Conflict { newer_than: "7".into() } } else { Next::Await }
    });
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_millis(2)).await;
    assert_eq!(bench.names().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_idle_key_uses_no_memory() {
    let bench = Bench::new(|_, nth| async move { if nth == 1 { RETRY } else { Next::Forget } });
    (0..1000).for_each(|i| bench.add(&format!("n{i}"), TriggerSet::APPEARED));
    sleep(Duration::from_secs(10)).await;
    assert_eq!(bench.names().len(), 2000);
    assert!(bench.queue.lock().is_blank());
}

#[tokio::test(start_paused = true)]
async fn no_pass_starts_without_leadership() {
    let bench = Bench::new(|_, _| quick(()));
    bench.gate.close();
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(bench.names().len(), 0);
    bench.gate.reopen();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn no_pass_starts_during_a_pause() {
    let pause = crate::queue::pause::Pause::default();
    let bench = Bench::with(QueueConfig { pause: pause.clone(), ..QueueConfig::default() }, |_, _| quick(()));
    pause.begin("why");
    bench.add("a", TriggerSet::GENERATION);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(bench.names().len(), 0);
    pause.end();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn shutdown_drains_running_passes_and_starts_no_other() {
    let bench = Bench::with(one_at_a_time(), |_, _| async {
        sleep(Duration::from_secs(20)).await;
        Next::Await
    });
    bench.add("running", TriggerSet::GENERATION);
    bench.add("waiting", TriggerSet::GENERATION);
    sleep(Duration::from_secs(1)).await;
    bench.stop.cancel();
    assert_eq!(bench.drained.await.unwrap(), []);
    assert_eq!(bench.script.log.lock().len(), 1);
    assert!(bench.script.started.elapsed() >= Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_pass_beyond_the_shutdown_timeout_is_dropped() {
    let bench = Bench::new(|_, _| std::future::pending());
    bench.add("stuck", TriggerSet::GENERATION);
    sleep(Duration::from_secs(1)).await;
    bench.stop.cancel();
    assert_eq!(bench.drained.await.unwrap(), [key("stuck")]);
    assert!(bench.script.started.elapsed() < Duration::from_secs(27));
    assert_eq!(bench.script.at_once.lock()[&key("stuck")], 0, "its future was dropped");
}

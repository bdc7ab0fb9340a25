//! Several queues that share slots and a retry rate.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use tokio::time::sleep;

use super::Bench;
use crate::queue::{ConcurrencyLimit, Next, QueueConfig, Rate, TriggerSet};

fn slots(passes: usize) -> QueueConfig {
    QueueConfig { slots: ConcurrencyLimit::new(NonZeroUsize::new(passes).unwrap()), ..QueueConfig::default() }
}

async fn a_second() -> Next {
    sleep(Duration::from_secs(1)).await;
    Next::Await
}

#[tokio::test(start_paused = true)]
async fn queues_that_share_slots_take_turns() {
    let config = slots(2);
    let benches = [Bench::with(config.clone(), |_, _| a_second()), Bench::with(config, |_, _| a_second())];
    for bench in &benches {
        (0..10).for_each(|at| bench.add(&format!("n{at}"), TriggerSet::GENERATION));
    }
    sleep(Duration::from_millis(4500)).await;
    let begun = benches.each_ref().map(|bench| bench.names().len());
    assert_eq!(begun.iter().sum::<usize>(), 10, "two in each second: {begun:?}");
    assert!(begun.iter().all(|begun| *begun >= 4), "neither waits for the end of the other: {begun:?}");
    sleep(Duration::from_secs(6)).await;
    assert_eq!(benches.each_ref().map(|bench| bench.names().len()), [10, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_free_slot_goes_to_the_most_urgent_key() {
    let config = slots(1);
    let busy = Bench::with(config.clone(), |_, _| a_second());
    let waiting = Bench::with(config, |_, _| a_second());
    busy.add("busy", TriggerSet::GENERATION);
    sleep(Duration::from_millis(100)).await;
    for (name, triggers) in
        [("timed", TriggerSet::RESYNC), ("related", TriggerSet::OWNED), ("changed", TriggerSet::DELETION)]
    {
        waiting.add(name, triggers);
        sleep(Duration::from_millis(100)).await;
    }
    sleep(Duration::from_secs(5)).await;
    assert_eq!(waiting.names(), ["changed", "related", "timed"]);
}

#[tokio::test(start_paused = true)]
async fn keys_that_back_off_hold_no_slot() {
    let config = slots(1);
    let fails = |_: &crate::queue::Key, _| async { Next::Retry { progressed: false, at_least: None } };
    let failing = Bench::with(config.clone(), fails);
    let healthy = Bench::with(config, |_, _| a_second());
    (0..50).for_each(|at| failing.add(&format!("n{at}"), TriggerSet::GENERATION));
    sleep(Duration::from_millis(10)).await;
    let figures = failing.queue.figures();
    assert_eq!((figures.running, figures.sleeping, figures.depth()), (0, 50, 0));
    healthy.add("a", TriggerSet::RESYNC);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(healthy.names().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn several_queues_share_one_retry_rate() {
    let rate = Rate::new(NonZeroU32::new(10).unwrap());
    let config = QueueConfig { rate, ..QueueConfig::default() };
    let fails = |_: &crate::queue::Key, nth| async move {
        if nth == 1 { Next::Retry { progressed: false, at_least: None } } else { Next::Await }
    };
    let benches = [Bench::with(config.clone(), fails), Bench::with(config, fails)];
    for bench in &benches {
        (0..50).for_each(|at| bench.add(&format!("n{at}"), TriggerSet::GENERATION));
    }
    sleep(Duration::from_millis(3500)).await;
    let retried: usize = benches.iter().map(|bench| bench.names().len() - 50).sum();
    assert!((20..=40).contains(&retried), "ten at once and ten per second after the first: {retried}");
    sleep(Duration::from_secs(10)).await;
    assert_eq!(benches.each_ref().map(|bench| bench.names().len()), [100, 100]);
}

#[tokio::test(start_paused = true)]
async fn wait_and_work_times_are_measured() {
    let config = QueueConfig { concurrency: NonZeroUsize::MIN, ..QueueConfig::default() };
    let bench = Bench::with(config, |_, _| a_second());
    (0..4).for_each(|at| bench.add(&format!("n{at}"), TriggerSet::GENERATION));
    sleep(Duration::from_secs(10)).await;
    let figures = bench.queue.figures();
    assert_eq!((figures.started, figures.ended, figures.running), (4, 4, 0));
    let seconds = [figures.waited, figures.longest, figures.worked].map(|time| time.as_secs());
    assert_eq!(seconds, [1 + 2 + 3, 3, 4]);
}

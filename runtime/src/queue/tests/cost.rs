//! The cost of the queue operations in steps, which does not depend on the number of keys.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::queue::state::{FinishedPass, KeyEntries};
use crate::queue::stats::QueueStats;
use crate::queue::{Key, Next, Rate, TriggerSet};
use crate::trigger::EnabledTriggers;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn key(at: usize) -> Key {
    Key::new(Some("default"), &format!("object-{at}"))
}

fn state() -> KeyEntries {
    KeyEntries::new(EnabledTriggers::default(), Rate::unlimited())
}

fn end(state: &mut KeyEntries, key: &Key, next: Next, now: Instant) {
    state.finish(key, FinishedPass { next, curve: Backoff::FAILURE, drawn: 0.5 }, now);
}

#[test]
fn taking_a_key_is_constant_time() {
    for size in SIZES {
        let (mut state, now) = (state(), Instant::now());
        (0..size).for_each(|at| state.add(&key(at), TriggerSet::APPEARED, now));
        // All of them run at the same time.
        let tasks: Vec<_> = std::iter::from_fn(|| state.take(now)).collect();
        assert_eq!((tasks.len(), state.figures().looked), (size, size as u64));
        tasks.iter().for_each(|task| end(&mut state, &task.key, Next::Await, now));
        assert_eq!(state.figures().looked, size as u64, "the end of a pass looks at no other");
        assert!(state.is_blank());
    }
}

#[test]
fn a_promoted_key_leaves_one_void_position_per_lane() {
    for size in SIZES {
        let (mut state, now) = (state(), Instant::now());
        for triggers in
            [TriggerSet::APPEARED, TriggerSet::OWNED, TriggerSet::GENERATION, TriggerSet::OWNED, TriggerSet::LABELS]
        {
            (0..size).for_each(|at| state.add(&key(at), triggers, now));
        }
        let taken = std::iter::from_fn(|| state.take(now)).count();
        assert_eq!((taken, state.figures().looked), (size, 3 * size as u64));
    }
}

#[test]
fn firing_a_timer_is_one_step_and_cancelling_none() {
    for size in SIZES {
        let (mut state, now) = (state(), Instant::now());
        (0..size).for_each(|at| state.add(&key(at), TriggerSet::APPEARED, now));
        while let Some(task) = state.take(now) {
            end(&mut state, &task.key, Next::After(Duration::from_secs(3600)), now);
        }
        let before = state.figures();
        assert_eq!((before.sleeping, before.depth(), before.running), (size, 0, 0), "they hold no slot");
        state.add(&key(7), TriggerSet::GENERATION, now);
        assert_eq!(state.figures().sleeping, size - 1);
        let later = now + Duration::from_secs(3600);
        state.enqueue_due(later);
        let QueueStats { looked, sleeping, waiting, .. } = state.figures();
        assert_eq!((looked - before.looked, sleeping, waiting), (size as u64 - 1, 0, [1, 0, size - 1]));
    }
}

#[test]
fn no_entry_is_inspected_while_nothing_is_due() {
    let (mut state, now) = (state(), Instant::now());
    (0..10_000).for_each(|at| state.add(&key(at), TriggerSet::APPEARED, now));
    while let Some(task) = state.take(now) {
        end(&mut state, &task.key, Next::After(Duration::from_secs(3600)), now);
    }
    let before = state.figures().looked;
    for second in 0..1000 {
        state.enqueue_due(now + Duration::from_secs(second));
    }
    assert_eq!(state.figures().looked, before);
}

#[test]
fn the_rate_limits_retries_but_not_changes() {
    let mut state = KeyEntries::new(EnabledTriggers::default(), Rate::new(NonZeroU32::new(100).unwrap()));
    let start = Instant::now();
    (0..1000).for_each(|at| state.add(&key(at), TriggerSet::GENERATION, start));
    while let Some(task) = state.take(start) {
        end(&mut state, &task.key, Next::Retry { progressed: false, at_least: None }, start);
    }
    let mut begun = Vec::new();
    for second in 1..=12 {
        let now = start + Duration::from_secs(second);
        state.enqueue_due(now);
        state.add(&key(2000), TriggerSet::LABELS, now);
        let tasks: Vec<_> = std::iter::from_fn(|| state.take(now)).collect();
        begun.push(tasks.len());
        tasks.iter().for_each(|task| end(&mut state, &task.key, Next::Await, now));
    }
    // A hundred retries run at once and a hundred more each second. The change always runs at once.
    assert_eq!(begun, [101, 101, 101, 101, 101, 101, 101, 101, 101, 101, 1, 1]);
    let figures = state.figures();
    assert_eq!((figures.deferred, figures.sleeping), (900, 0), "a retry is put off once");
}

//! The state of the queue, step by step.

use std::time::Duration;

use super::*;
use crate::backoff::Backoff;

const SECOND: Duration = Duration::from_secs(1);

fn key(name: &str) -> Key {
    Key::new(None, name)
}

fn ended(next: Next) -> FinishedPass {
    FinishedPass { next, curve: Backoff::FAILURE, drawn: 0.5 }
}

/// Starts and ends a pass of the key.
fn pass(state: &mut KeyEntries, name: &str, next: Next, now: Instant) {
    state.add(&key(name), TriggerSet::APPEARED, now);
    assert_eq!(state.take(now).map(|task| task.key), Some(key(name)));
    state.finish(&key(name), ended(next), now);
}

#[test]
fn a_key_added_again_retains_its_position() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    for (name, after) in [("a", 0), ("b", 1), ("a", 2)] {
        state.add(&key(name), TriggerSet::GENERATION, now + after * SECOND);
    }
    assert_eq!(state.figures().looked, 0);
    let names: Vec<Key> = std::iter::from_fn(|| state.take(now + 3 * SECOND)).map(|task| task.key).collect();
    assert_eq!(names, [key("a"), key("b")]);
    assert_eq!(state.figures().looked, 2, "no place was given up");
}

#[test]
fn failures_and_conflicts_count_as_retries() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    pass(&mut state, "a", Next::Await, now);
    pass(&mut state, "b", Next::After(SECOND), now);
    assert_eq!(state.figures().retried, 0);
    pass(&mut state, "c", Next::Retry { progressed: false, at_least: None }, now);
    assert_eq!(state.figures().retried, 1);
    pass(&mut state, "d", Next::Conflict { newer_than: "1".into() }, now);
    assert_eq!((state.figures().retried, state.figures().started, state.figures().ended), (2, 4, 4));
}

#[test]
fn no_timer_is_set_for_longer_than_a_year() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    pass(&mut state, "a", Next::After(Duration::MAX), now);
    assert_eq!(state.enqueue_due(now), Some(now + 366 * 24 * 3600 * SECOND));
}

#[test]
fn keys_of_unknown_objects_do_not_pile_up_while_a_replica_waits() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    let is_known = |key: &Key| key.name.starts_with("kept");
    for n in 0..100_000 {
        state.add(&key(&format!("gone-{n}")), TriggerSet::APPEARED, now);
        if n % 1_000 == 0 {
            state.add(&key(&format!("kept-{n}")), TriggerSet::APPEARED, now);
        }
        state.prune(is_known);
        assert!(state.depth() <= 1_100, "{}", state.depth());
    }
    let mut taken = Vec::new();
    while let Some(task) = state.take(now) {
        taken.extend(Some(task.key.to_string()).filter(|name| name.starts_with("kept")));
    }
    assert_eq!((taken.len(), &*taken[0], &*taken[99]), (100, "kept-0", "kept-99000"), "in order");
}

#[test]
fn an_idle_key_has_no_history() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    let retry = || Next::Retry { progressed: false, at_least: None };
    pass(&mut state, "a", retry(), now);
    state.add(&key("a"), TriggerSet::GENERATION, now);
    assert_eq!(state.take(now).map(|task| task.attempt.failures), Some(1));
    state.finish(&key("a"), ended(Next::After(SECOND)), now);
    state.enqueue_due(now + SECOND);
    assert_eq!(state.take(now + SECOND).map(|task| task.attempt), Some(Attempt::default()));
    state.finish(&key("a"), ended(Next::Await), now + SECOND);
    assert!(state.is_blank());
}

#[test]
fn a_position_left_for_a_better_one_is_void() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    state.add(&key("a"), TriggerSet::RESYNC, now);
    state.add(&key("a"), TriggerSet::GENERATION, now);
    assert_eq!(state.figures().waiting, [1, 0, 0]);
    assert_eq!(state.figures().added, 1, "it wanted a pass before");
    assert!(state.take(now).is_some());
    state.add(&key("a"), TriggerSet::RESYNC, now);
    assert!(state.take(now).is_none(), "the void place starts no second pass");
    assert_eq!(state.figures().looked, 2);
    state.finish(&key("a"), ended(Next::Await), now);
    assert!(state.take(now).is_some());
    assert_eq!((state.figures().added, state.figures().looked), (2, 3));
}

#[test]
fn only_a_new_generation_moves_a_pending_retry() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    let retry = || Next::Retry { progressed: false, at_least: Some(60 * SECOND) };
    let due = |state: &mut KeyEntries, triggers: TriggerSet, at: Instant| {
        state.add(&key("a"), triggers, at);
        assert!(state.take(at).is_some());
        state.finish(&key("a"), ended(retry()), at);
        state.enqueue_due(at).map(|due| due - now)
    };
    assert_eq!(due(&mut state, TriggerSet::APPEARED, now), Some(60 * SECOND));
    let later = now + 30 * SECOND;
    state.add(&key("a"), TriggerSet::GENERATION, later);
    assert_eq!(state.take(later).map(|task| task.attempt.failures), Some(1));
    state.finish(&key("a"), ended(Next::Retry { progressed: false, at_least: None }), later);
    state.add(&key("a"), TriggerSet::APPEARED, later);
    assert_eq!(state.take(later).map(|task| task.attempt.failures), Some(1), "the curve began anew");
}

#[test]
fn unhandled_triggers_are_retained_for_the_next_pass() {
    let conflict = || Next::Conflict { newer_than: "1".into() };
    let later = || Next::Later(60 * SECOND);
    let undone = || Next::NotStarted { at_least: None };
    let (spec, both) = (TriggerSet::GENERATION, TriggerSet::GENERATION | TriggerSet::TRIGGERED);
    for (ran, next, owed) in [
        (spec, conflict(), spec),
        (both, later(), both),
        // The cluster still has the spec, but only the queue knows of the external trigger.
        (both, undone(), TriggerSet::TRIGGERED),
        (both, Next::After(60 * SECOND), TriggerSet::NONE),
        (both, Next::Retry { progressed: false, at_least: None }, TriggerSet::NONE),
    ] {
        for added_while_running in [true, false] {
            let (mut state, now) = (KeyEntries::default(), Instant::now());
            state.add(&key("a"), ran, now);
            assert!(state.take(now).is_some());
            if added_while_running {
                state.add(&key("a"), TriggerSet::OWNED, now);
            }
            state.finish(&key("a"), ended(next.clone()), now);
            state.add(&key("a"), TriggerSet::OWNED, now);
            let triggers = state.take(now).map(|task| task.triggers);
            assert_eq!(triggers, Some(TriggerSet::OWNED | owed), "{next:?}, {added_while_running}");
        }
    }
}

#[test]
fn a_failed_due_retry_waits_again() {
    let (mut state, now) = (KeyEntries::default(), Instant::now());
    let retry = || Next::Retry { progressed: false, at_least: None };
    pass(&mut state, "a", retry(), now);
    let due = state.enqueue_due(now).unwrap();
    state.enqueue_due(due);
    assert!(state.take(due).is_some());
    state.finish(&key("a"), ended(retry()), due);
    assert!(state.enqueue_due(due).is_some_and(|next| next > due));
}

#[test]
fn progress_or_a_new_generation_resets_the_backoff() {
    let curve = Backoff::FAST;
    for along in [false, true] {
        let failed = |progressed| match along {
            true => Next::RetryAlong { progressed, curve, at_least: None },
            false => Next::Retry { progressed, at_least: None },
        };
        for (progressed, trigger, failures) in
            [(false, TriggerSet::APPEARED, 3), (true, TriggerSet::APPEARED, 1), (false, TriggerSet::GENERATION, 1)]
        {
            let (mut state, mut now) = (KeyEntries::default(), Instant::now());
            for _ in 0..2 {
                pass(&mut state, "a", failed(false), now);
                now += 3600 * SECOND;
            }
            state.enqueue_due(now);
            state.add(&key("a"), trigger, now);
            assert!(state.take(now).is_some());
            state.finish(&key("a"), ended(failed(progressed)), now);
            state.add(&key("a"), TriggerSet::APPEARED, now);
            let counted = state.take(now).map(|task| task.attempt.failures);
            assert_eq!(counted, Some(failures), "{along} {progressed} {trigger}");
        }
    }
}

fn debounced() -> KeyEntries {
    KeyEntries { debounce: Some(2 * SECOND), ..KeyEntries::default() }
}

/// Adds these changes of one key, and returns when its passes began and why.
fn passes(changes: &[(u64, TriggerSet)]) -> Vec<(u64, TriggerSet)> {
    let (mut state, start, mut begun) = (debounced(), Instant::now(), Vec::new());
    for at in 0..30_u64 {
        let now = start + u32::try_from(at).unwrap() * SECOND;
        changes.iter().filter(|(when, _)| *when == at).for_each(|(_, why)| state.add_event(&key("a"), *why, now));
        state.enqueue_due(now);
        while let Some(task) = state.take(now) {
            begun.push((at, task.triggers));
            state.finish(&key("a"), ended(Next::Await), now);
        }
    }
    assert!(state.is_blank());
    begun
}

#[test]
fn changes_in_the_debounce_window_run_one_pass_at_its_end() {
    let (spec, labels) = (TriggerSet::GENERATION, TriggerSet::LABELS);
    assert_eq!(passes(&[(0, spec)]), [(2, spec)]);
    assert_eq!(passes(&[(0, spec), (1, labels)]), [(2, spec | labels)]);
    assert_eq!(passes(&[(0, spec), (2, labels), (5, spec)]), [(2, spec | labels), (7, spec)]);
    // A change each second does not defer the pass for ever.
    let steady: Vec<_> = (0..12).map(|at| (at, spec)).collect();
    assert_eq!(passes(&steady).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [2, 5, 8, 11]);
}

#[test]
fn a_request_or_a_deletion_ends_the_debounce_window() {
    for urgent in [TriggerSet::REQUESTED, TriggerSet::DELETION, TriggerSet::TRIGGERED] {
        let spec = TriggerSet::GENERATION;
        assert_eq!(passes(&[(0, spec), (1, urgent)]), [(1, spec | urgent)]);
        assert_eq!(passes(&[(0, urgent)]), [(0, urgent)]);
    }
}

#[test]
fn a_change_during_a_pass_waits_for_the_debounce_window() {
    let (mut state, now) = (debounced(), Instant::now());
    state.add_event(&key("a"), TriggerSet::REQUESTED, now);
    assert!(state.take(now).is_some());
    state.add_event(&key("a"), TriggerSet::OWNED, now);
    state.finish(&key("a"), ended(Next::After(60 * SECOND)), now + SECOND);
    assert!(state.take(now + SECOND).is_none());
    assert_eq!(state.enqueue_due(now + 2 * SECOND), Some(now + 3 * SECOND));
    state.enqueue_due(now + 3 * SECOND);
    assert_eq!(state.take(now + 3 * SECOND).map(|task| task.triggers), Some(TriggerSet::OWNED));
}

#[test]
fn an_earlier_timer_takes_a_debounced_change_along() {
    let (mut state, now) = (debounced(), Instant::now());
    pass(&mut state, "a", Next::After(SECOND), now);
    state.add_event(&key("a"), TriggerSet::OWNED, now);
    assert_eq!(state.enqueue_due(now), Some(now + SECOND));
    state.enqueue_due(now + SECOND);
    let both = TriggerSet::OWNED | TriggerSet::RESYNC;
    assert_eq!(state.take(now + SECOND).map(|task| task.triggers), Some(both));
    // A later one is replaced.
    state.finish(&key("a"), ended(Next::After(60 * SECOND)), now + SECOND);
    state.add_event(&key("a"), TriggerSet::OWNED, now + SECOND);
    assert_eq!(state.enqueue_due(now + SECOND), Some(now + 3 * SECOND));
}

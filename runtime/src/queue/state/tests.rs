//! The state of the queue, step by step.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn key(name: &str) -> Key {
    Key::new(None, name)
}

fn ended(next: Next) -> Ended {
    Ended { next, curve: Curve::FAILURE, drawn: 0.5 }
}

/// The key's pass begins and ends.
fn pass(state: &mut State, name: &str, next: Next, now: Instant) {
    state.add(&key(name), Causes::APPEARED, now);
    assert_eq!(state.take(now).map(|task| task.key), Some(key(name)));
    state.finish(&key(name), ended(next), now);
}

#[test]
fn a_key_that_is_wanted_again_keeps_its_turn() {
    let (mut state, now) = (State::default(), Instant::now());
    for (name, after) in [("a", 0), ("b", 1), ("a", 2)] {
        state.add(&key(name), Causes::GENERATION, now + after * SECOND);
    }
    assert_eq!(state.figures().looked, 0);
    let names: Vec<Key> = std::iter::from_fn(|| state.take(now + 3 * SECOND)).map(|task| task.key).collect();
    assert_eq!(names, [key("a"), key("b")]);
    assert_eq!(state.figures().looked, 2, "no place was given up");
}

#[test]
fn failures_and_conflicts_are_counted_as_tries_to_come() {
    let (mut state, now) = (State::default(), Instant::now());
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
    let (mut state, now) = (State::default(), Instant::now());
    pass(&mut state, "a", Next::After(Duration::MAX), now);
    assert_eq!(state.wake(now), Some(now + 366 * 24 * 3600 * SECOND));
}

//! The state against a naive model that keeps lists and scans them, over long runs of chance.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use tokio::time::Instant;

use crate::queue::backoff::Curve;
use crate::queue::priority::PATIENCE;
use crate::queue::state::{Ended, State};
use crate::queue::{Attempt, Causes, Key, Next, Rate};
use crate::trigger::List;

const CASES: u64 = 200;
const STEPS: usize = 400;
const KEYS: usize = 6;

/// What the model knows of a key.
#[derive(Clone, Debug, Default)]
struct Naive {
    causes: Causes,
    /// Its place: until when it is overtaken, the reverse of its lane, when it was given.
    place: Option<(Instant, u8, u64)>,
    runnable: Option<Instant>,
    running: Option<(Causes, Instant)>,
    /// When, which, why, and what is owed whatever wakes it.
    timer: Option<(Instant, u64, Causes, Causes)>,
    retry_at: Option<Instant>,
    attempt: Attempt,
}

#[derive(Debug, Default)]
struct Model {
    keys: BTreeMap<usize, Naive>,
    events: u64,
    waited: Duration,
    worked: Duration,
    started: u64,
}

impl Model {
    fn add(&mut self, at: usize, causes: Causes, now: Instant) {
        let key = self.keys.entry(at).or_default();
        key.causes = key.causes | causes;
        self.queue(at, now);
    }

    fn queue(&mut self, at: usize, now: Instant) {
        self.events += 1;
        let key = self.keys.entry(at).or_default();
        if key.running.is_some() {
            return;
        }
        key.causes = key.causes | key.timer.take().map_or(Causes::NONE, |(.., owed)| owed);
        key.runnable.get_or_insert(now);
        let lane = key.causes.urgency() as u8;
        let place = (now + PATIENCE[usize::from(lane)], 2 - lane, self.events);
        if key.place.is_none_or(|held| place.0 < held.0) {
            key.place = Some(place);
        }
    }

    fn wake(&mut self, now: Instant) {
        loop {
            let timers = self.keys.iter().filter_map(|(at, key)| key.timer.map(|(due, number, ..)| (due, number, *at)));
            let Some((_, _, at)) = timers.filter(|(due, ..)| *due <= now).min() else { return };
            let (_, _, causes, owed) = self.keys.get_mut(&at).and_then(|key| key.timer.take()).unwrap();
            self.add(at, causes | owed, now);
        }
    }

    fn take(&mut self, now: Instant) -> Option<(usize, Causes, Attempt)> {
        let queued = self.keys.iter().filter_map(|(at, key)| key.place.map(|place| (place, *at)));
        let (_, at) = queued.min()?;
        let key = self.keys.get_mut(&at)?;
        let causes = std::mem::take(&mut key.causes);
        key.place = None;
        key.running = Some((causes, now));
        self.started += 1;
        self.waited += now - key.runnable.take().unwrap();
        Some((at, causes, key.attempt))
    }

    fn finish(&mut self, at: usize, next: &Next, now: Instant) {
        self.events += 1;
        let key = self.keys.get_mut(&at).unwrap();
        let (ran, since) = key.running.take().unwrap();
        self.worked += now - since;
        let timer = match next {
            Next::After(delay) => {
                (key.attempt, key.retry_at) = (Attempt::default(), None);
                Some((now + *delay, self.events, Causes::RESYNC, Causes::NONE))
            }
            Next::Later(delay) => {
                let retry = key.retry_at.filter(|at| *at < now + *delay);
                let (at, causes) = retry.map_or((now + *delay, Causes::NONE), |at| (at, Causes::RETRY));
                Some((at, self.events, causes, ran))
            }
            Next::Conflict { .. } => {
                let delay = Curve::CONFLICT.ceiling(key.attempt.conflicts);
                key.attempt.conflicts += 1;
                Some((now + delay, self.events, Causes::NONE, ran))
            }
            Next::Undone { .. } => {
                key.attempt.conflicts = 0;
                if key.retry_at.is_none_or(|at| at <= now) {
                    key.retry_at = Some(now + Curve::FAILURE.ceiling(key.attempt.failures));
                    key.attempt.failures += 1;
                }
                key.retry_at.map(|at| (at, self.events, Causes::RETRY, ran.both(Causes::FLEETING)))
            }
            Next::Retry { .. } => {
                let anew = ran.contains(Causes::GENERATION);
                key.attempt = Attempt { failures: if anew { 0 } else { key.attempt.failures }, conflicts: 0 };
                if anew || key.retry_at.is_none_or(|at| at <= now) {
                    key.retry_at = Some(now + Curve::FAILURE.ceiling(key.attempt.failures));
                    key.attempt.failures += 1;
                }
                key.retry_at.map(|at| (at, self.events, Causes::RETRY, Causes::NONE))
            }
            _ => {
                (key.attempt, key.retry_at) = (Attempt::default(), None);
                None
            }
        };
        if !key.causes.is_empty() {
            key.causes = key.causes | timer.map_or(Causes::NONE, |(.., owed)| owed);
            self.queue(at, now);
        } else if timer.is_some() {
            key.timer = timer;
        } else {
            self.keys.remove(&at);
        }
    }

    fn running(&self) -> Vec<usize> {
        self.keys.iter().filter(|(_, key)| key.running.is_some()).map(|(at, _)| *at).collect()
    }
}

fn key(at: usize) -> Key {
    Key::new(None, &at.to_string())
}

fn causes(rng: &mut StdRng) -> Causes {
    let some = [Causes::GENERATION, Causes::LABELS, Causes::OWNED, Causes::WATCHED, Causes::APPEARED, Causes::RESYNC];
    *some.choose(rng).unwrap()
}

fn next(rng: &mut StdRng) -> Next {
    match rng.random_range(0..6) {
        0 => Next::Await,
        1 => Next::Later(Duration::from_secs(rng.random_range(0..20))),
        2 => Next::After(Duration::from_secs(rng.random_range(0..20))),
        3 => Next::Conflict { newer_than: "1".into() },
        4 => Next::Undone { at_least: None },
        _ => Next::Retry { progressed: false, at_least: None },
    }
}

/// The numbers agree, too, at every step.
fn compare(state: &State, model: &Model) {
    let figures = state.figures();
    let count = |of: fn(&Naive) -> bool| model.keys.values().filter(|key| of(key)).count();
    assert_eq!(figures.depth(), count(|key| key.place.is_some()));
    assert_eq!(figures.running, count(|key| key.running.is_some()));
    assert_eq!(figures.sleeping, count(|key| key.timer.is_some()));
    assert_eq!((figures.started, figures.waited, figures.worked), (model.started, model.waited, model.worked));
    assert_eq!(figures.ended, figures.started - figures.running as u64);
}

fn run(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut state, mut model) = (State::new(List::default(), Rate::unlimited()), Model::default());
    let mut now = Instant::now();
    for step in 0..STEPS {
        let what = rng.random_range(0..10);
        match what {
            0..4 => {
                let (at, causes) = (rng.random_range(0..KEYS), causes(&mut rng));
                state.add(&key(at), causes, now);
                model.add(at, causes, now);
            }
            4..7 => {
                let (task, expected) = (state.take(now), model.take(now));
                let task = task.map(|task| (task.key, task.causes, task.attempt));
                let expected = expected.map(|(at, causes, attempt)| (key(at), causes, attempt));
                assert_eq!(task, expected, "seed {seed}, step {step}");
            }
            7..9 => {
                if let Some(at) = model.running().choose(&mut rng) {
                    let next = next(&mut rng);
                    model.finish(*at, &next, now);
                    state.finish(&key(*at), Ended { next, curve: Curve::FAILURE, drawn: 0.0 }, now);
                }
            }
            _ => {
                now += Duration::from_millis(rng.random_range(0..8000));
                let due = state.wake(now);
                model.wake(now);
                assert_eq!(due, model.keys.values().filter_map(|key| key.timer.map(|timer| timer.0)).min());
            }
        }
        compare(&state, &model);
    }
}

#[test]
fn the_state_does_what_the_naive_model_does() {
    (0..CASES).for_each(run);
}

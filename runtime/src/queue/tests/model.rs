//! The state against a naive model that keeps lists and scans them, over long runs of chance.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel_random_cases::{Choices, each};
use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::queue::priority::PATIENCE;
use crate::queue::state::{FinishedPass, KeyEntries};
use crate::queue::{Attempt, Key, Next, Rate, TriggerSet};
use crate::trigger::EnabledTriggers;

const CASES: u64 = 200;
const STEPS: usize = 400;
const KEYS: usize = 6;

/// What the model knows of a key.
#[derive(Clone, Debug, Default)]
struct Naive {
    triggers: TriggerSet,
    /// Its place: until when it is overtaken, the reverse of its lane, when it was given.
    place: Option<(Instant, u8, u64)>,
    runnable: Option<Instant>,
    running: Option<(TriggerSet, Instant)>,
    /// When, which, why, and what is owed whatever wakes it.
    timer: Option<(Instant, u64, TriggerSet, TriggerSet)>,
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
    fn add(&mut self, at: usize, triggers: TriggerSet, now: Instant) {
        let key = self.keys.entry(at).or_default();
        key.triggers = key.triggers | triggers;
        self.queue(at, now);
    }

    fn queue(&mut self, at: usize, now: Instant) {
        self.events += 1;
        let key = self.keys.entry(at).or_default();
        if key.running.is_some() {
            return;
        }
        key.triggers = key.triggers | key.timer.take().map_or(TriggerSet::NONE, |(.., owed)| owed);
        key.runnable.get_or_insert(now);
        let lane = key.triggers.urgency() as u8;
        let place = (now + PATIENCE[usize::from(lane)], 2 - lane, self.events);
        if key.place.is_none_or(|held| place.0 < held.0) {
            key.place = Some(place);
        }
    }

    fn enqueue_due(&mut self, now: Instant) {
        loop {
            let timers = self.keys.iter().filter_map(|(at, key)| key.timer.map(|(due, number, ..)| (due, number, *at)));
            let Some((_, _, at)) = timers.filter(|(due, ..)| *due <= now).min() else { return };
            let (_, _, triggers, owed) = self.keys.get_mut(&at).and_then(|key| key.timer.take()).unwrap();
            self.add(at, triggers | owed, now);
        }
    }

    fn take(&mut self, now: Instant) -> Option<(usize, TriggerSet, Attempt)> {
        let queued = self.keys.iter().filter_map(|(at, key)| key.place.map(|place| (place, *at)));
        let (_, at) = queued.min()?;
        let key = self.keys.get_mut(&at)?;
        let triggers = std::mem::take(&mut key.triggers);
        key.place = None;
        key.running = Some((triggers, now));
        self.started += 1;
        self.waited += now - key.runnable.take().unwrap();
        Some((at, triggers, key.attempt))
    }

    fn finish(&mut self, at: usize, next: &Next, now: Instant) {
        self.events += 1;
        let key = self.keys.get_mut(&at).unwrap();
        let (ran, since) = key.running.take().unwrap();
        self.worked += now - since;
        let timer = match next {
            Next::After(delay) => {
                (key.attempt, key.retry_at) = (Attempt::default(), None);
                Some((now + *delay, self.events, TriggerSet::RESYNC, TriggerSet::NONE))
            }
            Next::Later(delay) => {
                let retry = key.retry_at.filter(|at| *at < now + *delay);
                let (at, triggers) = retry.map_or((now + *delay, TriggerSet::NONE), |at| (at, TriggerSet::RETRY));
                Some((at, self.events, triggers, ran))
            }
            Next::Conflict { .. } => {
                let delay = Backoff::CONFLICT.ceiling(key.attempt.conflicts);
                key.attempt.conflicts += 1;
                Some((now + delay, self.events, TriggerSet::NONE, ran))
            }
            Next::NotStarted { .. } => {
                key.attempt.conflicts = 0;
                if key.retry_at.is_none_or(|at| at <= now) {
                    key.retry_at = Some(now + Backoff::FAILURE.ceiling(key.attempt.failures));
                    key.attempt.failures += 1;
                }
                key.retry_at.map(|at| (at, self.events, TriggerSet::RETRY, ran.both(TriggerSet::TRANSIENT_TRIGGERS)))
            }
            Next::Retry { .. } => {
                let anew = ran.contains(TriggerSet::GENERATION);
                key.attempt = Attempt { failures: if anew { 0 } else { key.attempt.failures }, conflicts: 0 };
                if anew || key.retry_at.is_none_or(|at| at <= now) {
                    key.retry_at = Some(now + Backoff::FAILURE.ceiling(key.attempt.failures));
                    key.attempt.failures += 1;
                }
                key.retry_at.map(|at| (at, self.events, TriggerSet::RETRY, TriggerSet::NONE))
            }
            _ => {
                (key.attempt, key.retry_at) = (Attempt::default(), None);
                None
            }
        };
        if !key.triggers.is_empty() {
            key.triggers = key.triggers | timer.map_or(TriggerSet::NONE, |(.., owed)| owed);
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

fn triggers(choices: &mut Choices) -> TriggerSet {
    let some = [
        TriggerSet::GENERATION,
        TriggerSet::LABELS,
        TriggerSet::OWNED,
        TriggerSet::WATCHED,
        TriggerSet::APPEARED,
        TriggerSet::RESYNC,
    ];
    choices.pick(&some)
}

fn next(choices: &mut Choices) -> Next {
    match choices.range(0..6) {
        0 => Next::Await,
        1 => Next::Later(Duration::from_secs(choices.range(0..20))),
        2 => Next::After(Duration::from_secs(choices.range(0..20))),
        3 => Next::Conflict { newer_than: "1".into() },
        4 => Next::NotStarted { at_least: None },
        _ => Next::Retry { progressed: false, at_least: None },
    }
}

/// The numbers agree, too, at every step.
fn compare(state: &KeyEntries, model: &Model) {
    let figures = state.figures();
    let count = |of: fn(&Naive) -> bool| model.keys.values().filter(|key| of(key)).count();
    assert_eq!(figures.depth(), count(|key| key.place.is_some()));
    assert_eq!(figures.running, count(|key| key.running.is_some()));
    assert_eq!(figures.sleeping, count(|key| key.timer.is_some()));
    assert_eq!((figures.started, figures.waited, figures.worked), (model.started, model.waited, model.worked));
    assert_eq!(figures.ended, figures.started - figures.running as u64);
}

fn run(choices: &mut Choices) {
    let (mut state, mut model) = (KeyEntries::new(EnabledTriggers::default(), Rate::unlimited()), Model::default());
    let mut now = Instant::now();
    for step in 0..STEPS {
        if choices.are_over() {
            break;
        }
        match choices.range(0..10) {
            0..4 => {
                let (at, triggers) = (choices.range(0..KEYS), triggers(choices));
                state.add(&key(at), triggers, now);
                model.add(at, triggers, now);
            }
            4..7 => {
                let (task, expected) = (state.take(now), model.take(now));
                let task = task.map(|task| (task.key, task.triggers, task.attempt));
                let expected = expected.map(|(at, triggers, attempt)| (key(at), triggers, attempt));
                assert_eq!(task, expected, "step {step}");
            }
            7..9 => {
                let running = model.running();
                if !running.is_empty() {
                    let (at, next) = (choices.pick(&running), next(choices));
                    model.finish(at, &next, now);
                    state.finish(&key(at), FinishedPass { next, curve: Backoff::FAILURE, drawn: 0.0 }, now);
                }
            }
            _ => {
                now += Duration::from_millis(choices.range(0..8000));
                let due = state.enqueue_due(now);
                model.enqueue_due(now);
                assert_eq!(due, model.keys.values().filter_map(|key| key.timer.map(|timer| timer.0)).min());
            }
        }
        compare(&state, &model);
    }
}

#[test]
fn the_state_does_what_the_naive_model_does() {
    each(CASES, run);
}

//! How a failing sequence is shrunk: numbers are left out, then lowered, until neither keeps the failure.

use std::cell::RefCell;
use std::rc::Rc;

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::choices::{Choices, Draw, Sequence};

/// Up to this count, all counts of numbers are left out in turn: a step of a scenario draws a few.
const STEP: usize = 8;

/// Sequences of random numbers.
#[derive(Debug)]
pub(crate) struct Sequences {
    /// The number of attempts to simplify a failing one.
    pub(crate) attempts: u32,
}

impl Strategy for Sequences {
    type Tree = Shrinking;
    type Value = Choices;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let sequence = Sequence { source: Some(runner.new_rng()), ..Sequence::default() };
        Ok(Shrinking {
            sequence: Rc::new(RefCell::new(sequence)),
            current: Vec::new(),
            best: Vec::new(),
            values: Vec::new(),
            attempts: self.attempts,
            next: Attempt::Start,
            gains: false,
        })
    }
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    /// The sequence as it was generated.
    Start,
    /// The best one without `count` numbers, the last of which is before `end`.
    Without { count: usize, end: usize },
    /// The best one with another value at this place: at least `low`, less than `high`.
    Lower { at: usize, low: u64, high: u64 },
}

/// A failing sequence while it is shrunk. Each better one is shorter, or has a lower number, so that this ends.
#[derive(Debug)]
pub(crate) struct Shrinking {
    /// Of the current attempt, shared with the `Choices` of the test.
    sequence: Rc<RefCell<Sequence>>,
    /// The numbers of the current attempt, unless it is the first.
    current: Vec<u32>,
    /// The simplest numbers that fail, and what they were drawn for.
    best: Vec<u32>,
    values: Vec<Draw>,
    attempts: u32,
    next: Attempt,
    /// Whether an attempt succeeded since numbers were last left out.
    gains: bool,
}

/// In the middle, but the simplest value first.
fn lower(low: u64, high: u64) -> u64 {
    if low == 0 { 0 } else { low + (high - low) / 2 }
}

/// The lowest number that gives this value.
fn number(value: u64, values: u64) -> u32 {
    u32::try_from((value << 32).div_ceil(values)).unwrap_or(u32::MAX)
}

impl ValueTree for Shrinking {
    type Value = Choices;

    fn current(&self) -> Choices {
        if !matches!(self.next, Attempt::Start) {
            *self.sequence.borrow_mut() = Sequence { numbers: self.current.clone(), ..Sequence::default() };
        }
        Choices::new(self.sequence.clone())
    }

    /// `current` fails: it is the best one now.
    fn simplify(&mut self) -> bool {
        let Sequence { numbers, draws, .. } = self.sequence.take();
        (self.best, self.values) = (numbers, draws);
        self.best.truncate(self.values.len());
        let length = self.best.len();
        self.gains = !matches!(self.next, Attempt::Start);
        self.next = match self.next {
            Attempt::Start => Attempt::Without { count: length / 2, end: length },
            Attempt::Without { count, end } => Attempt::Without { count, end: (end - count).min(length) },
            Attempt::Lower { at, low, high } => Attempt::Lower { at, low, high: lower(low, high) },
        };
        self.attempt()
    }

    /// `current` passes.
    fn complicate(&mut self) -> bool {
        self.next = match self.next {
            Attempt::Without { count, end } => Attempt::Without { count, end: end - count.div_ceil(STEP) },
            Attempt::Lower { at, low, high } => Attempt::Lower { at, low: lower(low, high) + 1, high },
            Attempt::Start => return false,
        };
        self.attempt()
    }
}

impl Shrinking {
    /// Makes `current` the next attempt; without one, `current` is the best sequence.
    fn attempt(&mut self) -> bool {
        self.current.clone_from(&self.best);
        while self.attempts > 0 {
            match self.next {
                Attempt::Without { count, end } if count > 0 && count <= end => {
                    self.current.drain(end - count..end);
                    self.attempts -= 1;
                    return true;
                }
                Attempt::Lower { at, low, high } if low < high && at < self.values.len() => {
                    self.current[at] = number(lower(low, high), self.values[at].values);
                    self.attempts -= 1;
                    return true;
                }
                Attempt::Start => return false,
                done => match self.after(done) {
                    Some(next) => self.next = next,
                    None => return false,
                },
            }
        }
        false
    }

    fn after(&mut self, done: Attempt) -> Option<Attempt> {
        let lower = |at: usize| self.values.get(at).map(|draw| Attempt::Lower { at, low: 0, high: draw.value });
        let end = self.best.len();
        match done {
            Attempt::Without { count, .. } if count > STEP => Some(Attempt::Without { count: count / 2, end }),
            Attempt::Without { count, .. } if count > 1 => Some(Attempt::Without { count: count - 1, end }),
            Attempt::Lower { at, .. } if at + 1 < end => lower(at + 1),
            Attempt::Lower { .. } if std::mem::take(&mut self.gains) => Some(Attempt::Without { count: end / 2, end }),
            Attempt::Lower { .. } | Attempt::Start => None,
            Attempt::Without { .. } => lower(0),
        }
    }
}

//! A sequence of random numbers, from which generators draw their values.

use std::cell::RefCell;
use std::fmt::Debug;
use std::ops::Range;
use std::rc::Rc;

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// What a number of the sequence was used for: one of so many values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) value: u64,
    pub(crate) values: u64,
}

/// The numbers, and what was drawn from them.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    pub(crate) numbers: Vec<u32>,
    /// Where further numbers come from; without it the numbers end.
    pub(crate) source: Option<TestRng>,
    pub(crate) draws: Vec<Draw>,
}

impl Sequence {
    fn next(&mut self) -> Option<u32> {
        let at = self.draws.len();
        if let (true, Some(source)) = (at == self.numbers.len(), &mut self.source) {
            self.numbers.push(source.next_u32());
        }
        self.numbers.get(at).copied()
    }
}

/// A sequence of random numbers, from which generators draw their values. While a failing case is shrunk, it ends, and
/// all numbers after its end are 0.
///
/// The number 0 is the simplest value of each method: the start of a range, the first of a list, `false`, the given
/// order. Larger numbers are larger values.
#[derive(Debug)]
pub struct Choices {
    sequence: Rc<RefCell<Sequence>>,
    prints: bool,
}

impl Choices {
    pub(crate) fn new(sequence: Rc<RefCell<Sequence>>) -> Self {
        Self { sequence, prints: false }
    }

    /// From now on, prints each value that is drawn.
    pub(crate) fn print(&mut self) {
        print!("its choices:");
        self.prints = true;
    }

    /// Whether the sequence has ended. A test of many steps stops here, so that it shrinks to few.
    #[must_use]
    pub fn are_over(&self) -> bool {
        let sequence = self.sequence.borrow();
        sequence.source.is_none() && sequence.draws.len() >= sequence.numbers.len()
    }

    fn draw(&mut self, values: u64, value: impl FnOnce(u64) -> u64) -> u64 {
        let mut sequence = self.sequence.borrow_mut();
        let Some(number) = sequence.next() else { return 0 };
        let value = value(u64::from(number));
        sequence.draws.push(Draw { value, values });
        value
    }

    fn show(&self, drawn: &impl Debug) {
        if self.prints {
            print!(" {drawn:?}");
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.draw(end, |number| (number * end) >> 32)
    }

    /// A number of the range.
    ///
    /// # Panics
    /// When the range is empty, or begins below 0.
    pub fn range<N: Copy + Debug + TryFrom<u64> + TryInto<u64>>(&mut self, range: Range<N>) -> N {
        let [start, end] = [range.start, range.end].map(|bound| bound.try_into().ok().expect("0 or more"));
        assert!(start < end, "a range with numbers in it");
        let chosen = N::try_from(start + self.below(end - start)).ok().expect("a number between two others");
        self.show(&chosen);
        chosen
    }

    /// One of the list.
    ///
    /// # Panics
    /// When the list is empty.
    pub fn pick<T: Clone + Debug>(&mut self, list: &[T]) -> T {
        let place = self.below(list.len() as u64);
        let chosen = usize::try_from(place).ok().and_then(|place| list.get(place)).expect("a list with items").clone();
        self.show(&chosen);
        chosen
    }

    /// `true` with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        let numbers = f64::from(u32::MAX) + 1.0;
        let chosen = self.draw(2, |number| u64::from(number as f64 >= (1.0 - probability) * numbers)) == 1;
        self.show(&chosen);
        chosen
    }

    /// Puts the items in any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in 1..items.len() {
            items.swap(at - 1, self.range(at - 1..items.len()));
        }
    }
}

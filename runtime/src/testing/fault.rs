//! For our own tests: operators with a hole in the list of causes, to show that each cause is needed, and the queue and what is kept of
//! objects by themselves, to count what they cost. The feature `sabotage` is no part of the API.

use crate::operator::Operator;
pub use crate::queue::{Bare, Taken, requeued};
use crate::trigger::List;
use crate::watch::hold;
use crate::wiring::Cache;

/// The words of all causes, in the order of the list.
pub fn causes() -> impl Iterator<Item = &'static str> {
    List::words()
}

/// What is kept of objects that a watch delivers in these words.
///
/// # Panics
/// When one of them is no object.
pub fn kept(cache: Cache, texts: &[String]) -> impl Send + use<> {
    hold(cache, texts)
}

impl Operator {
    /// Takes a cause out of the event filter and the short-circuit.
    pub fn without_cause(mut self, word: &str) -> Self {
        self.causes.take_out(word);
        self
    }

    /// Runs the body of every pass, and a pass for every event of the reconciled kind.
    pub fn without_short_circuit(mut self) -> Self {
        self.causes.always_run();
        self
    }

    /// A pass only looks the object up, as a bare closure would: what the rest of a pass costs is the difference.
    pub fn without_pass(mut self) -> Self {
        self.causes.only_look_up();
        self
    }
}

//! Sequences of what may happen to widgets, played in virtual time, to compare one operator with another.

mod chance;
mod run;
mod snapshot;
mod step;

pub use self::chance::sequence;
pub use self::run::{Played, play};
pub use self::step::Step;

/// The first step after which the two differ, and how.
#[must_use]
pub fn difference(one: &Played, other: &Played) -> Option<(usize, String)> {
    let differs = |at: &usize| one.states[*at] != other.states[*at];
    if let Some(at) = (0..one.states.len()).find(differs) {
        return Some((at, format!("{:#}\nagainst {:#}", one.states[at], other.states[at])));
    }
    let effects = || format!("effects {:?}\nagainst {:?}", one.effects, other.effects);
    (one.effects != other.effects).then(|| (one.states.len() - 1, effects()))
}

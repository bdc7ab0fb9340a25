//! Groups: the conditions of one rank.

use std::borrow::Cow;

use super::ranking::{Rank, Verdict};
use super::source::Source;
use super::{Condition, Polarity};

/// A condition in scope, and the object that has it.
#[derive(Clone, Debug)]
pub struct Member<'m> {
    /// The condition; one that was made up stands for a declared one that is missing.
    pub condition: Cow<'m, Condition>,
    /// Which status of it is the good one.
    pub polarity: Polarity,
    /// The object.
    pub source: Source<'m>,
}

/// The conditions of one rank.
#[derive(Clone, Debug)]
pub struct Group<'m> {
    pub(super) rank: Rank,
    /// What they all say.
    pub verdict: Verdict,
    /// They, in the order in which they were found; in the first group in the [order of a list](super::compare), then by name of the
    /// object.
    pub members: Vec<Member<'m>>,
}

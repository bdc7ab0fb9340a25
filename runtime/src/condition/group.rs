//! Groups of conditions with the same rank.

use std::borrow::Cow;

use super::ranking::{Rank, Verdict};
use super::source::Source;
use super::{Condition, Polarity};

/// A condition in scope, with its object.
#[derive(Clone, Debug)]
pub struct Member<'m> {
    /// The condition. A declared condition that is missing is replaced with a generated one.
    pub condition: Cow<'m, Condition>,
    /// The status of the condition that is good.
    pub polarity: Polarity,
    /// The object of the condition.
    pub source: Source<'m>,
}

/// Conditions with the same rank.
#[derive(Clone, Debug)]
pub struct Group<'m> {
    pub(super) rank: Rank,
    /// The verdict that all conditions of the group share.
    pub verdict: Verdict,
    /// The conditions in the order in which they were found.
    ///
    /// The first group is sorted by the [order of a list](super::compare), and conditions of the same type by the name
    /// of their object.
    pub members: Vec<Member<'m>>,
}

//! Sets of triggers.

use std::ops::BitOr;

/// A set of triggers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TriggerSet(pub(super) u16);

/// The urgency of a trigger, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// The object itself changed or is being deleted, and its user may wait for the result.
    Changed,
    /// Another object changed.
    Related,
    /// Nothing changed: a timer or a restart is the trigger.
    Timed,
}

impl TriggerSet {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set contains all of `other`.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The intersection of two sets.
    pub(crate) const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for TriggerSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl FromIterator<Self> for TriggerSet {
    fn from_iter<I: IntoIterator<Item = Self>>(triggers: I) -> Self {
        triggers.into_iter().fold(Self::NONE, Self::union)
    }
}

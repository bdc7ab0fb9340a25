//! Sets of triggers.

use std::ops::BitOr;

/// A set of triggers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TriggerSet(pub(super) u16);

/// How soon a cause matters, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// The object itself changed, or is to go: somebody waits for that.
    Changed,
    /// Another object changed.
    Related,
    /// Nothing changed: time, or a restart, brought it about.
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

    /// Whether all of `other` are in the set.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are both here and there.
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

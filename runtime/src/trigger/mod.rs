//! Causes: why a pass runs. The event filter and the short-circuit are both generated from one [list].

mod digest;
mod enabled;
mod facts;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::BitOr;

pub(crate) use self::digest::{digits, hash, number, parse, text};
pub(crate) use self::enabled::List;
pub(crate) use self::facts::{Event, Inputs, Standing};

/// A set of causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Causes(u16);

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

impl Causes {
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

    /// How soon it matters: as soon as the most urgent of them.
    pub(crate) fn urgency(self) -> Urgency {
        let causes = enabled::CAUSES.iter().filter(|cause| self.contains(cause.cause));
        causes.map(|cause| cause.urgency).min().unwrap_or(Urgency::Timed)
    }
}

impl BitOr for Causes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl FromIterator<Self> for Causes {
    fn from_iter<I: IntoIterator<Item = Self>>(causes: I) -> Self {
        causes.into_iter().fold(Self::NONE, Self::union)
    }
}

impl fmt::Display for Causes {
    /// `generation,owned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = enabled::CAUSES.iter().filter(|cause| self.contains(cause.cause));
        for (at, cause) in words.enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", cause.word)?;
        }
        Ok(())
    }
}

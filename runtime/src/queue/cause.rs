//! Causes: why a pass runs. Event filter and short-circuit share this one list.

use std::fmt;
use std::ops::BitOr;

/// A set of causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Causes(u16);

macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $word:literal;)*) => {
        impl Causes {
            $($(#[$doc])* pub(crate) const $name: Self = Self(1 << $bit);)*
            const WORDS: &[(Self, &'static str)] = &[$((Self::$name, $word)),*];
        }
    };
}

causes! {
    /// Seen for the first time, or after a restart or relist.
    APPEARED = 0, "appeared";
    /// The generation differs from the one before, or from the observed one.
    GENERATION = 1, "generation";
    /// Labels or annotations changed.
    METADATA = 2, "metadata";
    /// Marked for deletion, or gone.
    DELETION = 3, "deletion";
    /// Our finalizer vanished.
    FINALIZER = 4, "finalizer";
    /// An owned object changed or vanished.
    OWNED = 5, "owned";
    /// A watched object appeared, changed or vanished.
    WATCHED = 6, "watched";
    /// The requeue interval or a poll time passed.
    RESYNC = 7, "resync";
    /// The back-off passed.
    RETRY = 8, "retry";
    /// Somebody asked for a pass.
    REQUESTED = 9, "requested";
}

/// What nobody is waiting in front of a screen for.
const UNHURRIED: Causes = Causes(Causes::APPEARED.0 | Causes::RESYNC.0 | Causes::RETRY.0);

impl Causes {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are in the set.
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether some of `other` are in the set.
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Something changed: goes before what only time, or a restart, brought about.
    pub(crate) const fn is_urgent(self) -> bool {
        self.0 & !UNHURRIED.0 != 0
    }
}

impl BitOr for Causes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl fmt::Display for Causes {
    /// `generation,owned`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Self::WORDS.iter().filter(|(cause, _)| self.contains(*cause));
        for (at, (_, word)) in words.enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{word}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_prints_its_causes_in_order() {
        assert_eq!((Causes::OWNED | Causes::GENERATION).to_string(), "generation,owned");
        assert_eq!(Causes::NONE.to_string(), "");
    }

    #[test]
    fn timers_and_restarts_are_not_urgent() {
        assert!(!(Causes::RESYNC | Causes::RETRY | Causes::APPEARED).is_urgent());
        assert!((Causes::RESYNC | Causes::OWNED).is_urgent());
    }
}

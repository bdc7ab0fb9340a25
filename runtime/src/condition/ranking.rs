//! Rankings: what a condition says, and which of several is heard.

use super::{Condition, ConditionStatus, Polarity};

/// What a condition says, read with its polarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A True negative one, a False positive one.
    Bad,
    /// A True positive one, a False negative one.
    Good,
    /// Nothing is known.
    Unknown,
}

impl Polarity {
    /// What the status says under this polarity.
    #[must_use]
    pub const fn verdict(self, status: ConditionStatus) -> Verdict {
        match (self, status) {
            (_, ConditionStatus::Unknown | ConditionStatus::Other) => Verdict::Unknown,
            (Self::Negative, ConditionStatus::True) | (Self::Positive | Self::Bipolar, ConditionStatus::False) => {
                Verdict::Bad
            }
            (Self::Negative, ConditionStatus::False) | (Self::Positive | Self::Bipolar, ConditionStatus::True) => {
                Verdict::Good
            }
        }
    }

    /// The status that says this under this polarity.
    #[must_use]
    pub const fn status(self, verdict: Verdict) -> ConditionStatus {
        match verdict {
            Verdict::Bad => self.bad(),
            Verdict::Good => self.good(),
            Verdict::Unknown => ConditionStatus::Unknown,
        }
    }
}

/// How conditions are ranked against each other, where several become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ranking {
    /// Bad, then unknown or missing, then good: one bad or unknown condition is enough to be not ready.
    #[default]
    Worst,
    /// As Flux does: True negative, False positive, True positive, False negative, Unknown, then any other word; a missing condition is
    /// absent.
    Flux,
}

/// A place in a ranking. Conditions of one place form a group; the lower order is heard, of equals the one that appears first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) order: u8,
    is_negative: bool,
}

impl Ranking {
    pub(super) const fn rank(self, polarity: Polarity, status: ConditionStatus) -> Rank {
        let verdict = polarity.verdict(status);
        let is_negative = matches!(polarity, Polarity::Negative);
        match self {
            Self::Worst => {
                let order = match verdict {
                    Verdict::Bad => 0,
                    Verdict::Unknown => 1,
                    Verdict::Good => 2,
                };
                Rank { order, is_negative: false }
            }
            Self::Flux => {
                let order = match (verdict, is_negative) {
                    (Verdict::Bad, true) => 0,
                    (Verdict::Bad, false) => 1,
                    (Verdict::Good, false) => 2,
                    (Verdict::Good, true) => 3,
                    (Verdict::Unknown, _) if matches!(status, ConditionStatus::Other) => 5,
                    (Verdict::Unknown, _) => 4,
                };
                Rank { order, is_negative }
            }
        }
    }

    /// What stands for a declared condition that is missing. A negative or bipolar one that is absent has nothing to say.
    pub(super) fn missing(self, type_: &str, polarity: Polarity) -> Option<Condition> {
        let counts = self == Self::Worst && polarity == Polarity::Positive;
        counts.then(|| {
            Condition::new(type_, ConditionStatus::Unknown, "NotYetReported", format!("{type_} was not reported yet"))
        })
    }
}

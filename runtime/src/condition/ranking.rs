//! Verdicts and rankings of conditions.

use super::{Condition, ConditionStatus, Polarity};

/// The meaning of a condition under its polarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A negative condition is True, or another one is False.
    Bad,
    /// A negative condition is False, or another one is True.
    Good,
    /// The status is Unknown, or not a Kubernetes status.
    Unknown,
}

impl Polarity {
    /// The meaning of the status under this polarity.
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

    /// The status with this meaning under this polarity.
    #[must_use]
    pub const fn status(self, verdict: Verdict) -> ConditionStatus {
        match verdict {
            Verdict::Bad => self.bad(),
            Verdict::Good => self.good(),
            Verdict::Unknown => ConditionStatus::Unknown,
        }
    }
}

/// The order in which conditions decide when several are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ranking {
    /// Bad, then unknown or missing, then good. One bad or unknown condition makes the object not ready.
    #[default]
    Worst,
    /// The ranking of Flux. A missing condition is ignored. The order is:
    ///
    /// 1. negative True
    /// 2. positive False
    /// 3. positive True
    /// 4. negative False
    /// 5. Unknown
    /// 6. any other status
    Flux,
}

/// A rank. Conditions with the same rank form a group, and the group with the lowest order decides.
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

    /// A condition that replaces a declared one that is missing. Missing negative and bipolar conditions are ignored.
    pub(super) fn missing(self, type_: &str, polarity: Polarity) -> Option<Condition> {
        let counts = self == Self::Worst && polarity == Polarity::Positive;
        counts.then(|| {
            Condition::new(type_, ConditionStatus::Unknown, "NotYetReported", format!("{type_} was not reported yet"))
        })
    }
}

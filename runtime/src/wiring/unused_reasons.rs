//! The declared reasons that no step uses.

use super::Wiring;
use crate::condition::UnusedReason;
use crate::condition::reason::OWN;

impl Wiring {
    /// The declared reasons that occur in no literal of a step and in no error. They are either unused or computed at
    /// run time.
    ///
    /// ```
    /// use evenkeel::condition::{ConditionInfo, Polarity, ReasonInfo};
    /// use evenkeel::wiring::{StepWiring, Wiring};
    /// const REASONS: &[ReasonInfo] = &[ReasonInfo { name: "NewRevision", doc: "" }, ReasonInfo { name: "Corrupt", doc: "" }];
    /// const OUTDATED: ConditionInfo =
    ///     ConditionInfo { reasons: REASONS, ..ConditionInfo::new("Outdated", Polarity::Negative) };
    /// const FETCH: StepWiring = StepWiring { sets: &[0], reasons: &[(0, "NewRevision")], ..StepWiring::EMPTY };
    /// const WIRING: Wiring = Wiring { conditions: &[OUTDATED], steps: &[FETCH], ..Wiring::EMPTY };
    /// assert_eq!(WIRING.unused_reasons()[0].reason, "Corrupt");
    /// ```
    #[must_use]
    pub fn unused_reasons(&self) -> Vec<UnusedReason> {
        let all = self.conditions.iter().enumerate().flat_map(|(place, condition)| {
            let unused = condition.reasons.iter().filter(move |reason| !self.uses_reason(place, reason.name));
            unused.map(|reason| UnusedReason { condition: condition.type_, reason: reason.name })
        });
        all.collect()
    }

    fn uses_reason(&self, place: usize, reason: &str) -> bool {
        let mut setters = self.steps.iter().filter(|step| step.sets.contains(&place));
        OWN.contains(&reason)
            || setters.any(|step| {
                step.reasons.contains(&(place, reason))
                    || step.marks(place) && step.failures().any(|error| error.reason == reason)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{ConditionInfo, Polarity, ReasonInfo};
    use crate::wiring::StepWiring;

    const fn reason(name: &'static str) -> ReasonInfo {
        ReasonInfo { name, doc: "" }
    }

    const CLOSED: ConditionInfo = ConditionInfo::new("Outdated", Polarity::Negative).with_reasons(&[
        reason("NewRevision"),
        reason("Corrupt"),
        reason("Missing"),
    ]);

    #[test]
    fn only_a_step_that_sets_the_condition_uses_its_reasons() {
        const FETCH: StepWiring = StepWiring { sets: &[0], reasons: &[(0, "Corrupt")], ..StepWiring::EMPTY };
        const OTHER: StepWiring = StepWiring { sets: &[1], reasons: &[(0, "Missing")], ..StepWiring::EMPTY };
        const WIRING: Wiring = Wiring { conditions: &[CLOSED], steps: &[FETCH, OTHER], ..Wiring::EMPTY };
        let unused: Vec<_> = WIRING.unused_reasons().iter().map(|one| one.reason).collect();
        assert_eq!(unused, ["NewRevision", "Missing"]);
    }
}

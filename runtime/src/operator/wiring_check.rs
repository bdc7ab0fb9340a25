//! Checks that a wiring is consistent. The macros guarantee it; a hand-written `Reconciler` may not.

use super::error::{Error, Reason, Result};
use crate::wiring::Wiring;

/// Conditions are bits of a `u64`.
const MOST: usize = 64;

/// Rejects a wiring that a pass cannot work with.
pub(super) fn check(wiring: &Wiring) -> Result {
    let Some(defect) = defect(wiring) else { return Ok(()) };
    let headline = format!("the wiring of {} is inconsistent: {defect}", wiring.name);
    Err(Error::new(Reason::Setup, headline, "let `#[reconciler]` generate it: the same checks run at compile time"))
}

fn defect(wiring: &Wiring) -> Option<String> {
    let conditions = wiring.conditions;
    if wiring.steps.is_empty() {
        return Some("it has no steps".into());
    }
    if conditions.len() > MOST {
        return Some(format!("it has {} conditions, and {MOST} are the most", conditions.len()));
    }
    let twice = |(at, info): (usize, &crate::condition::ConditionInfo)| {
        conditions[..at].iter().any(|earlier| earlier.type_ == info.type_).then_some(info.type_)
    };
    if let Some(type_) = conditions.iter().enumerate().find_map(twice) {
        return Some(format!("the condition {type_} is declared twice"));
    }
    let stray = |place: &&usize| **place >= conditions.len();
    if let Some(step) = wiring.all_steps().find(|step| step.sets.iter().chain(step.clears).any(|place| stray(&place))) {
        return Some(format!("the step {} names a condition that is not declared", step.name));
    }
    conditions.iter().enumerate().find_map(|(place, info)| {
        match wiring.steps.iter().filter(|step| step.sets.contains(&place)).count() {
            0 => Some(format!("no step sets the condition {}", info.type_)),
            1 => None,
            _ => Some(format!("several steps set the condition {}", info.type_)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{ConditionInfo, Polarity};
    use crate::wiring::StepWiring;

    const DONE: ConditionInfo = ConditionInfo::new("Done", Polarity::Positive);
    const STEP: StepWiring = StepWiring { name: "act", sets: &[0], ..StepWiring::EMPTY };

    fn message(conditions: &'static [ConditionInfo], steps: &'static [StepWiring]) -> String {
        let wiring = Wiring { name: "things", conditions, steps, ..Wiring::EMPTY };
        check(&wiring).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_consistent_wiring_is_accepted() {
        assert_eq!(message(&[DONE], &[STEP]), "");
    }

    #[test]
    fn an_invalid_wiring_is_rejected_at_startup() {
        const STRAY: StepWiring = StepWiring { clears: &[7], ..STEP };
        const MANY: [ConditionInfo; 65] = [DONE; 65];
        for (message, wanted) in [
            (message(&[DONE], &[]), "it has no steps"),
            (message(&MANY, &[STEP]), "65 conditions"),
            (message(&[DONE, DONE], &[STEP]), "Done is declared twice"),
            (message(&[DONE], &[STRAY]), "the step act names a condition"),
            (message(&[DONE], &[STEP, STEP]), "several steps set the condition Done"),
            (message(&[DONE], &[StepWiring { sets: &[], ..STEP }]), "no step sets the condition Done"),
        ] {
            assert!(message.starts_with("the wiring of things") && message.contains(wanted), "{message}");
        }
    }
}

//! Lists the declared reasons of a condition.

use std::collections::BTreeSet;

use super::error::{Known, errors};
use super::next_pass::FrameworkNext;
use crate::api::FOREIGN;
use crate::condition::Polarity;
use crate::outcome::reporting::VariantInfo;
use crate::wiring::{How, StepWiring, Wiring};

/// A reason that the framework sets.
pub(super) struct FrameworkReason {
    pub(super) reason: &'static str,
    /// Whether only positive conditions have it.
    pub(super) positive: bool,
    pub(super) meaning: &'static str,
    pub(super) next: FrameworkNext,
}

/// The reasons that the framework sets on declared conditions.
pub(super) const FRAMEWORK_REASONS: [FrameworkReason; 5] = [
    FrameworkReason {
        reason: "Succeeded",
        positive: true,
        meaning: "the step succeeded and set no other reason",
        next: FrameworkNext::Success,
    },
    FrameworkReason {
        reason: "Blocked",
        positive: true,
        meaning: "an earlier step blocks this one; the message names it",
        next: FrameworkNext::Blocker,
    },
    FrameworkReason {
        reason: "Panicked",
        positive: false,
        meaning: "the step has a bug",
        next: FrameworkNext::Failure,
    },
    FrameworkReason {
        reason: "TimedOut",
        positive: false,
        meaning: "the step exceeded its time limit",
        next: FrameworkNext::Failure,
    },
    FrameworkReason {
        reason: FOREIGN,
        positive: false,
        meaning: "an object that the step would write belongs to another owner",
        next: FrameworkNext::Foreign,
    },
];

/// All reasons of the condition at this index that are declared or that the error types of its steps contain.
pub(super) fn reasons(wiring: &Wiring, place: usize) -> BTreeSet<String> {
    reasons_where(wiring, place, |_| true)
}

/// The reasons that belong only to the steps of this condition, and the other steps that share further reasons with
/// them.
///
/// Several steps may share one error type. The wiring does not show which of them returns which variant.
pub(super) fn own_reasons(wiring: &Wiring, place: usize) -> (BTreeSet<String>, Vec<&'static str>) {
    let shared: Vec<Known> = errors(wiring).into_iter().filter(|known| known.steps.len() > 1).collect();
    let own = reasons_where(wiring, place, |error| !shared.iter().any(|known| known.info == *error));
    let setters = || wiring.all_steps().filter(move |step| step.sets.contains(&place) && step.marks(place));
    let is_setter = |name: &&str| setters().any(|step| step.name == *name);
    let mut others: Vec<&str> = Vec::new();
    for known in shared.iter().filter(|known| known.info.class != "ignored" && known.steps.iter().any(is_setter)) {
        others.extend(known.steps.iter().filter(|name| !is_setter(name)));
    }
    let mut met = BTreeSet::new();
    others.retain(|name| met.insert(*name));
    (own, others)
}

fn reasons_where(wiring: &Wiring, place: usize, counts: impl Fn(&VariantInfo) -> bool) -> BTreeSet<String> {
    let Some(info) = wiring.conditions.get(place) else { return BTreeSet::new() };
    let positive = info.polarity == Polarity::Positive;
    let setters = wiring.all_steps().filter(move |step| step.sets.contains(&place));
    let failures = setters.clone().filter(move |step| step.marks(place)).flat_map(|step| step.failures());
    let failures = failures.filter(|error| error.class != "ignored" && counts(error)).map(|error| error.reason);
    let is_marked = setters.clone().any(|step| step.marks(place));
    let owns = |step: StepWiring| step.relations.iter().any(|relation| relation.how == How::Owns);
    let may_wait = setters.clone().any(|step| step.marks(place) && owns(step));
    let framework = FRAMEWORK_REASONS.iter().filter(|framework| match framework.reason {
        FOREIGN => may_wait,
        _ if framework.positive => positive,
        _ => is_marked,
    });
    let framework = framework.map(|framework| framework.reason);
    let literals = setters.flat_map(|step| step.reasons).filter(|(of, _)| *of == place).map(|(_, reason)| *reason);
    let declared = info.reasons.iter().map(|reason| reason.name);
    framework.chain(failures).chain(literals).chain(declared).map(ToOwned::to_owned).collect()
}

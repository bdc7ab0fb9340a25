//! What the program knows of a reason in a condition.

use super::error::{errors, parts};
use super::next_pass::NextPass;
use super::reason::FRAMEWORK_REASONS;
use super::reconciler_info::ReconcilerInfo;

/// What a reason means, and what happens next.
pub(crate) struct Explanation {
    /// The steps that set it; empty for a reason of the framework.
    pub(crate) steps: Vec<&'static str>,
    /// `stalled`, `waiting`, `transient` or `ignored`; empty for a reason that is no error.
    pub(crate) class: &'static str,
    pub(crate) meaning: &'static str,
    /// When the object is reconciled again.
    pub(crate) next: String,
    /// What a user can do.
    pub(crate) fix: &'static str,
}

/// Explains the reason of a condition; `None`: code sets it at run time, or another program does. Where errors of several steps have the
/// reason, that of a step which sets the condition counts.
pub(crate) fn explain(known: &ReconcilerInfo, condition: &str, reason: &str) -> Option<Explanation> {
    let plain = |meaning, next| Explanation { steps: Vec::new(), class: "", meaning, next, fix: "" };
    let place = known.wiring.conditions.iter().position(|info| info.type_ == condition);
    let setters = || known.wiring.all_steps().filter(|step| place.is_some_and(|place| step.sets.contains(&place)));
    let is_setter = |name: &&str| setters().any(|step| step.name == *name);
    let mut found: Vec<_> = errors(&known.wiring).into_iter().filter(|error| error.info.reason == reason).collect();
    found.sort_by_key(|error| !error.steps.iter().any(is_setter));
    if let Some(mut error) = found.into_iter().next() {
        if error.steps.iter().any(is_setter) {
            error.steps.retain(is_setter);
        }
        let (meaning, fix) = parts(&error.info);
        let next = NextPass(known).next_after(&error.info);
        return Some(Explanation { steps: error.steps, class: error.info.class, meaning, next, fix });
    }
    let declared = known.wiring.conditions.iter().find(|info| info.type_ == condition);
    let declared = declared.and_then(|info| info.reasons.iter().find(|one| one.name == reason));
    let framework = FRAMEWORK_REASONS.iter().find(|one| one.reason == reason);
    let framework = framework.map(|one| plain(one.meaning, NextPass(known).next_after_framework(one.next)));
    declared.map(|one| plain(one.doc, String::new())).or(framework)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::outcome::reporting::{Actions, VariantInfo};
    use crate::wiring::StepWiring;

    const fn missing(doc: &'static str) -> VariantInfo {
        VariantInfo::new("SecretMissing", "waiting", doc, Actions::WAITING)
    }

    #[test]
    fn a_reason_that_two_error_types_share_is_explained_by_the_step_of_the_condition() {
        const FETCH: StepWiring = StepWiring { errors: &[missing("For the source.")], ..fixture::FETCH };
        const COPY: StepWiring =
            StepWiring { name: "copy", sets: &[2], errors: &[missing("For the copy.")], ..StepWiring::EMPTY };
        let mut known = fixture::known();
        known.wiring.steps = &[FETCH, COPY];
        let types: Vec<_> = known.wiring.conditions.iter().map(|info| info.type_).collect();
        let explained = |condition: &str| explain(&known, condition, "SecretMissing").unwrap();
        assert_eq!(explained(types[FETCH.sets[0]]).meaning, "For the source.");
        let of_copy = explained(types[2]);
        assert_eq!((of_copy.meaning, of_copy.steps), ("For the copy.", vec!["copy"]));
        assert_eq!(explained("Ready").meaning, "For the source.", "of no step");
    }
}

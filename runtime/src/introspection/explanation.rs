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

/// Explains the reason of a condition; `None`: code sets it at run time, or another program does.
pub(crate) fn explain(known: &ReconcilerInfo, condition: &str, reason: &str) -> Option<Explanation> {
    let plain = |meaning, next| Explanation { steps: Vec::new(), class: "", meaning, next, fix: "" };
    if let Some(error) = errors(&known.wiring).into_iter().find(|error| error.info.reason == reason) {
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

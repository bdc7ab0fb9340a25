//! Closed sets of reasons: what the compiler says of a word that was not declared, and which declared one nobody says.

use super::{ConditionInfo, ConditionMarker, ConditionSet};
use crate::action::VariantInfo;
use crate::pipeline::same;
use crate::sentence::Sentence;
use crate::wiring::Wiring;

/// The reasons that the framework gives; they belong to every set.
pub(crate) const OWN: [&str; 6] =
    ["Succeeded", "Blocked", "Panicked", "TimedOut", "NotYetReported", "DependentForeign"];

/// A declared reason that nothing says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsaidReason {
    /// The type of the condition.
    pub condition: &'static str,
    /// The reason.
    pub reason: &'static str,
}

impl Wiring {
    /// The declared reasons that no literal in a step and no error of one says: left-overs, or reasons that come about at run time.
    ///
    /// ```
    /// use evenkeel::condition::{ConditionInfo, Polarity, ReasonInfo};
    /// use evenkeel::wiring::{StepWiring, Wiring};
    /// const REASONS: &[ReasonInfo] = &[ReasonInfo { name: "NewRevision", doc: "" }, ReasonInfo { name: "Corrupt", doc: "" }];
    /// const OUTDATED: ConditionInfo =
    ///     ConditionInfo { reasons: REASONS, ..ConditionInfo::new("Outdated", Polarity::Negative) };
    /// const FETCH: StepWiring = StepWiring { sets: &[0], says: &[(0, "NewRevision")], ..StepWiring::EMPTY };
    /// const WIRING: Wiring = Wiring { conditions: &[OUTDATED], steps: &[FETCH], ..Wiring::EMPTY };
    /// assert_eq!(WIRING.unsaid_reasons()[0].reason, "Corrupt");
    /// ```
    #[must_use]
    pub fn unsaid_reasons(&self) -> Vec<UnsaidReason> {
        let all = self.conditions.iter().enumerate().flat_map(|(place, condition)| {
            let unsaid = condition.reasons.iter().filter(move |reason| !self.says(place, reason.name));
            unsaid.map(|reason| UnsaidReason { condition: condition.type_, reason: reason.name })
        });
        all.collect()
    }

    fn says(&self, place: usize, reason: &str) -> bool {
        let mut setters = self.steps.iter().filter(|step| step.sets.contains(&place));
        OWN.contains(&reason)
            || setters.any(|step| {
                step.says.contains(&(place, reason))
                    || step.marks(place) && step.failures().any(|error| error.reason == reason)
            })
    }
}

/// The literal is a reason of the condition. Fails the build with the nearest one, or with all of them.
#[doc(hidden)]
#[track_caller]
pub const fn check_reason<M: ConditionMarker>(reason: &str) {
    let all = <M::Set as ConditionSet>::CONDITIONS;
    if M::INDEX >= all.len() || is_declared(&all[M::INDEX], reason) {
        return;
    }
    let info = &all[M::INDEX];
    let sentence = Sentence::new()
        .push("`")
        .push(reason)
        .push("` is not a declared reason of the condition `")
        .push(info.type_)
        .push("`\nhelp: ");
    let sentence = match nearest(reason, info) {
        Some(near) => sentence.push("did you mean `").push(near).push("`?"),
        None => list(sentence.push("use "), info).push(", or add it to `reasons(..)` there"),
    };
    panic!("{}", sentence.text());
}

/// The same of a marker's value.
#[doc(hidden)]
#[track_caller]
pub const fn check_reason_of<M: ConditionMarker>(_: M, reason: &str) {
    check_reason::<M>(reason);
}

/// What the errors of a step would mark its first condition with are reasons of that.
#[track_caller]
pub(crate) const fn check_errors(info: &ConditionInfo, errors: &[VariantInfo]) {
    let mut i = 0;
    while i < errors.len() {
        let VariantInfo { reason, class, .. } = errors[i];
        if !same(class, "ignored") && !is_declared(info, reason) {
            let sentence = Sentence::new()
                .push("an error of this step has the reason `")
                .push(reason)
                .push("`, which `")
                .push(info.type_)
                .push("` does not declare\nhelp: add `")
                .push(reason)
                .push("` to its `reasons(..)`: the error would mark it");
            panic!("{}", sentence.text());
        }
        i += 1;
    }
}

/// Whether the reason may stand in the condition.
pub(crate) const fn is_declared(info: &ConditionInfo, reason: &str) -> bool {
    let (mut found, mut i) = (info.reasons.is_empty() || is_own(reason), 0);
    while i < info.reasons.len() {
        found |= same(info.reasons[i].name, reason);
        i += 1;
    }
    found
}

const fn is_own(reason: &str) -> bool {
    let mut i = 0;
    while i < OWN.len() {
        if same(OWN[i], reason) {
            return true;
        }
        i += 1;
    }
    false
}

/// The declared reason within a third of its letters.
const fn nearest(word: &str, info: &ConditionInfo) -> Option<&'static str> {
    let mut best: Option<(usize, &'static str)> = None;
    let mut i = 0;
    while i < info.reasons.len() {
        let name = info.reasons[i].name;
        let steps = distance(word.as_bytes(), name.as_bytes());
        let is_better = match best {
            Some((least, _)) => steps < least,
            None => steps <= name.len().div_ceil(3),
        };
        if is_better {
            best = Some((steps, name));
        }
        i += 1;
    }
    match best {
        Some((_, name)) => Some(name),
        None => None,
    }
}

/// Longer words are compared by their beginnings.
const LONGEST: usize = 64;

/// Levenshtein's distance.
const fn distance(a: &[u8], b: &[u8]) -> usize {
    let width = if b.len() < LONGEST { b.len() } else { LONGEST };
    let mut row = [0; LONGEST + 1];
    let mut j = 0;
    while j <= width {
        row[j] = j;
        j += 1;
    }
    let mut i = 0;
    while i < a.len() {
        let (mut corner, mut j) = (row[0], 0);
        row[0] = i + 1;
        while j < width {
            let change = corner + if a[i] == b[j] { 0 } else { 1 };
            corner = row[j + 1];
            row[j + 1] = least(change, least(row[j], row[j + 1]) + 1);
            j += 1;
        }
        i += 1;
    }
    row[width] + (b.len() - width)
}

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

/// The declared reasons: `a`, `b` or `c`.
const fn list(mut sentence: Sentence, info: &ConditionInfo) -> Sentence {
    let mut i = 0;
    while i < info.reasons.len() {
        if i > 0 {
            sentence = sentence.push(if i + 1 == info.reasons.len() { " or " } else { ", " });
        }
        sentence = sentence.push("`").push(info.reasons[i].name).push("`");
        i += 1;
    }
    sentence
}

//! Const checks of a pipeline: condition set, steps and their order.
//! The macros run the same checks; these cover wiring that was written without them.

use crate::condition::reason::check_errors;
use crate::condition::{ConditionSet, Polarity, READY, RECONCILING, STALLED};
use crate::const_str::{Sentence, same};
use crate::pipeline::object::{Primary, StatusStore};
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::step::SubReconciler;
use crate::wiring::{StepWiring, When, Wiring};

/// The place of a condition that could not be resolved. The error is already reported, so the checks skip it.
pub(crate) const UNKNOWN: usize = usize::MAX;

/// The maximum number of conditions: each is one bit of a `u64`.
const MOST: usize = 64;

/// The bits of `sets(..)` or `clears(..)`. `None` if a place is outside of the set, which has `count` conditions.
const fn mask(places: &[usize], count: usize) -> Option<u64> {
    let (mut mask, mut i) = (0, 0);
    while i < places.len() {
        if places[i] >= count {
            return None;
        }
        mask |= 1 << places[i];
        i += 1;
    }
    Some(mask)
}

/// The bits of the conditions that the steps before `end` set. `None` if a place is outside of the set.
const fn sets(steps: &[StepWiring], end: usize, count: usize) -> Option<u64> {
    let (mut all, mut i) = (0, 0);
    while i < end {
        let Some(here) = mask(steps[i].sets, count) else { return None };
        all |= here;
        i += 1;
    }
    Some(all)
}

/// Checks that a step with one-shot actions reconciles a kind whose status is stored.
/// Otherwise a restart would forget which tokens were handled, and fire the actions again.
#[track_caller]
pub const fn check_actions_stored<S: SubReconciler>() {
    assert!(
        matches!(<S::Object as Primary>::STATUS_STORE, StatusStore::Object),
        "a `Bare` object has no status for the tokens of one-shot actions\n\
         help: remove `actions(..)`; after a restart the actions would fire again"
    );
}

/// Checks that `bare_status` is on a kind without a status of ours.
#[track_caller]
pub const fn check_bare_status<R: Reconciler>() {
    assert!(
        matches!(<R::Object as Primary>::STATUS_STORE, StatusStore::Memory),
        "a kind with `#[status]` stores its status in the object\n\
         help: remove `bare_status(..)`, which is for `Bare<K>` and `Dynamic`"
    );
}

/// Checks that the set is valid and that every condition of it is set by a step.
/// Otherwise the build fails with an error that names the condition.
#[track_caller]
pub const fn check_unset<C: ConditionSet>(steps: &[StepWiring]) {
    if let Some(defect) = defect::<C>() {
        panic!("{}", defect.push("\nhelp: let `#[derive(ConditionSet)]` generate the set").text());
    }
    let Some(seen) = sets(steps, steps.len(), C::CONDITIONS.len()) else { return };
    let mut i = 0;
    while i < C::CONDITIONS.len() {
        if seen & (1 << i) == 0 {
            complain::<C>(
                i,
                ["no step of this pipeline sets the condition `", "`"],
                ["add `sets(", ")` to the step that determines it"],
            );
        }
        i += 1;
    }
}

/// Checks one step against the steps before it. Its conditions must not be set by an earlier step, and it may clear only negative
/// conditions that an earlier step sets. If the condition that its errors mark has a closed set of reasons, it must include theirs.
/// The step is joined with those from `first` on, which do not count as earlier.
#[track_caller]
pub const fn check_step<C: ConditionSet>(steps: &[StepWiring], first: usize, step: usize) {
    if defect::<C>().is_some() {
        return;
    }
    check_order(steps, first, step);
    let count = C::CONDITIONS.len();
    check_places::<C>(&steps[step], steps[step].sets);
    check_places::<C>(&steps[step], steps[step].clears);
    let (Some(before), Some(earlier)) = (sets(steps, first, count), sets(steps, step, count)) else { return };
    let (Some(here), Some(clears)) = (mask(steps[step].sets, count), mask(steps[step].clears, count)) else { return };
    if !steps[step].sets.is_empty() {
        check_errors(&C::CONDITIONS[steps[step].sets[0]], steps[step].errors);
    }
    let mut i = 0;
    while i < C::CONDITIONS.len() {
        let bit = 1 << i;
        if earlier & here & bit != 0 {
            complain::<C>(
                i,
                ["an earlier step of this pipeline sets the condition `", "` as well"],
                ["a condition has one owner: keep `", "` in one `sets(..)`"],
            );
        }
        let forbidden = match C::CONDITIONS[i].polarity {
            Polarity::Positive => Some("` is positive and cannot be cleared"),
            Polarity::Bipolar => Some("` is bipolar and cannot be cleared"),
            Polarity::Negative => None,
        };
        if clears & bit != 0
            && let Some(forbidden) = forbidden
        {
            let help = ["drop `", "` from `clears(..)`: its own step sets it to False or Unknown"];
            complain::<C>(i, ["the condition `", forbidden], help);
        }
        if clears & !before & bit != 0 {
            complain::<C>(
                i,
                ["no earlier step sets the condition `", "` that this one clears"],
                ["drop `", "` from `clears(..)`, or move its step up"],
            );
        }
        i += 1;
    }
}

/// A step in a loop must not keep dependents: it has one set, and each of its runs would replace it.
#[track_caller]
pub const fn check_loop(steps: &[StepWiring], step: usize) {
    if steps[step].keeps_dependents() {
        let sentence = Sentence::new().push("the step `").push(steps[step].name);
        let sentence = sentence.push("` has one set of dependents, but runs for each item of this loop");
        panic!("{}", sentence.push("\nhelp: call it once, with all items, and let it add the objects of each").text());
    }
}

/// Preconditions must run before the steps, and postconditions after them. Joined steps are not earlier.
#[track_caller]
const fn check_order(steps: &[StepWiring], first: usize, step: usize) {
    let here = &steps[step];
    let mut i = 0;
    while i < first {
        let (before, after) = (matches!(here.check, Some(When::Before)), matches!(here.check, Some(When::After)));
        if before && !matches!(steps[i].check, Some(When::Before)) {
            misplaced(["the precondition `", "` comes after `"], here, &steps[i]);
        }
        if !after && matches!(steps[i].check, Some(When::After)) {
            misplaced(["the step `", "` comes after `"], here, &steps[i]);
        }
        i += 1;
    }
}

/// Fails the build because `here` is placed after `earlier`.
#[track_caller]
const fn misplaced(words: [&str; 2], here: &StepWiring, earlier: &StepWiring) {
    let sentence = Sentence::new().push(words[0]).push(here.name).push(words[1]).push(earlier.name).push("`");
    let sentence = match earlier.check {
        Some(When::After) => sentence.push(", a postcondition"),
        _ => sentence,
    };
    panic!("{}", sentence.push("\nhelp: move `").push(here.name).push("` up").text());
}

/// Fails the build: `wrong` goes around the name of the condition, `help` around its marker.
#[track_caller]
const fn complain<C: ConditionSet>(place: usize, wrong: [&str; 2], help: [&str; 2]) {
    let name = C::CONDITIONS[place].type_;
    let sentence = Sentence::new().push(wrong[0]).push(name).push(wrong[1]).push("\nhelp: ");
    let sentence = sentence.push(help[0]).push(C::MARKERS).push("::").push(name).push(help[1]);
    panic!("{}", sentence.text());
}

/// Checks that the places that a step names are in the set.
#[track_caller]
const fn check_places<C: ConditionSet>(step: &StepWiring, places: &[usize]) {
    let mut i = 0;
    while i < places.len() {
        if places[i] != UNKNOWN && places[i] >= C::CONDITIONS.len() {
            let sentence = Sentence::new()
                .push("the step `")
                .push(step.name)
                .push("` names a condition that `")
                .push(C::NAME)
                .push("` does not have\nhelp: let `#[sub_reconciler]` generate the wiring of the step");
            panic!("{}", sentence.text());
        }
        i += 1;
    }
}

/// Checks that the name of the summary is not a condition of the set.
#[track_caller]
pub const fn check_summary<C: ConditionSet>(summary: &str) {
    let mut i = 0;
    while i < C::CONDITIONS.len() {
        assert!(
            !same(C::CONDITIONS[i].type_, summary),
            "the summary is a condition of the set as well\nhelp: name it after what it sums up, as in `BackupReady`"
        );
        i += 1;
    }
}

/// Checks that a reconciler with a field selector stores no finalizer: only the API server evaluates fields, so it would not be known that
/// an object which left the selection has to be cleaned up.
#[track_caller]
pub const fn check_fields(wiring: &Wiring) {
    assert!(
        !wiring.needs_finalizer(),
        "a reconciler that cleans up cannot select its objects by fields\nhelp: select them with `labels` or `filter`: an \
         object that leaves such a selection is still cleaned up"
    );
}

/// The first defect of a set that the derive would have rejected.
const fn defect<C: ConditionSet>() -> Option<Sentence> {
    let set = Sentence::new().push("`").push(C::NAME).push("` ");
    let mut i = 0;
    while i < C::CONDITIONS.len() {
        let type_ = C::CONDITIONS[i].type_;
        if same(type_, READY) || same(type_, RECONCILING) || same(type_, STALLED) {
            return Some(set.push("has the condition `").push(type_).push("`, which the framework manages"));
        }
        if is_declared(C::CONDITIONS.split_at(i).0, type_) {
            return Some(set.push("has two conditions `").push(type_).push("`"));
        }
        i += 1;
    }
    if C::CONDITIONS.len() > MOST {
        return Some(set.push("has more than 64 conditions"));
    }
    None
}

const fn is_declared(conditions: &[crate::condition::ConditionInfo], type_: &str) -> bool {
    let mut i = 0;
    while i < conditions.len() {
        if same(conditions[i].type_, type_) {
            return true;
        }
        i += 1;
    }
    false
}

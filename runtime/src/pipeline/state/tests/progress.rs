//! The draft of a status, and its forks for joined steps.

use std::sync::Arc;

use super::no_backend::Nowhere;
use crate::condition::{ConditionInfo, RECONCILING, ReasonInfo};
use crate::logged::logged;
use crate::outcome::retry::Retry;
use crate::outcome::{Class, Outcome};
use crate::pipeline::state::*;
use crate::status::observed::ObservedBy;

const A: ConditionInfo = ConditionInfo::new("A", Polarity::Positive);
const B: ConditionInfo = ConditionInfo::new("B", Polarity::Positive);
const WIRING: Wiring = Wiring { name: "things", conditions: &[A, B], ..Wiring::EMPTY };
const FIRST: StepWiring = StepWiring { name: "first", sets: &[0, 1], ..StepWiring::EMPTY };
const SECOND: StepWiring = StepWiring { name: "second", ..StepWiring::EMPTY };

/// A status with these fields only.
const TYPED: Typed = Typed {
    fields: |status| Ok(status.downcast_ref::<Fields>().unwrap().clone()),
    copy: |status| Box::new(status.downcast_ref::<Fields>().unwrap().clone()),
    with: |_, fields| Ok(Box::new(fields.clone())),
};

fn fields(pairs: &[(&'static str, u8)]) -> Fields {
    pairs.iter().map(|(name, value)| ((*name).into(), Field::of(value))).collect()
}

/// A draft of generation 2 whose found and current status has these fields.
fn state(wiring: Wiring, found: &[(&'static str, u8)]) -> PassState {
    state_over(wiring, found, Arc::new(Nowhere::default()))
}

/// The same with this backend.
fn state_over(wiring: Wiring, found: &[(&'static str, u8)], backend: Arc<Nowhere>) -> PassState {
    let conditions = vec![Condition::new("A", ConditionStatus::False, "Broken", "it is")];
    let mut state = PassState::bare(wiring, 2, Observed::default(), conditions, backend);
    (state.namespace, state.name) = (Some("a".into()), "x".into());
    (state.status, state.typed) = (Box::new(fields(found)), TYPED);
    state.before.all_fields = fields(found);
    state
}

#[test]
fn a_fork_starts_with_the_object_and_draft() {
    let mut state = state(WIRING, &[("a", 1)]);
    state.fired = vec!["restart"];
    state.policy = Policy::Skip;
    let fork = state.fork(1).first().unwrap();
    assert_eq!((fork.namespace.as_deref(), &*fork.name), (Some("a"), "x"));
    assert_eq!((fork.all_fields(), fork.policy, fork.fires("restart")), (fields(&[("a", 1)]), Policy::Skip, true));
    assert_eq!(fork.condition(0).map(|condition| condition.status), Some(ConditionStatus::False));
    assert_eq!(fork.before.conditions.len(), 1, "times are those of what was found");
}

/// Merges two forks with these fields.
fn merged(
    backend: &Arc<Nowhere>,
    found: &[(&'static str, u8)],
    first: &[(&'static str, u8)],
    second: &[(&'static str, u8)],
) -> (Fields, usize) {
    let mut state = state_over(WIRING, found, backend.clone());
    for (fork, (step, left)) in state.fork(2).iter_mut().zip([(&FIRST, first), (&SECOND, second)]) {
        (fork.step, fork.status) = (Some(step), Box::new(fields(left)));
    }
    let lines = logged(|| assert!(state.merge(vec![None, None]).is_none()));
    (state.all_fields(), lines.iter().filter(|line| line.contains("joined steps write the same status field")).count())
}

#[test]
fn two_joined_writers_of_a_field_are_reported() {
    let backend = Arc::default();
    assert_eq!(merged(&backend, &[("a", 1)], &[("a", 1)], &[("a", 1)]), (fields(&[("a", 1)]), 0));
    assert_eq!(merged(&backend, &[("a", 1)], &[("a", 2)], &[("a", 1), ("b", 1)]), (fields(&[("a", 2), ("b", 1)]), 0));
    assert_eq!(merged(&backend, &[], &[("same", 1)], &[("same", 1)]), (fields(&[("same", 1)]), 0), "they agree");
    assert_eq!(merged(&backend, &[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 1));
    assert_eq!(merged(&backend, &[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 0), "reported once");
}

#[test]
fn the_last_joined_step_counts_unless_one_stopped() {
    let ran = |stops: Vec<Option<PassError>>| {
        let mut state = state(WIRING, &[]);
        state.fork(2).iter_mut().zip([&FIRST, &SECOND]).for_each(|(fork, step)| fork.step = Some(step));
        state.merge(stops);
        state.running_part()
    };
    assert_eq!(ran(vec![None, None]), "step second");
    let stop = PassError::new(Class::Stalled, "Because", "", crate::outcome::reporting::Actions::MISHAP);
    assert_eq!(ran(vec![Some(stop), None]), "step first");
}

#[test]
fn progress_of_joined_steps_is_found_after_the_merge() {
    let mut state = state(WIRING, &[]);
    let fork = state.fork(1).first().unwrap();
    let turn = futures::FutureExt::now_or_never(fork.turn()).unwrap().unwrap();
    turn.wrote(DesiredStatus { fields: fields(&[("a", 1)]), ..fork.progress() });
    drop(turn);
    state.merge(vec![None]);
    assert_eq!(state.found().fields, fields(&[("a", 1)]));
}

#[test]
fn a_successful_step_sets_its_unset_conditions_to_true() {
    let mut state = state(WIRING, &[]);
    state.step = Some(&FIRST);
    state.clear(0);
    state.succeed(1 << 1);
    assert_eq!(state.condition(0).map(|condition| condition.status), Some(ConditionStatus::True));
    assert_eq!(state.condition(1), None, "the step left it out");
}

#[test]
fn a_new_generation_is_reconciling_during_the_pass() {
    let types = |observed| {
        let mut state = state(WIRING, &[]);
        state.before.observed_generation = observed;
        state.progress().conditions.into_iter().map(|condition| condition.type_).collect::<Vec<_>>()
    };
    assert_eq!(types(Some(1)), [RECONCILING, "Ready", "A"]);
    assert_eq!(types(Some(2)), ["Ready", "A"]);
}

#[test]
fn a_reconciler_owns_the_fields_it_wrote_or_changes() {
    let mut state = state(WIRING, &[("theirs", 1), ("ours", 1), ("changed", 1)]);
    state.before.observed = ObservedBy { fields: vec!["ours".into()], ..ObservedBy::default() }.into();
    state.status = Box::new(fields(&[("theirs", 1), ("ours", 1), ("changed", 2), ("new", 1)]));
    assert_eq!(state.progress().fields, fields(&[("ours", 1), ("changed", 2), ("new", 1)]));
}

#[test]
fn an_observe_pass_does_not_report_step_conditions() {
    let mut state = state(WIRING, &[]);
    state.observe(&[1]);
    assert_eq!(state.condition(0), None);
}

#[test]
fn an_undeclared_reason_is_reported_once() {
    const REASONS: &[ReasonInfo] = &[ReasonInfo { name: "Known", doc: "" }];
    const CLOSED: Wiring = Wiring { name: "closed", conditions: &[A.with_reasons(REASONS)], ..Wiring::EMPTY };
    let state = state(CLOSED, &[]);
    let lines = |reason| logged(|| state.hold_to_set(0, reason)).len();
    assert_eq!((lines("Known"), lines("Unknown"), lines("Unknown")), (0, 1, 0));
}

#[test]
fn a_changed_condition_status_or_field_is_progress() {
    let state = state(WIRING, &[]);
    let found = || state.found();
    assert!(!state.progressed(&found()));
    let conditions = |status| vec![Condition::new("A", status, "Other", "words")];
    assert!(
        !state.progressed(&DesiredStatus { conditions: conditions(ConditionStatus::False), ..found() }),
        "only the words differ"
    );
    assert!(state.progressed(&DesiredStatus { conditions: conditions(ConditionStatus::True), ..found() }));
    assert!(state.progressed(&DesiredStatus { fields: fields(&[("a", 1)]), ..found() }));
}

#[test]
fn a_reverted_progress_write_is_no_progress() {
    let mut state = state(WIRING, &[]);
    let found = state.found();
    state.recorded(DesiredStatus { fields: fields(&[("a", 1)]), ..found.clone() });
    assert!(!state.progressed(&found));
    assert!(state.progressed(&DesiredStatus { fields: fields(&[("a", 1)]), ..found }));
}

#[test]
fn a_custom_ready_message_applies_only_when_ready() {
    let ready = |status| {
        let mut state = state(WIRING, &[]);
        let now = [("A", status), ("B", ConditionStatus::True)];
        state.conditions.replace(now.map(|(type_, status)| Condition::new(type_, status, "Because", "it is")));
        state.set_ready_message("Stored", "all is stored");
        let (_, intent) = state.conclude(Outcome::Done, Retry::Slow);
        let ready = intent.ready().unwrap();
        (ready.status, ready.reason.clone())
    };
    assert_eq!(ready(ConditionStatus::True), (ConditionStatus::True, "Stored".into()));
    assert_eq!(ready(ConditionStatus::False), (ConditionStatus::False, "Because".into()));
}

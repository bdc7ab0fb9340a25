//! What a draft holds of the status, and what joined steps and their forks make of it.

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

/// A status that is nothing but its fields.
const TYPED: Typed = Typed {
    fields: |status| Ok(status.downcast_ref::<Fields>().unwrap().clone()),
    copy: |status| Box::new(status.downcast_ref::<Fields>().unwrap().clone()),
    with: |_, fields| Ok(Box::new(fields.clone())),
};

fn fields(pairs: &[(&'static str, u8)]) -> Fields {
    pairs.iter().map(|(name, value)| ((*name).into(), Field::of(value))).collect()
}

/// A draft of generation 2 whose status is these fields, and was found with them.
fn state(wiring: Wiring, found: &[(&'static str, u8)]) -> PassState {
    state_over(wiring, found, Arc::new(Nowhere::default()))
}

/// The same, of a reconciler with this backend.
fn state_over(wiring: Wiring, found: &[(&'static str, u8)], backend: Arc<Nowhere>) -> PassState {
    let conditions = vec![Condition::new("A", ConditionStatus::False, "Broken", "it is")];
    let mut state = PassState::bare(wiring, 2, Observed::default(), conditions, backend);
    (state.namespace, state.name) = (Some("a".into()), "x".into());
    (state.status, state.typed) = (Box::new(fields(found)), TYPED);
    state.before.all_fields = fields(found);
    state
}

#[test]
fn a_fork_is_of_the_same_object_and_begins_with_what_the_draft_holds() {
    let mut state = state(WIRING, &[("a", 1)]);
    state.fired = vec!["restart"];
    state.policy = Policy::Skip;
    let fork = state.fork(1).first().unwrap();
    assert_eq!((fork.namespace.as_deref(), &*fork.name), (Some("a"), "x"));
    assert_eq!((fork.said(), fork.policy, fork.fires("restart")), (fields(&[("a", 1)]), Policy::Skip, true));
    assert_eq!(fork.condition(0).map(|condition| condition.status), Some(ConditionStatus::False));
    assert_eq!(fork.before.conditions.len(), 1, "times are those of what was found");
}

/// Merges two forks whose steps left these fields.
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
    (state.said(), lines.iter().filter(|line| line.contains("joined steps write the same status field")).count())
}

#[test]
fn the_fields_of_joined_steps_are_merged_and_two_writers_of_one_field_are_reported() {
    let backend = Arc::default();
    assert_eq!(merged(&backend, &[("a", 1)], &[("a", 1)], &[("a", 1)]), (fields(&[("a", 1)]), 0));
    assert_eq!(merged(&backend, &[("a", 1)], &[("a", 2)], &[("a", 1), ("b", 1)]), (fields(&[("a", 2), ("b", 1)]), 0));
    assert_eq!(merged(&backend, &[], &[("same", 1)], &[("same", 1)]), (fields(&[("same", 1)]), 0), "they agree");
    assert_eq!(merged(&backend, &[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 1));
    assert_eq!(merged(&backend, &[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 0), "reported once");
}

#[test]
fn after_joined_steps_the_last_one_ran_last_unless_one_stopped() {
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
fn what_a_joined_step_recorded_counts_as_found_once_all_have_ended() {
    let mut state = state(WIRING, &[]);
    let fork = state.fork(1).first().unwrap();
    let turn = futures::FutureExt::now_or_never(fork.turn()).unwrap().unwrap();
    turn.wrote(DesiredStatus { fields: fields(&[("a", 1)]), ..fork.progress() });
    drop(turn);
    state.merge(vec![None]);
    assert_eq!(state.found().fields, fields(&[("a", 1)]));
}

#[test]
fn a_step_that_succeeds_makes_true_what_it_did_not_set_itself() {
    let mut state = state(WIRING, &[]);
    state.step = Some(&FIRST);
    state.clear(0);
    state.succeed(1 << 1);
    assert_eq!(state.condition(0).map(|condition| condition.status), Some(ConditionStatus::True));
    assert_eq!(state.condition(1), None, "the step left it out");
}

#[test]
fn in_the_middle_of_a_new_generation_the_object_is_reconciling_and_of_a_known_one_it_is_as_it_was() {
    let types = |observed| {
        let mut state = state(WIRING, &[]);
        state.before.observed_generation = observed;
        state.progress().conditions.into_iter().map(|condition| condition.type_).collect::<Vec<_>>()
    };
    assert_eq!(types(Some(1)), [RECONCILING, "Ready", "A"]);
    assert_eq!(types(Some(2)), ["Ready", "A"]);
}

#[test]
fn the_fields_of_a_reconciler_are_those_that_it_wrote_or_changes() {
    let mut state = state(WIRING, &[("theirs", 1), ("ours", 1), ("changed", 1)]);
    state.before.observed = ObservedBy { fields: vec!["ours".into()], ..ObservedBy::default() }.into();
    state.status = Box::new(fields(&[("theirs", 1), ("ours", 1), ("changed", 2), ("new", 1)]));
    assert_eq!(state.progress().fields, fields(&[("ours", 1), ("changed", 2), ("new", 1)]));
}

#[test]
fn where_an_observer_runs_the_conditions_of_the_steps_are_not_reported() {
    let mut state = state(WIRING, &[]);
    state.observe(&[1]);
    assert_eq!(state.condition(0), None);
}

#[test]
fn a_reason_that_the_condition_does_not_declare_is_reported_once() {
    const REASONS: &[ReasonInfo] = &[ReasonInfo { name: "Known", doc: "" }];
    const CLOSED: Wiring = Wiring { name: "closed", conditions: &[A.with_reasons(REASONS)], ..Wiring::EMPTY };
    let state = state(CLOSED, &[]);
    let lines = |reason| logged(|| state.hold_to_set(0, reason)).len();
    assert_eq!((lines("Known"), lines("Unknown"), lines("Unknown")), (0, 1, 0));
}

#[test]
fn a_pass_made_progress_where_a_status_of_a_condition_or_a_field_is_another_one() {
    let state = state(WIRING, &[]);
    let found = || state.found();
    assert!(!state.progressed(&found()));
    let said = |status| vec![Condition::new("A", status, "Other", "words")];
    assert!(
        !state.progressed(&DesiredStatus { conditions: said(ConditionStatus::False), ..found() }),
        "only the words differ"
    );
    assert!(state.progressed(&DesiredStatus { conditions: said(ConditionStatus::True), ..found() }));
    assert!(state.progressed(&DesiredStatus { fields: fields(&[("a", 1)]), ..found() }));
}

#[test]
fn what_a_pass_recorded_and_took_back_is_no_progress() {
    let mut state = state(WIRING, &[]);
    let found = state.found();
    state.recorded(DesiredStatus { fields: fields(&[("a", 1)]), ..found.clone() });
    assert!(!state.progressed(&found));
    assert!(state.progressed(&DesiredStatus { fields: fields(&[("a", 1)]), ..found }));
}

#[test]
fn the_words_of_a_ready_object_are_given_only_where_it_is_ready() {
    let ready = |status| {
        let mut state = state(WIRING, &[]);
        let now = [("A", status), ("B", ConditionStatus::True)];
        state.conditions.replace(now.map(|(type_, status)| Condition::new(type_, status, "Because", "it is")));
        state.say_ready("Stored", "all is stored");
        let (_, intent) = state.conclude(Outcome::Done, Retry::Slow);
        let ready = intent.ready().unwrap();
        (ready.status, ready.reason.clone())
    };
    assert_eq!(ready(ConditionStatus::True), (ConditionStatus::True, "Stored".into()));
    assert_eq!(ready(ConditionStatus::False), (ConditionStatus::False, "Because".into()));
}

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
fn draft(wiring: Wiring, found: &[(&'static str, u8)]) -> Draft {
    let conditions = vec![Condition::new("A", Status::False, "Broken", "it is")];
    let mut draft = Draft::bare(wiring, 2, Observed::default(), conditions, Arc::new(Nowhere));
    (draft.namespace, draft.name) = (Some("a".into()), "x".into());
    (draft.status, draft.typed) = (Box::new(fields(found)), TYPED);
    draft.before.all_fields = fields(found);
    draft
}

#[test]
fn a_fork_is_of_the_same_object_and_begins_with_what_the_draft_holds() {
    let mut draft = draft(WIRING, &[("a", 1)]);
    draft.fired = vec!["restart"];
    draft.policy = Policy::Skip;
    let fork = draft.fork(1).first().unwrap();
    assert_eq!((fork.namespace.as_deref(), &*fork.name), (Some("a"), "x"));
    assert_eq!((fork.said(), fork.policy, fork.fires("restart")), (fields(&[("a", 1)]), Policy::Skip, true));
    assert_eq!(fork.condition(0).map(|condition| condition.status), Some(Status::False));
    assert_eq!(fork.before.conditions.len(), 1, "times are those of what was found");
}

/// Merges two forks whose steps left these fields.
fn merged(
    found: &[(&'static str, u8)],
    first: &[(&'static str, u8)],
    second: &[(&'static str, u8)],
) -> (Fields, usize) {
    let mut draft = draft(WIRING, found);
    for (fork, (step, left)) in draft.fork(2).iter_mut().zip([(&FIRST, first), (&SECOND, second)]) {
        (fork.step, fork.status) = (Some(step), Box::new(fields(left)));
    }
    let lines = logged(|| assert!(draft.merge(vec![None, None]).is_none()));
    (draft.said(), lines.iter().filter(|line| line.contains("joined steps write the same status field")).count())
}

#[test]
fn the_fields_of_joined_steps_are_merged_and_two_writers_of_one_field_are_reported() {
    assert_eq!(merged(&[("a", 1)], &[("a", 1)], &[("a", 1)]), (fields(&[("a", 1)]), 0));
    assert_eq!(merged(&[("a", 1)], &[("a", 2)], &[("a", 1), ("b", 1)]), (fields(&[("a", 2), ("b", 1)]), 0));
    assert_eq!(merged(&[], &[("same", 1)], &[("same", 1)]), (fields(&[("same", 1)]), 0), "they agree");
    assert_eq!(merged(&[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 1));
    assert_eq!(merged(&[], &[("rival", 1)], &[("rival", 2)]), (fields(&[("rival", 2)]), 0), "reported once");
}

#[test]
fn after_joined_steps_the_last_one_ran_last_unless_one_stopped() {
    let ran = |stops: Vec<Option<Halt>>| {
        let mut draft = draft(WIRING, &[]);
        draft.fork(2).iter_mut().zip([&FIRST, &SECOND]).for_each(|(fork, step)| fork.step = Some(step));
        draft.merge(stops);
        draft.running_part()
    };
    assert_eq!(ran(vec![None, None]), "step second");
    let stop = Halt::new(Class::Stalled, "Because", "", crate::outcome::reporting::Actions::MISHAP);
    assert_eq!(ran(vec![Some(stop), None]), "step first");
}

#[test]
fn what_a_joined_step_recorded_counts_as_found_once_all_have_ended() {
    let mut draft = draft(WIRING, &[]);
    let fork = draft.fork(1).first().unwrap();
    let turn = futures::FutureExt::now_or_never(fork.turn()).unwrap().unwrap();
    turn.wrote(StatusIntent { fields: fields(&[("a", 1)]), ..fork.progress() });
    drop(turn);
    draft.merge(vec![None]);
    assert_eq!(draft.found().fields, fields(&[("a", 1)]));
}

#[test]
fn a_step_that_succeeds_makes_true_what_it_did_not_set_itself() {
    let mut draft = draft(WIRING, &[]);
    draft.step = Some(&FIRST);
    draft.clear(0);
    draft.succeed(1 << 1);
    assert_eq!(draft.condition(0).map(|condition| condition.status), Some(Status::True));
    assert_eq!(draft.condition(1), None, "the step left it out");
}

#[test]
fn in_the_middle_of_a_new_generation_the_object_is_reconciling_and_of_a_known_one_it_is_as_it_was() {
    let types = |observed| {
        let mut draft = draft(WIRING, &[]);
        draft.before.observed_generation = observed;
        draft.progress().conditions.into_iter().map(|condition| condition.type_).collect::<Vec<_>>()
    };
    assert_eq!(types(Some(1)), [RECONCILING, "Ready", "A"]);
    assert_eq!(types(Some(2)), ["Ready", "A"]);
}

#[test]
fn the_fields_of_a_reconciler_are_those_that_it_wrote_or_changes() {
    let mut draft = draft(WIRING, &[("theirs", 1), ("ours", 1), ("changed", 1)]);
    draft.before.observed = ObservedBy { fields: vec!["ours".into()], ..ObservedBy::default() }.into();
    draft.status = Box::new(fields(&[("theirs", 1), ("ours", 1), ("changed", 2), ("new", 1)]));
    assert_eq!(draft.progress().fields, fields(&[("ours", 1), ("changed", 2), ("new", 1)]));
}

#[test]
fn where_an_observer_runs_the_conditions_of_the_steps_are_not_reported() {
    let mut draft = draft(WIRING, &[]);
    draft.observe(&[1]);
    assert_eq!(draft.condition(0), None);
}

#[test]
fn a_reason_that_the_condition_does_not_declare_is_reported_once() {
    const REASONS: &[ReasonInfo] = &[ReasonInfo { name: "Known", doc: "" }];
    const CLOSED: Wiring = Wiring { name: "closed", conditions: &[A.with_reasons(REASONS)], ..Wiring::EMPTY };
    let draft = draft(CLOSED, &[]);
    let lines = |reason| logged(|| draft.hold_to_set(0, reason)).len();
    assert_eq!((lines("Known"), lines("Unknown"), lines("Unknown")), (0, 1, 0));
}

#[test]
fn a_pass_made_progress_where_a_status_of_a_condition_or_a_field_is_another_one() {
    let draft = draft(WIRING, &[]);
    let found = || draft.found();
    assert!(!draft.progressed(&found()));
    let said = |status| vec![Condition::new("A", status, "Other", "words")];
    assert!(!draft.progressed(&StatusIntent { conditions: said(Status::False), ..found() }), "only the words differ");
    assert!(draft.progressed(&StatusIntent { conditions: said(Status::True), ..found() }));
    assert!(draft.progressed(&StatusIntent { fields: fields(&[("a", 1)]), ..found() }));
}

#[test]
fn what_a_pass_recorded_and_took_back_is_no_progress() {
    let mut draft = draft(WIRING, &[]);
    let found = draft.found();
    draft.recorded(StatusIntent { fields: fields(&[("a", 1)]), ..found.clone() });
    assert!(!draft.progressed(&found));
    assert!(draft.progressed(&StatusIntent { fields: fields(&[("a", 1)]), ..found }));
}

#[test]
fn the_words_of_a_ready_object_are_given_only_where_it_is_ready() {
    let ready = |status| {
        let mut draft = draft(WIRING, &[]);
        let now = [("A", status), ("B", Status::True)];
        draft.conditions.replace(now.map(|(type_, status)| Condition::new(type_, status, "Because", "it is")));
        draft.say_ready("Stored", "all is stored");
        let (_, intent) = draft.conclude(Outcome::Done, Retry::Slow);
        let ready = intent.ready().unwrap();
        (ready.status, ready.reason.clone())
    };
    assert_eq!(ready(Status::True), (Status::True, "Stored".into()));
    assert_eq!(ready(Status::False), (Status::False, "Because".into()));
}

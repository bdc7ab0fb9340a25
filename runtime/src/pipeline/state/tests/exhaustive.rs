//! Every outcome in every state of a status: observers read the written status as intended.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::kstatus::{self, Mode, Observed};
use serde_json::json;

use super::no_backend::Nowhere;
use crate::condition::{Condition, ConditionInfo, ConditionStatus, Polarity, RECONCILING, STALLED};
use crate::outcome::retry::Retry;
use crate::outcome::{Class, Outcome, PassError, Requeue};
use crate::pipeline::state::{DesiredStatus, PassState};
use crate::wiring::{StepWiring, Wiring};

const SET: &[ConditionInfo] = &[
    ConditionInfo::new("Fetched", Polarity::Positive),
    ConditionInfo::new("Outdated", Polarity::Negative),
    ConditionInfo::new("Stored", Polarity::Positive),
    ConditionInfo::new("Verified", Polarity::Bipolar),
];
const FETCH: StepWiring = StepWiring { name: "fetch", sets: &[0, 1], ..StepWiring::EMPTY };
const STORE: StepWiring = StepWiring { name: "store", sets: &[2, 3], clears: &[1], ..StepWiring::EMPTY };
const WIRING: Wiring = Wiring { name: "widget", conditions: SET, steps: &[FETCH, STORE], ..Wiring::EMPTY };

/// How a pass ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Done,
    Requeue(Option<Duration>),
    /// An error of this class in the step at this index.
    Error(Class, usize),
    /// Every step succeeds, but one of them sets a bad condition.
    NotReady,
}

fn ends() -> Vec<End> {
    let later = Some(Duration::from_secs(60));
    let waiting = [None, later].map(|poll| Class::Waiting { poll });
    let classes = [Class::Stalled, Class::Transient, Class::Ignored].into_iter().chain(waiting);
    let errors = classes.flat_map(|class| [0, 1].map(|step| End::Error(class, step)));
    [End::Done, End::NotReady, End::Requeue(None), End::Requeue(later)].into_iter().chain(errors).collect()
}

/// Every combination of absent, True, False and Unknown for the conditions.
fn states() -> impl Iterator<Item = Vec<(&'static str, ConditionStatus)>> {
    let status = |code: usize| {
        [None, Some(ConditionStatus::True), Some(ConditionStatus::False), Some(ConditionStatus::Unknown)][code % 4]
    };
    (0..256).map(move |code| {
        let places = (0..4).map(|place| (SET[place].type_, status(code >> (2 * place))));
        places.filter_map(|(type_, status)| Some((type_, status?))).collect()
    })
}

/// The combinations of these two conditions before the pass.
const MARKS: [&[&str]; 4] = [&[], &[RECONCILING], &[STALLED], &[RECONCILING, STALLED]];

fn found(state: &[(&str, ConditionStatus)], marks: &[&str], observed: i64) -> Vec<Condition> {
    let condition = |type_: &str, status| Condition {
        observed_generation: Some(observed),
        ..Condition::new(type_, status, "Earlier", "from before")
    };
    let marks = marks.iter().map(|type_| condition(type_, ConditionStatus::True));
    state.iter().map(|(type_, status)| condition(type_, *status)).chain(marks).collect()
}

fn run(end: End, found: Vec<Condition>, observed: i64) -> (Outcome, DesiredStatus) {
    let mut before = crate::status::observed::Observed::default();
    before.generation = Some(observed);
    let mut state = PassState::bare(WIRING, 2, before, found, Arc::new(Nowhere::default()));
    let mut pass_error = None;
    for (place, step) in WIRING.steps.iter().enumerate() {
        state.begin(step);
        match end {
            End::Error(class, at) if at == place => {
                if class != Class::Ignored {
                    state.fail(None, "Because", "of this");
                }
                pass_error = Some(PassError::new(class, "Because", "of this", class.actions()));
                break;
            }
            End::NotReady if place == 1 => {
                state.set(3, ConditionStatus::False, "Unsigned", "no signature was found");
                state.succeed(1 << 3);
            }
            _ => state.succeed(0),
        }
    }
    if let End::Requeue(after) = end {
        state.requeue = Some(after.map_or(Requeue::WithBackoff, Requeue::After));
    }
    let outcome = state.outcome(pass_error);
    state.conclude(outcome, Retry::Slow)
}

fn meant(outcome: &Outcome) -> Observed {
    match outcome {
        Outcome::Done | Outcome::Ignored => Observed::Current,
        Outcome::Stalled { .. } => Observed::Failed,
        _ => Observed::InProgress,
    }
}

fn is_as_asked(end: End, outcome: &Outcome) -> bool {
    match (end, outcome) {
        (End::Done, Outcome::Done)
        | (End::NotReady, Outcome::Failed { .. })
        | (End::Error(Class::Stalled, _), Outcome::Stalled { .. })
        | (End::Error(Class::Transient, _), Outcome::Failed { .. })
        // An ignored error fails if a condition is bad or was never set.
        | (End::Error(Class::Ignored, _), Outcome::Ignored | Outcome::Failed { .. }) => true,
        (End::Requeue(wanted), Outcome::Requeue { after }) => wanted == *after,
        (End::Error(Class::Waiting { poll: wanted }, _), Outcome::Waiting { poll }) => wanted == *poll,
        _ => false,
    }
}

#[test]
fn every_outcome_in_every_state_gets_its_kstatus() {
    let mut tried = 0;
    for (end, state) in ends().into_iter().flat_map(|end| states().map(move |state| (end, state))) {
        for (marks, observed) in MARKS.into_iter().flat_map(|marks| [1, 2].map(|observed| (marks, observed))) {
            let (outcome, intent) = run(end, found(&state, marks, observed), observed);
            let what = format!("{end:?} from {state:?} with {marks:?}, observed {observed}: {outcome:?}");
            assert!(is_as_asked(end, &outcome), "{what}");
            for foreign in
                [None, Some(json!({ "type": "Foreign", "status": "False", "observedGeneration": 2, "reason": "X" }))]
            {
                let mut object = json!({ "metadata": { "generation": 2 }, "status": intent.to_value() });
                object["status"]["conditions"].as_array_mut().unwrap().extend(foreign);
                assert_eq!(kstatus::compute(&object), meant(&outcome), "{what}: {object:#}");
                let broken = kstatus::check(&object, &["Outdated"], Mode::Final);
                let broken: Vec<_> = broken.iter().filter(|found| found.rule.is_strict()).collect();
                assert!(broken.is_empty(), "{what}: {broken:?} {object:#}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 14 * 256 * 4 * 2 * 2);
}

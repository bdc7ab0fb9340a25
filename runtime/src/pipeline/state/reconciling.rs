//! The reason and message of Reconciling for a pass that runs again.

use super::PassState;
use crate::outcome::Outcome;
use crate::outcome::retry::Retry;

/// The message of Reconciling: the part of the author's code that runs again, and the reason.
pub(super) fn retry_message(state: &PassState, outcome: &Outcome) -> String {
    if let Some(pass_error) = &state.blocked {
        return pass_error.message.clone();
    }
    let step = match (state.cleanup, state.step) {
        (Some(cleanup), _) => format!("the cleanup {cleanup}"),
        (None, Some(step)) => step.name.to_owned(),
        (None, None) => "the pass".to_owned(),
    };
    match outcome {
        Outcome::Requeue { .. } if state.remaining.is_some() => state.remaining.clone().unwrap_or_default(),
        Outcome::Waiting { .. } => format!("waiting in {step}"),
        Outcome::Requeue { .. } => format!("{step} requested a requeue"),
        // No condition is marked, so the message is the only place for the error.
        Outcome::Failed { message } if state.marked.is_none() => message.clone(),
        _ => format!("retrying {step}"),
    }
}

/// The reason of Reconciling. A wait for a change of a watched object counts as progress, a wait for a time as a retry.
pub(super) const fn progressing(outcome: &Outcome, retry: Retry) -> &'static str {
    match (outcome, retry) {
        // `waiting(poll = requeue)` checks again at the next resync.
        (Outcome::Waiting { poll: None }, Retry::Fast | Retry::Slow) => "Progressing",
        _ => "ProgressingWithRetry",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::condition::{ConditionInfo, Polarity};
    use crate::outcome::{Class, PassError};
    use crate::pipeline::state::tests::no_backend::Nowhere;
    use crate::status::observed::Observed;
    use crate::wiring::{StepWiring, Wiring};

    const FETCH: StepWiring = StepWiring { name: "fetch", sets: &[0], ..StepWiring::EMPTY };
    const WIRING: Wiring = Wiring {
        name: "widget",
        conditions: &[ConditionInfo::new("Fetched", Polarity::Positive)],
        steps: &[FETCH],
        ..Wiring::EMPTY
    };

    #[test]
    fn reconciling_names_the_retried_part_and_the_error() {
        let message = |state: PassState, outcome: &Outcome| retry_message(&state, outcome);
        let at = |step: Option<&'static StepWiring>, cleanup: Option<&'static str>| {
            let mut state = PassState::bare(WIRING, 2, Observed::default(), Vec::new(), Arc::new(Nowhere::default()));
            step.into_iter().for_each(|step| state.begin(step));
            state.cleanup = cleanup;
            state
        };
        let (waiting, requeue) = (Outcome::Waiting { poll: None }, Outcome::Requeue { after: None });
        let failed = Outcome::Failed { message: "boom".into() };
        assert_eq!(message(at(None, None), &waiting), "waiting in the pass");
        assert_eq!(message(at(Some(&FETCH), None), &waiting), "waiting in fetch");
        assert_eq!(message(at(Some(&FETCH), Some("remove")), &waiting), "waiting in the cleanup remove");
        assert_eq!(message(at(Some(&FETCH), None), &requeue), "fetch requested a requeue");
        assert_eq!(message(at(Some(&FETCH), None), &failed), "boom");
        let mut marked = at(Some(&FETCH), None);
        marked.fail(None, "Because", "of this");
        assert_eq!(message(marked, &failed), "retrying fetch");
        let mut blocked = at(Some(&FETCH), None);
        blocked.blocked = {
            let class = Class::Waiting { poll: None };
            Some(PassError::new(class, "Because", "of this", class.actions()))
        };
        assert_eq!(message(blocked, &failed), "of this");
    }

    #[test]
    fn only_waiting_without_poll_is_progressing() {
        let waiting = |poll| Outcome::Waiting { poll };
        for retry in [Retry::Fast, Retry::Slow] {
            assert_eq!(progressing(&waiting(None), retry), "Progressing");
            assert_eq!(progressing(&waiting(Some(Duration::from_secs(1))), retry), "ProgressingWithRetry");
            assert_eq!(progressing(&Outcome::Requeue { after: None }, retry), "ProgressingWithRetry");
        }
        assert_eq!(progressing(&waiting(None), Retry::VerySlow), "ProgressingWithRetry");
    }
}

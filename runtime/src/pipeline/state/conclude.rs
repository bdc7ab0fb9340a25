//! The conclusion of a pass: its outcome, conditions and summary, following the table of outcomes.

use super::found_status::second;
use super::reconciling::{progressing, retry_message};
use super::{DesiredStatus, PassState};
use crate::api::ApiError;
use crate::condition::{Condition, ConditionStatus, Merge, READY, RECONCILING, Ranking, STALLED, find};
use crate::outcome::retry::Retry;
use crate::outcome::{Class, Outcome, PassError, Requeue};

impl PassState {
    /// Classifies how the pipeline ended, before the summary is computed.
    pub(crate) fn outcome(&self, pass_error: Option<PassError>) -> Outcome {
        if let Some(ApiError::Conflict(_)) = self.write_error {
            return Outcome::Conflict;
        }
        match self.refused.clone().or(pass_error) {
            None => match self.requeue {
                None => Outcome::Done,
                Some(Requeue::After(after)) => Outcome::Requeue { after: Some(after) },
                Some(Requeue::WithBackoff) => Outcome::Requeue { after: None },
            },
            Some(pass_error) => match pass_error.class {
                Class::Stalled => Outcome::Stalled { reason: pass_error.reason.into(), message: pass_error.message },
                Class::Waiting { poll } => Outcome::Waiting { poll },
                Class::Transient => Outcome::Failed { message: pass_error.message },
                Class::Ignored => Outcome::Ignored,
            },
        }
    }

    /// Records that no step runs because of this error. Positive conditions that were never reported are set to Unknown.
    pub(crate) fn block(&mut self, pass_error: &PassError) {
        self.conditions.block_unreported(&pass_error.message, &self.before);
        self.blocked = Some(pass_error.clone());
    }

    /// Records that the object is stalled for this reason, regardless of the results of its steps.
    pub(crate) fn refuse(&mut self, pass_error: PassError) {
        self.refused.get_or_insert(pass_error);
    }

    /// Sets the positive conditions that were never reported to Unknown, with the blocking step in the message. Steps that ran or were
    /// skipped have reported their own, whatever the order of the branches.
    fn block_unreached(&mut self) {
        if self.step.is_none() {
            return;
        }
        let message = format!("blocked by {}", self.running_part());
        self.conditions.block_unreported(&message, &self.before);
    }

    /// Computes conditions, summary and generation for the outcome. A success whose summary is not True becomes `Failed`.
    pub(crate) fn conclude(&mut self, outcome: Outcome, retry: Retry) -> (Outcome, DesiredStatus) {
        let outcome = match outcome {
            Outcome::Ignored if !self.conditions.all_reported() => {
                Outcome::Failed { message: "the error is ignored, but a condition was never reported".into() }
            }
            other => other,
        };
        if outcome == Outcome::Ignored {
            // There was nothing to do, so all conditions hold for this generation as well.
            self.conditions.confirm(self.before.generation);
        }
        if !matches!(outcome, Outcome::Done | Outcome::Ignored | Outcome::Requeue { .. }) {
            self.block_unreached();
        }
        let conditions = self.summarized(&outcome, retry);
        let ready = find(&conditions, self.wiring.summary_type());
        if matches!(outcome, Outcome::Done | Outcome::Ignored)
            && let Some(ready) = ready.filter(|ready| ready.status != ConditionStatus::True)
        {
            let failed = Outcome::Failed { message: ready.message.clone() };
            let conditions = self.summarized(&failed, retry);
            return (failed.clone(), self.intent(&failed, conditions));
        }
        let intent = self.intent(&outcome, conditions);
        (outcome, intent)
    }

    /// All conditions in the order in which they are sent: Stalled, Reconciling, Ready, further summaries, then declared order.
    fn summarized(&self, outcome: &Outcome, retry: Retry) -> Vec<Condition> {
        let (before, conditions) = (&self.before, &self.conditions);
        let mut all = Vec::with_capacity(conditions.places().len() + 2);
        match outcome {
            Outcome::Stalled { reason, message } => {
                all.push(before.stamped(STALLED, ConditionStatus::True, reason, message));
            }
            Outcome::Requeue { .. } | Outcome::Waiting { .. } | Outcome::Failed { .. } => {
                let message = retry_message(self, outcome);
                all.push(before.stamped(RECONCILING, ConditionStatus::True, progressing(outcome, retry), &message));
            }
            _ => {}
        }
        all.extend(conditions.reported().cloned());
        let marked = self.marked.map(|place| conditions.info(place).type_);
        let merge = Merge::of(Ranking::Worst, conditions.members(conditions.places())).and_progress().first(marked);
        if let Some(mut summary) = merge.summary(&all, READY) {
            let type_ = self.wiring.summary_type();
            let ready = match (&self.blocked, &self.ready) {
                (Some(pass_error), _) => {
                    before.stamped(type_, ConditionStatus::False, pass_error.reason, &pass_error.message)
                }
                (None, Some((reason, message))) if summary.status == ConditionStatus::True => {
                    let message = if message.is_empty() { &summary.message } else { message };
                    before.stamped(type_, ConditionStatus::True, reason, message)
                }
                _ => {
                    type_.clone_into(&mut summary.type_);
                    before.stamp(summary)
                }
            };
            let at = all.len() - conditions.reported().count();
            all.insert(at, ready);
            all.splice(at + 1..at + 1, self.further_summaries(marked));
        }
        // A second reconciler of the kind includes Stalled and Reconciling in its summary, but only the first one writes them.
        all.retain(|c| self.wiring.summary.is_none() || ![STALLED, RECONCILING].contains(&c.type_.as_str()));
        all
    }

    /// The summaries other than Ready, each computed only from the conditions that it names.
    fn further_summaries(&self, marked: Option<&str>) -> Vec<Condition> {
        if self.wiring.summaries.is_empty() {
            return Vec::new();
        }
        let declared: Vec<Condition> = self.conditions.reported().cloned().collect();
        let summaries = self.wiring.summaries.iter().filter_map(|summary| {
            let members = self.conditions.members(summary.of.iter().copied());
            Merge::of(Ranking::Worst, members).first(marked).summary(&declared, summary.type_)
        });
        summaries.map(|c| self.before.stamped(&c.type_, c.status, &c.reason, &c.message)).collect()
    }

    fn intent(&self, outcome: &Outcome, conditions: Vec<Condition>) -> DesiredStatus {
        let observed_generation =
            if outcome.is_final() { Some(self.before.generation) } else { self.before.observed_generation };
        DesiredStatus {
            observed_generation,
            conditions,
            fields: self.fields(),
            // The pass adds them; they are not part of the draft.
            observed_inputs: None,
            receipts: self.receipts.clone(),
            sets: self.sets.clone(),
            summary: self.wiring.summary_type(),
            second: second(&self.wiring, matches!(outcome, Outcome::Stalled { .. })),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::condition::{ConditionInfo, Polarity, SummaryInfo};
    use crate::pipeline::state::tests::no_backend::Nowhere;
    use crate::status::observed::Observed;
    use crate::wiring::{StepWiring, Wiring};

    const SET: &[ConditionInfo] = &[
        ConditionInfo::new("Fetched", Polarity::Positive),
        ConditionInfo::new("Outdated", Polarity::Negative),
        ConditionInfo::new("Stored", Polarity::Positive),
    ];
    const FETCH: StepWiring = StepWiring { name: "fetch", sets: &[0, 1], ..StepWiring::EMPTY };
    const STORE: StepWiring = StepWiring { name: "store", sets: &[2], clears: &[1], ..StepWiring::EMPTY };
    const WIRING: Wiring = Wiring {
        name: "widget",
        conditions: SET,
        steps: &[FETCH, STORE],
        timeout: Duration::from_secs(1),
        ..Wiring::EMPTY
    };

    fn state(found: Vec<Condition>) -> PassState {
        let mut observed = Observed::default();
        observed.generation = Some(1);
        PassState::bare(WIRING, 2, observed, found, Arc::new(Nowhere::default()))
    }

    fn pass_error(class: Class) -> Option<PassError> {
        Some(PassError::new(class, "Because", "of this", class.actions()))
    }

    fn run(mut state: PassState, steps: &'static [StepWiring], halted: Option<PassError>) -> (Outcome, DesiredStatus) {
        for step in steps {
            state.begin(step);
            if halted.is_some() && step.name == steps[steps.len() - 1].name {
                state.fail(None, "Because", "of this");
            } else {
                state.succeed(0);
            }
        }
        let outcome = state.outcome(halted);
        state.conclude(outcome, Retry::Slow)
    }

    fn status(intent: &DesiredStatus, type_: &str) -> Option<ConditionStatus> {
        find(&intent.conditions, type_).map(|c| c.status)
    }

    #[test]
    fn done_is_ready_and_observed() {
        let (outcome, intent) = run(state(vec![]), &[FETCH, STORE], None);
        assert_eq!(outcome, Outcome::Done);
        assert_eq!(intent.observed_generation, Some(2));
        let types: Vec<_> = intent.conditions.iter().map(|c| c.type_.as_str()).collect();
        assert_eq!(types, ["Ready", "Fetched", "Stored"]);
        assert_eq!(status(&intent, READY), Some(ConditionStatus::True));
    }

    #[test]
    fn further_summaries_are_sent_after_ready() {
        const AVAILABLE: SummaryInfo = SummaryInfo { type_: "Available", of: &[2], doc: "" };
        let mut state = state(vec![]);
        state.wiring.summaries = &[AVAILABLE];
        let (_, intent) = run(state, &[FETCH], pass_error(Class::Transient));
        let sent: Vec<_> = intent.conditions.iter().map(|c| (c.type_.as_str(), c.reason.as_str())).collect();
        assert_eq!(sent[..3].iter().map(|c| c.0).collect::<Vec<_>>(), ["Reconciling", "Ready", "Available"]);
        assert_eq!((sent[1].1, sent[2].1), ("Because", "Blocked"));
        assert_eq!(status(&intent, "Available"), Some(ConditionStatus::Unknown));
    }

    #[test]
    fn each_error_class_has_its_outcome() {
        let poll = Some(Duration::from_secs(60));
        for (class, stalled, reconciling, observed) in [
            (Class::Stalled, Some(ConditionStatus::True), None, Some(2)),
            (Class::Waiting { poll }, None, Some(ConditionStatus::True), Some(1)),
            (Class::Transient, None, Some(ConditionStatus::True), Some(1)),
        ] {
            let (_, intent) = run(state(vec![]), &[FETCH], pass_error(class));
            assert_eq!(status(&intent, STALLED), stalled, "{class:?}");
            assert_eq!(status(&intent, RECONCILING), reconciling, "{class:?}");
            assert_eq!(intent.observed_generation, observed, "{class:?}");
            let ready = find(&intent.conditions, READY).unwrap();
            assert_eq!((ready.status, &*ready.reason, &*ready.message), (ConditionStatus::False, "Because", "of this"));
            let blocked = find(&intent.conditions, "Stored").unwrap();
            assert_eq!((blocked.status, &*blocked.reason), (ConditionStatus::Unknown, "Blocked"));
            assert!(blocked.message.contains("fetch"));
        }
    }

    #[test]
    fn a_requeue_is_reconciling_and_not_ready() {
        let mut state = state(vec![]);
        state.requeue = Some(Requeue::WithBackoff);
        let (outcome, intent) = run(state, &[FETCH, STORE], None);
        assert_eq!(outcome, Outcome::Requeue { after: None });
        assert_eq!((status(&intent, READY), intent.observed_generation), (Some(ConditionStatus::False), Some(1)));
    }

    #[test]
    fn a_success_that_is_not_ready_is_failed_with_the_message_of_ready() {
        let mut state = state(vec![]);
        state.begin(&FETCH);
        state.set(1, ConditionStatus::True, "Newer", "a newer one exists");
        state.succeed(0b10);
        state.begin(&StepWiring { clears: &[], ..STORE });
        state.succeed(0);
        let (outcome, intent) = state.conclude(Outcome::Done, Retry::Slow);
        assert_eq!(outcome, Outcome::Failed { message: "a newer one exists".into() });
        assert_eq!(status(&intent, RECONCILING), Some(ConditionStatus::True));
        assert_eq!(intent.observed_generation, Some(1));
    }

    #[test]
    fn an_ignored_error_fails_with_unreported_conditions() {
        let failed = run(state(vec![]), &[FETCH], pass_error(Class::Ignored)).0;
        assert_eq!(
            failed,
            Outcome::Failed { message: "the error is ignored, but a condition was never reported".into() }
        );
        let found = ["Fetched", "Stored"].map(|type_| Condition {
            observed_generation: Some(1),
            ..state(vec![]).before.stamped(type_, ConditionStatus::True, "Succeeded", "")
        });
        let mut state = state(found.to_vec());
        state.begin(&FETCH);
        let outcome = state.outcome(pass_error(Class::Ignored));
        let (outcome, intent) = state.conclude(outcome, Retry::Slow);
        assert_eq!((outcome, intent.observed_generation), (Outcome::Ignored, Some(2)));
        assert_eq!(find(&intent.conditions, "Stored").and_then(|c| c.observed_generation), Some(2));
    }

    #[test]
    fn steps_not_reached_keep_their_conditions_with_their_generation() {
        let mut stored = state(vec![]).before.stamped("Stored", ConditionStatus::True, "Succeeded", "");
        stored.observed_generation = Some(1);
        let (_, intent) = run(state(vec![stored.clone()]), &[FETCH], pass_error(Class::Transient));
        assert_eq!(find(&intent.conditions, "Stored"), Some(&stored));
    }

    #[test]
    fn the_transition_time_moves_with_the_status_only() {
        let then: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        let mut fetched = state(vec![]).before.stamped("Fetched", ConditionStatus::True, "Earlier", "");
        fetched.last_transition_time = Some(then);
        let (_, intent) = run(state(vec![fetched.clone()]), &[FETCH, STORE], None);
        let now = find(&intent.conditions, "Fetched").unwrap();
        assert_eq!((now.last_transition_time, &*now.reason), (Some(then), "Succeeded"));
        let (_, intent) = run(state(vec![fetched]), &[FETCH], pass_error(Class::Transient));
        assert_ne!(find(&intent.conditions, "Fetched").unwrap().last_transition_time, Some(then));
    }

    #[test]
    fn foreign_and_leftover_conditions_are_never_sent() {
        let found = ["Foreign", RECONCILING, STALLED]
            .map(|type_| state(vec![]).before.stamped(type_, ConditionStatus::True, "X", ""));
        let (_, intent) = run(state(found.to_vec()), &[FETCH, STORE], None);
        assert!(intent.conditions.iter().all(|c| !["Foreign", RECONCILING, STALLED].contains(&c.type_.as_str())));
    }

    #[test]
    fn a_progress_write_replaces_the_found_conditions() {
        let condition = |type_: &str| Condition::new(type_, ConditionStatus::True, "Earlier", "");
        let found = [READY, "Theirs", STALLED, RECONCILING, "Fetched"].map(condition);
        let mut state = state(found.to_vec());
        let written = Condition::new(READY, ConditionStatus::False, "Now", "");
        state.recorded(DesiredStatus { conditions: vec![written], ..DesiredStatus::empty() });
        let there: Vec<_> = state.before.conditions.iter().map(|c| (c.type_.as_str(), c.reason.as_str())).collect();
        assert_eq!(there, [("Theirs", "Earlier"), ("Fetched", "Earlier"), (READY, "Now")]);
    }
}

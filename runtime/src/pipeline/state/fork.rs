//! Forks of a draft: each joined step works on its own fork. They are merged in declared order when all have ended.

use std::time::Duration;

use super::conditions::Conditions;
use super::warn_once::warn_of_rival;
use super::write_turn::{Joined, WriteTurn, WriteTurns};
use super::{DesiredStatus, PassState};
use crate::api::ApiError;
use crate::outcome::{Class, PassError};
use crate::status::fields::Fields;
use crate::status::observed::Observed;

/// The reason why a joined step stopped.
#[derive(Debug)]
pub enum StepEnd {
    /// The step returned this error.
    Halted(PassError),
    /// The step panicked with this message.
    Panicked(String),
}

impl PassState {
    /// Makes a fork for each joined step. This draft owns them, so that they survive when the pipeline is dropped.
    pub(crate) fn fork(&mut self, count: usize) -> &mut [Self] {
        let joined = Joined { base: self.fields(), turns: WriteTurns::default() };
        self.carried.share();
        #[cfg(feature = "dependents")]
        if self.wiring.keeps_dependents() {
            self.converged.share();
        }
        self.forks = (0..count).map(|_| self.forked(&joined)).collect();
        &mut self.forks
    }

    fn forked(&self, joined: &Joined) -> Self {
        Self {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            status: (self.typed.copy)(self.status.as_ref()),
            typed: self.typed,
            conditions: self.conditions.clone(),
            before: self.before.clone(),
            sets: self.sets.clone(),
            fired: self.fired.clone(),
            policy: self.policy,
            carried: self.carried.forked(),
            #[cfg(feature = "dependents")]
            converged: self.converged.clone(),
            joined: Some(joined.clone()),
            ..Self::bare(self.wiring, self.generation(), Observed::default(), Vec::new(), self.backend.clone())
        }
    }

    /// Waits until no other joined step writes its progress. Returns `None` at once if the step is not joined.
    pub(crate) async fn turn(&self) -> Option<WriteTurn> {
        match &self.joined {
            Some(joined) => Some(joined.turns.take().await),
            None => None,
        }
    }

    /// The status in the middle of a pass, including the writes of joined steps.
    pub(crate) fn progress_beside(&self, turn: Option<&WriteTurn>) -> DesiredStatus {
        let mut intent = self.progress();
        if let (Some(joined), Some(last)) = (&self.joined, turn.and_then(WriteTurn::last)) {
            intent.fields = changed(&joined.base, &intent.fields, last.fields);
            let own = self.set_key();
            intent.sets.extend(last.sets.into_iter().filter(|(key, _)| *key != own));
        }
        intent
    }

    /// Merges the forks, in their order. `stops` holds the error of each. Returns the error that decides the outcome.
    pub(crate) fn merge(&mut self, stops: Vec<Option<PassError>>) -> Option<PassError> {
        let forks = std::mem::take(&mut self.forks);
        let deciding = deciding(&stops);
        let (base, written) = (self.conditions.clone(), forks.first().and_then(Self::last_written));
        let sets = self.sets.clone();
        self.merge_fields(&forks);
        if let Some(written) = written {
            self.recorded(written);
        }
        let last = deciding.or(forks.len().checked_sub(1));
        for (i, fork) in forks.into_iter().enumerate() {
            if Some(i) == last {
                (self.step, self.marked) = (fork.step, fork.marked.or(self.marked));
            }
            self.sets.extend(
                fork.sets
                    .iter()
                    .filter(|(key, set)| sets.get(*key) != Some(set))
                    .map(|(key, set)| (key.clone(), set.clone())),
            );
            self.take_in(fork, &base);
        }
        stops.into_iter().nth(deciding?)?
    }

    fn last_written(&self) -> Option<DesiredStatus> {
        self.joined.as_ref()?.turns.last()
    }

    fn take_in(&mut self, fork: Self, base: &Conditions) {
        self.conditions.take_in(fork.conditions, base);
        if let Some(requeue) = fork.requeue {
            self.ask_requeue(requeue);
        }
        self.references.extend(fork.references);
        self.events.append(fork.events);
        self.clamped.extend(fork.clamped);
        self.refused = self.refused.take().or(fork.refused);
        self.ready = fork.ready.or(self.ready.take());
        if self.write_error.is_none() || matches!(fork.write_error, Some(ApiError::Conflict(_))) {
            self.write_error = fork.write_error;
        }
    }

    /// Merges the author's fields, including those of other reconcilers. If several steps changed a field, the last in declared order wins.
    fn merge_fields(&mut self, forks: &[Self]) {
        let base = self.all_fields();
        self.warn_of_rivals(&base, forks);
        let all = forks.iter().map(Self::all_fields).filter(|fields| *fields != base);
        let merged = all.fold(base.clone(), |merged, fields| changed(&base, &fields, merged));
        if merged == base {
            return;
        }
        match (self.typed.with)(self.status.as_ref(), &merged) {
            Ok(status) => self.status = status,
            Err(error) => {
                tracing::warn!(%error, "the status fields of joined steps cannot be merged; using the earlier ones");
            }
        }
    }

    /// Warns of a field that two steps changed to different values.
    /// A step that writes the stored value changes nothing, so the other step wins in the next pass, and the value alternates.
    fn warn_of_rivals(&self, base: &Fields, forks: &[Self]) {
        let mut writers: Fields = Fields::new();
        for fork in forks {
            for (field, value) in fork.all_fields().into_iter().filter(|(field, value)| base.get(field) != Some(value))
            {
                let step = fork.step.map_or("(none)", |step| step.name);
                if writers.get(&field).is_some_and(|other| *other != value) {
                    warn_of_rival(self.backend.warned(), self.wiring.name, step, &field);
                }
                writers.insert(field, value);
            }
        }
    }

    /// Ends joined steps. A panic marks a condition of the step that panicked.
    pub(crate) fn join(&mut self, stops: Vec<Option<StepEnd>>) -> Option<PassError> {
        let halted = self.forks.iter_mut().zip(stops).map(|(fork, stop)| match stop? {
            StepEnd::Halted(pass_error) => Some(pass_error),
            StepEnd::Panicked(text) => Some(fork.cut_off("Panicked", &|part| format!("{part} panicked: {text}"))),
        });
        let halted = halted.collect();
        self.merge(halted)
    }

    /// Ends the steps that were running when the body was cut off. Each marks its own condition.
    pub(crate) fn cut_off(&mut self, reason: &'static str, what: &dyn Fn(&str) -> String) -> PassError {
        let message = what(&self.running_part());
        let alone = PassError::mishap(reason, &message);
        if self.forks.is_empty() {
            self.fail(None, reason, &alone.message);
            self.ended(if reason == "Panicked" { "panic" } else { "timeout" });
            return alone;
        }
        let stops = self.forks.iter_mut().map(|fork| fork.running.then(|| fork.cut_off(reason, what))).collect();
        self.merge(stops).unwrap_or(alone)
    }
}

/// Applies the changes from `base` to `fields` to `onto`.
fn changed(base: &Fields, fields: &Fields, mut onto: Fields) -> Fields {
    for name in base.keys().chain(fields.keys()) {
        match fields.get(name) {
            value if value == base.get(name) => {}
            Some(value) => {
                onto.insert(name.clone(), value.clone());
            }
            None => {
                onto.remove(name);
            }
        }
    }
    onto
}

/// The error that decides: Failed before Waiting (the shortest poll) before Stalled before Ignored; the first declared one among equals.
pub(crate) fn deciding(stops: &[Option<PassError>]) -> Option<usize> {
    let stopped = stops.iter().enumerate().filter_map(|(i, stop)| Some((i, stop.as_ref()?)));
    stopped.min_by_key(|(_, pass_error)| weight(pass_error.class)).map(|(i, _)| i)
}

fn weight(class: Class) -> (u8, Duration) {
    let none = Duration::ZERO;
    match class {
        Class::Transient => (0, none),
        Class::Waiting { poll } => (1, poll.unwrap_or(Duration::MAX)),
        Class::Stalled => (2, none),
        Class::Ignored => (3, none),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::FutureExt;

    use super::*;
    use crate::outcome::reporting::Actions;
    use crate::pipeline::state::Field;
    use crate::pipeline::state::tests::no_backend::Nowhere;
    use crate::wiring::Wiring;

    fn state() -> PassState {
        PassState::bare(Wiring::EMPTY, 1, Observed::default(), Vec::new(), Arc::new(Nowhere::default()))
    }

    #[test]
    fn forks_write_their_combined_progress_in_turn() {
        let mut state = state();
        assert!(state.turn().now_or_never().expect("nothing to wait for").is_none());
        let forks = state.fork(2);
        let turn = forks[0].turn().now_or_never().expect("the turn is free").unwrap();
        assert!(forks[1].turn().now_or_never().is_none(), "the first has it");
        turn.wrote(DesiredStatus { fields: fields(&[("a", 1)]), ..forks[0].progress() });
        drop(turn);
        let turn = forks[1].turn().now_or_never().expect("the turn is free again");
        assert_eq!(forks[1].progress_beside(turn.as_ref()).fields, fields(&[("a", 1)]));
        assert_eq!(state.last_written().map(|written| written.fields), None, "it is not joined itself");
    }

    #[test]
    fn the_first_write_error_counts_after_a_conflict() {
        let (failed, conflict) = (|| ApiError::Failed("a".into()), || ApiError::Conflict("b".into()));
        let merged = |before: Option<ApiError>, after: [Option<ApiError>; 2]| {
            let mut state = state();
            state.write_error = before;
            state.fork(2).iter_mut().zip(after).for_each(|(fork, write_error)| fork.write_error = write_error);
            assert!(state.merge(vec![None, None]).is_none());
            state.write_error.map(|write_error| matches!(write_error, ApiError::Conflict(_)))
        };
        assert_eq!(merged(None, [None, None]), None);
        assert_eq!(merged(None, [Some(failed()), None]), Some(false));
        assert_eq!(merged(Some(failed()), [Some(conflict()), None]), Some(true));
        assert_eq!(merged(Some(conflict()), [Some(failed()), Some(failed())]), Some(true));
    }

    fn fields(pairs: &[(&'static str, u8)]) -> Fields {
        pairs.iter().map(|(name, value)| ((*name).into(), Field::of(value))).collect()
    }

    #[test]
    fn the_later_of_two_changes_to_a_field_wins() {
        let base = fields(&[("a", 1), ("b", 1), ("c", 1)]);
        let first = fields(&[("a", 2), ("b", 2), ("c", 1), ("d", 2)]);
        let second = fields(&[("a", 3), ("b", 1)]);
        let merged = changed(&base, &second, changed(&base, &first, base.clone()));
        assert_eq!(merged, fields(&[("a", 3), ("b", 2), ("d", 2)]));
    }

    #[test]
    fn the_first_of_the_most_severe_errors_decides() {
        let poll = |seconds| Class::Waiting { poll: Some(Duration::from_secs(seconds)) };
        let decides = |classes: &[Class]| {
            let pass_error = |class: &Class| Some(PassError::new(*class, "Because", "", Actions::MISHAP));
            let stops: Vec<_> = std::iter::once(None).chain(classes.iter().map(pass_error)).collect();
            deciding(&stops)
        };
        assert_eq!(decides(&[Class::Ignored, Class::Stalled, poll(9), Class::Transient, Class::Transient]), Some(4));
        assert_eq!(decides(&[Class::Stalled, Class::Waiting { poll: None }, poll(9), poll(5)]), Some(4));
        assert_eq!(decides(&[Class::Ignored, Class::Stalled]), Some(2));
        assert_eq!(decides(&[]), None);
    }
}

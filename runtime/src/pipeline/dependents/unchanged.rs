//! Sets that have converged in the last pass. While neither their input nor a dependent changes, their objects are not looked at.

use serde_json::json;

use super::error::DependentsError;
use super::lookup::{completed, wanted_twice};
use super::reach::reach;
use super::result::Dependents;
use crate::api::DependentCalls;
use crate::dependent_rules::manifest::{Digest, ObjectId};
use crate::dependent_rules::plan::Plan;
use crate::dependent_rules::policy::ReconcilePolicy;
use crate::pipeline::state::{ConvergedSet, PassState};
use crate::wiring::StepWiring;

/// The set of the current step, if it has converged in the last pass and nothing has changed since.
pub(super) async fn unchanged(
    state: &mut PassState,
    input: Option<Digest>,
) -> Result<Option<Dependents>, DependentsError> {
    let (step, backend) = (state.step_name(), state.backend.clone());
    let (Some(input), Some(calls)) = (input.filter(|_| state.converged.knows(step)), backend.dependents()) else {
        return Ok(None);
    };
    reach(state, calls, step).await?;
    let (status, generation) = (status_of(state, step), state.generation());
    calls.look(Some(step));
    let found = state.converged.unchanged(calls.sum(), |set| {
        let is_same = set.step == step && set.input == input && set.status == status;
        is_same && set.generation.is_none_or(|known| known == generation)
    });
    Ok(found.map(|set| Dependents { revision: set.revision, count: set.count }))
}

/// Records that the objects of a set are looked at: those of the sets before it, which were not, are taken as they are.
pub(super) fn look_at_all(state: &mut PassState, calls: &dyn DependentCalls) -> Result<(), DependentsError> {
    for step in state.converged.differ() {
        let kept = calls.all().into_iter().filter(|kept| *kept.step == *step).map(|kept| kept.id);
        let kept: Vec<ObjectId> = kept.collect();
        calls.want(step, kept).map_err(|(id, other)| wanted_twice(id, other))?;
    }
    Ok(())
}

/// Records that the set of the current step has converged, if only a change of its input or of a dependent can change that.
pub(super) fn remember(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    plan: &Plan,
    (input, of): (Option<Digest>, Dependents),
) {
    let step = state.step_name();
    let is_timed = plan.items.iter().any(|item| item.applied.reapply_after().is_some());
    let is_open = state.step.is_none_or(StepWiring::keeps_any) || calls.is_elsewhere(step);
    let Some(input) = input.filter(|_| !is_timed && !is_open && completed(state).is_empty()) else { return };
    let depends = plan.items.iter().any(|item| item.settings.reconcile == ReconcilePolicy::OnObjectOrComponentChange);
    let generation = depends.then(|| state.generation());
    let Dependents { revision, count } = of;
    state.converged.add(ConvergedSet { step, input, generation, status: None, revision, count });
}

/// Whether all sets of the component are as they were at the end of the last pass, so that nothing is redundant either.
pub(super) fn all_unchanged(state: &PassState) -> bool {
    state.converged.all_unchanged(sets(state))
}

/// Records that nothing is left to do for any set.
pub(super) fn nothing_left(state: &mut PassState, calls: &dyn DependentCalls) {
    let (count, mut converged) = (sets(state), std::mem::take(&mut state.converged));
    converged.end(count, calls.seen(), |step| status_of(state, step));
    state.converged = converged;
}

fn sets(state: &PassState) -> usize {
    state.wiring.steps.iter().filter(|step| step.keeps_dependents()).count()
}

fn status_of(state: &PassState, step: &str) -> Option<Digest> {
    Some(Digest::of_value(&json!(state.sets.get(&state.wiring.set_key(step))?)))
}

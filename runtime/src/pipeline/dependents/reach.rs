//! The sites of the sets of a component: whether they can be reached, and still are where the objects were created.

use super::error::DependentsError;
use crate::api::{ApiError, DependentCalls};
use crate::pipeline::state::PassState;
use crate::wiring::Wiring;

/// Waits until the dependents at the site of the step are listed.
///
/// # Errors
/// The site is invalid, cannot be reached, or is in another cluster than the objects that an earlier pass created.
pub(super) async fn reach(state: &PassState, calls: &dyn DependentCalls, step: &str) -> Result<(), DependentsError> {
    check_valid(calls, step)?;
    calls.listed(Some(step)).await.map_err(|error| match error {
        ApiError::Failed(error) if calls.is_elsewhere(step) => {
            DependentsError::SiteUnreachable(format!("the cluster of the site of the step `{step}`: {error}"))
        }
        error => error.into(),
    })?;
    check(state, calls, &state.wiring.set_key(step))
}

/// The same for all sets of the component, also of steps that are gone from the code.
pub(super) async fn reach_all(state: &PassState, calls: &dyn DependentCalls) -> Result<(), DependentsError> {
    for step in state.wiring.steps.iter().filter(|step| step.keeps_dependents()) {
        reach(state, calls, step.name).await?;
    }
    calls.listed(None).await?;
    state.sets.keys().try_for_each(|key| check(state, calls, key))
}

fn check_valid(calls: &dyn DependentCalls, step: &str) -> Result<(), DependentsError> {
    calls.site_problem(step).map_or(Ok(()), |problem| Err(DependentsError::SiteInvalid(problem)))
}

/// Fails if an earlier pass created objects of the set in another cluster: nothing would ever delete them.
pub(super) fn check(state: &PassState, calls: &dyn DependentCalls, key: &str) -> Result<(), DependentsError> {
    let step = Wiring::step_of_set(key);
    check_valid(calls, step)?;
    let (Some(status), cluster) = (state.sets.get(key), calls.cluster(step)) else { return Ok(()) };
    if status.kinds.is_empty() || status.cluster == cluster {
        return Ok(());
    }
    let name = |cluster: &Option<String>| {
        cluster.as_ref().map_or_else(|| "that of the operator".to_owned(), |uid| format!("with the uid {uid}"))
    };
    Err(DependentsError::SiteInvalid(format!(
        "the objects of the set {key} are in the cluster {}, and the site of the step is in the cluster {}; let the site lead there until they are \
         gone, or delete the component with the annotation `evenkeel.dev/policy: detach-on-delete`, which leaves them",
        name(&status.cluster),
        name(&cluster),
    )))
}

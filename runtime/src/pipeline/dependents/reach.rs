//! The sites of the sets of a component: whether they can be reached, and still are where the objects were created.

use super::error::DependentsError;
use crate::api::{ApiError, DependentCalls};
use crate::dependent_rules::manifest::TypeMeta;
use crate::pipeline::state::PassState;
use crate::wiring::{StepWiring, Wiring};

/// Waits until the dependents at the site of the step are listed.
///
/// # Errors
/// The site is invalid, cannot be reached, or is in another cluster than the objects that an earlier pass created.
pub(super) async fn reach(state: &PassState, calls: &dyn DependentCalls, step: &str) -> Result<(), DependentsError> {
    check_valid(calls, step)?;
    calls.listed(Some(step)).await.map_err(|error| unreachable(calls, step, error))?;
    check(state, calls, &state.wiring.set_key(step))?;
    let registered = watch_registered(state, calls, step).await;
    registered.map_err(|error| unreachable(calls, step, error))
}

/// The failure of a call to the site of the step.
pub(super) fn unreachable(calls: &dyn DependentCalls, step: &str, error: ApiError) -> DependentsError {
    match error {
        ApiError::Failed(error) if calls.is_elsewhere(step) => {
            DependentsError::SiteUnreachable(format!("the cluster of the site of the step `{step}`: {error}"))
        }
        error => error.into(),
    }
}

/// Watches the kinds of a set with `dependents(any)` that an earlier process registered. A kind that is not served any more has no objects.
async fn watch_registered(state: &PassState, calls: &dyn DependentCalls, step: &str) -> Result<(), ApiError> {
    let keeps_any = state.wiring.step(step).is_some_and(StepWiring::keeps_any);
    let Some(status) = state.sets.get(&state.wiring.set_key(step)).filter(|_| keeps_any) else { return Ok(()) };
    let registered = status.kinds.iter().map(|text| {
        let (kind, group) = text.split_once('.').unwrap_or((text, ""));
        TypeMeta { group: group.to_owned(), version: String::new(), kind: kind.to_owned() }
    });
    let (mut kinds, mut unknown) = (Vec::new(), Vec::new());
    for of in registered {
        match calls.watched_kind(step, &of.group, &of.kind) {
            Some(kind) => kinds.push(kind),
            None => unknown.push(of),
        }
    }
    if !unknown.is_empty() {
        kinds.extend(calls.served_kinds(step, &unknown).await?);
    }
    calls.watch_kinds(step, kinds).await
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
    let Some(status) = state.sets.get(key).filter(|status| !status.kinds.is_empty()) else { return Ok(()) };
    check_marks(key, status.marks.as_deref(), calls.marks().as_deref())?;
    let cluster = calls.cluster(step);
    if status.cluster == cluster {
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

/// Fails if an earlier version of the operator marked the objects of the set under another domain: it would not find them.
fn check_marks(key: &str, stored: Option<&str>, marks: Option<&str>) -> Result<(), DependentsError> {
    if stored == marks {
        return Ok(());
    }
    let name = |domain: Option<&str>| domain.unwrap_or("evenkeel.dev").to_owned();
    Err(DependentsError::SiteInvalid(format!(
        "the objects of the set {key} have marks under {}, and the operator marks under {}; let `Operator::marks` name the former until they are \
         gone, or delete the component with the annotation `evenkeel.dev/policy: detach-on-delete`, which leaves them",
        name(stored),
        name(marks),
    )))
}

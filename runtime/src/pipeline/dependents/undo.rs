//! The end of a set: its objects are deleted, or stay without marks.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;

use super::cause::described;
use super::ending::Ending;
use super::error::DependentsError;
use super::lookup::{calls_of, concurrently};
use super::protection::{content_of, set_keys};
use super::reach::{reach, reach_all};
use crate::api::{ApiError, DependentCalls, KeptObject, ObjectCall};
use crate::dependent_rules::manifest::{InvalidManifest, ObjectId};
use crate::dependent_rules::order::{TypePattern, has_pods};
use crate::dependent_rules::plan::{Removal, RemovalReason, Unwanted, removal};
use crate::pipeline::state::PassState;
use crate::wiring::handler::Erased;
use crate::wiring::{StepWiring, Wiring};

/// When a pass looks again at what only the API server shows.
const AGAIN: Duration = Duration::from_secs(30);

/// What is left of some objects after all calls that can be sent now.
pub(super) struct Left {
    pub(super) objects: Vec<KeptObject>,
    /// Why some of them cannot be deleted yet.
    pub(super) blocked: BTreeMap<ObjectId, String>,
}

/// Removes objects, wave by wave, and returns those that still exist after all calls that can be sent now. `all`: all dependents of the
/// component, also those that stay.
pub(super) async fn remove(
    calls: &dyn DependentCalls,
    (objects, all): (Vec<KeptObject>, &[KeptObject]),
    ending: &Ending,
) -> Result<Left, ApiError> {
    let (mut left, mut blocked) = (objects, BTreeMap::new());
    loop {
        let unwanted: Vec<Unwanted<'_>> = left.iter().map(|kept| unwanted(kept, all, ending)).collect();
        let mut next = removal(&unwanted, ending.why);
        next.retain(|(i, _)| !blocked.contains_key(&left[*i].id));
        if next.is_empty() {
            return Ok(Left { objects: left, blocked });
        }
        // A later wave starts when the pods of this one have ended.
        let waits = next.len() < left.len();
        let sends = next
            .into_iter()
            .map(|(i, removal)| send(calls, &left[i], (removal, ending), waits).map(Result::transpose).boxed());
        for ended in concurrently(sends).await {
            blocked.extend([ended?]);
        }
        left = left.into_iter().filter_map(|kept| calls.get(&kept.step, &kept.id)).collect();
    }
}

async fn send(
    calls: &dyn DependentCalls,
    kept: &KeptObject,
    (removal, ending): (Removal, &Ending),
    waits: bool,
) -> Result<Option<(ObjectId, String)>, ApiError> {
    let KeptObject { id, live, step, .. } = kept;
    let call = match removal {
        Removal::Orphan => ObjectCall::Orphan { id, live },
        Removal::Delete => {
            if let Some(content) = content_of(calls, kept, ending).await.map_err(|error| described(id, error))? {
                return Ok(Some((id.clone(), content)));
            }
            ObjectCall::Delete { id, live, foreground: waits && has_pods(&id.group, &id.kind) }
        }
    };
    calls.send(step, call).await.map(|()| None).map_err(|error| described(id, error))
}

fn unwanted<'a>(kept: &'a KeptObject, all: &[KeptObject], ending: &Ending) -> Unwanted<'a> {
    let delete = ending.delete_policy(kept);
    let order = kept.live.applied.map_or(0, |applied| applied.delete_order);
    let defines = |other: &KeptObject| {
        other.id.is("apiextensions.k8s.io", "CustomResourceDefinition") && other.id.name == kept.type_name
    };
    let is_managed = |pattern: &TypePattern| pattern.matches(&kept.id.group, &kept.id.kind);
    let is_instance = all.iter().any(defines) || ending.managed.iter().any(is_managed);
    Unwanted { id: &kept.id, delete, order, is_deleted: kept.live.is_deleted, is_instance }
}

/// Removes the set of a step, since the component is deleted. `None`: what is left of all sets.
///
/// # Errors
/// A call failed, or objects are still there. Their end triggers a pass.
pub(crate) async fn remove_set(
    state: &mut PassState,
    step: Option<&'static str>,
    object: &Erased,
) -> Result<(), DependentsError> {
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    match step {
        Some(step) => reach(state, calls, step).await?,
        None => reach_all(state, calls).await?,
    }
    calls.look(None);
    let all = calls.all();
    let of_set: Vec<_> = all.iter().filter(|kept| step.is_none_or(|step| *kept.step == *step)).cloned().collect();
    let ending = Ending::of(state, object, &of_set, RemovalReason::ComponentDeleted)?;
    let left = remove(calls, (of_set, &all), &ending).await?;
    if let Some(why) = left.blocked.into_values().next() {
        return Err(DependentsError::Blocked(why));
    }
    if !left.objects.is_empty() {
        return Err(DependentsError::Progressing(format!("deleting {}", names(&left.objects)), None));
    }
    if step.is_some() {
        return Ok(());
    }
    check_declared(state, calls)?;
    // The finalizer is removed only after a list on the API server, since the cache may be older than the last write of another process.
    let unanswered = calls.unanswered();
    match calls.remaining(&set_keys(state)).await?.as_slice() {
        [] => unanswered.map_or(Ok(()), |(id, left)| {
            let text = format!("the API server has not answered the creation of {id}, and may still create it");
            Err(DependentsError::Progressing(text, Some(left)))
        }),
        // The cache does not show it, so no event may come.
        [first, ..] => Err(DependentsError::Progressing(format!("{first} is still there"), Some(AGAIN))),
    }
}

/// Fails if an earlier version may have created objects of a kind that no step declares any more, as nothing shows them.
pub(super) fn check_declared(state: &PassState, calls: &dyn DependentCalls) -> Result<(), InvalidManifest> {
    // The kinds of a step with `dependents(any)` were looked up on the API server.
    let is_any = |key: &str| state.wiring.step(Wiring::step_of_set(key)).is_some_and(StepWiring::keeps_any);
    let declared = state.sets.iter().filter(|(key, _)| !is_any(key));
    let kinds = declared.flat_map(|(_, status)| &status.kinds);
    let unknown: Vec<&str> = kinds.filter(|kind| !calls.is_declared(kind)).map(String::as_str).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let problem = "an earlier version may have created objects of it; declare it until they are gone";
    Err(InvalidManifest::new("the dependents", "kinds", format!("{}: {problem}", unknown.join(", "))))
}

/// The names of the first objects, and the number of the others.
pub(super) fn names(objects: &[KeptObject]) -> String {
    let first = objects.iter().take(3).map(|kept| match kept.finalizers.as_slice() {
        [] => kept.id.to_string(),
        finalizers => format!("{} (its finalizers {} are still there)", kept.id, finalizers.join(", ")),
    });
    let first = first.collect::<Vec<_>>().join(", ");
    if objects.len() > 3 { format!("{first} and {} more", objects.len() - 3) } else { first }
}

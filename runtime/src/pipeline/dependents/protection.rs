//! What is not deleted as long as objects of others would be deleted with it: types with instances, and namespaces with content.

use super::ending::Ending;
use super::error::DependentsError;
use super::managed_types::managed_types_of;
use super::reach::reach_all;
use crate::api::{ApiError, DependentCalls, KeptObject, Types};
use crate::dependent_rules::manifest::{InvalidManifest, ObjectId};
use crate::dependent_rules::plan::RemovalReason;
use crate::dependent_rules::policy::DeletePolicy;
use crate::pipeline::state::PassState;
use crate::wiring::handler::Erased;

/// The most objects that a message names.
const EXAMPLES: usize = 3;

/// Whether a CRD or an APIService defines types, and which ones.
fn types_of(id: &ObjectId) -> Option<Types<'_>> {
    if id.is("apiextensions.k8s.io", "CustomResourceDefinition") {
        return Some(Types::Crd(&id.name));
    }
    id.is("apiregistration.k8s.io", "APIService").then_some(Types::ApiService(&id.name))
}

/// Fails if the delete policy that another client set on an object is not readable.
pub(super) fn check_policies(objects: &[KeptObject]) -> Result<(), DependentsError> {
    let unreadable = objects.iter().find_map(|kept| match &kept.annotated {
        Some(Err(problem)) => Some(format!("{}: {problem}", kept.id)),
        _ => None,
    });
    unreadable.map_or(Ok(()), |text| Err(DependentsError::Blocked(text)))
}

/// Why the object must not be deleted now. `None`: nothing would be deleted with it that is missed.
pub(super) async fn content_of(
    calls: &dyn DependentCalls,
    kept: &KeptObject,
    ending: &Ending,
) -> Result<Option<String>, ApiError> {
    let id = &kept.id;
    if let Some(types) = types_of(id) {
        let instances: Vec<String> =
            calls.instances(&kept.step, types, &[]).await?.iter().map(ToString::to_string).collect();
        let text = |found| format!("{id} stays as long as there is {found}; delete it, or keep the type");
        return Ok(examples(&instances).map(text));
    }
    if !id.is("", "Namespace") || ending.delete_policy(kept) == DeletePolicy::DeleteWithContent {
        return Ok(None);
    }
    let found = calls.content(&kept.step, &id.name).await?;
    Ok(examples(&found).map(|found| {
        let keep = "annotate the Namespace with `evenkeel.dev/delete-policy: orphan` to keep it";
        format!("{id} contains {found}, which would be deleted with it; delete or move that, or {keep}")
    }))
}

/// Checks, before anything of the component is deleted, that no object of another owner is an instance of a type that would be deleted.
pub(crate) async fn check_deletion(state: &PassState, object: &Erased) -> Result<(), DependentsError> {
    let backend = state.backend.clone();
    let calls = super::lookup::calls_of(&*backend)?;
    reach_all(state, calls).await?;
    let all = calls.all();
    check_policies(&all)?;
    if all.is_empty() {
        // Whatever the object says: nothing is deleted with it.
        return Ok(());
    }
    let managed = state.wiring.steps.iter().map(|step| Ok((step, managed_types_of(step, object)?)));
    let managed = managed.collect::<Result<Vec<_>, InvalidManifest>>()?;
    let (ending, sets) = (Ending::of(state, object, &all, RemovalReason::ComponentDeleted)?, set_keys(state));
    let goes = |kept: &&KeptObject| !kept.live.is_deleted && !ending.keeps(kept);
    for kept in all.iter().filter(goes) {
        let Some(types) = types_of(&kept.id) else { continue };
        let others: Vec<String> =
            calls.instances(&kept.step, types, &sets).await?.iter().map(ToString::to_string).collect();
        if let Some(found) = examples(&others) {
            let (id, cure) = (&kept.id, "delete it, or annotate the type with `evenkeel.dev/delete-policy: orphan`");
            return Err(DependentsError::Blocked(format!("{id} has instances of others: {found}; {cure}")));
        }
    }
    let deletes = |name: &str| all.iter().filter(goes).any(|kept| *kept.step == *name);
    for (step, patterns) in managed.iter().filter(|(step, _)| deletes(step.name)) {
        for pattern in patterns {
            let others = calls.instances(step.name, Types::Matching(pattern), &sets).await?;
            if let Some(found) = examples(&others.iter().map(ToString::to_string).collect::<Vec<_>>()) {
                let text = format!("the step {} serves {pattern}, and others have {found}; delete it", step.name);
                return Err(DependentsError::Blocked(text));
            }
        }
    }
    Ok(())
}

/// The keys of all sets of the component, also of steps that are gone from the code.
pub(super) fn set_keys(state: &PassState) -> Vec<String> {
    let mut keys = state.wiring.set_keys();
    let others = state.sets.keys().filter(|key| !keys.contains(key)).cloned().collect::<Vec<_>>();
    keys.extend(others);
    keys
}

/// The first ones, and the number of the others. `None`: there are none.
fn examples(found: &[String]) -> Option<String> {
    let first = found.iter().take(EXAMPLES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match found.len() {
        0 => None,
        count if count > EXAMPLES => Some(format!("{first} and {} more", count - EXAMPLES)),
        _ => Some(first),
    }
}

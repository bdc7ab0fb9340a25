//! Creates, updates and purges the objects of a set, until it has to wait.

use std::collections::BTreeMap;

use super::entries::{Entries, prepared};
use super::error::DependentsError;
use super::lookup::{calls_of, completed, content, kind_text, wanted_twice};
use super::managed_types::managed_types;
use super::namespaces::{OwnNamespaces, missing};
use super::progress::{Progress, listed, unready};
use super::reach::{reach, unreachable};
use super::result::Dependents;
use super::run::{Ended, Run};
use super::settings::SetSettings;
use super::status::{record, register};
use super::unchanged::{look_at_all, remember, unchanged};
use super::undo::{check_declared, names};
use super::wanted::WantedParts;
use crate::api::{ApiError, DependentCalls, KeptObject};
use crate::dependent_rules::manifest::{Digest, InvalidManifest, Manifest, ObjectId};
use crate::dependent_rules::plan::{Plan, PlanOptions};
use crate::outcome::reporting::EventLevel;
use crate::pipeline::context::store;
use crate::pipeline::state::PassState;
use crate::wiring::{Relation, StepWiring};

/// Creates, updates and purges the wanted objects, until it has to wait. `relations`: the kinds that the step declares.
pub(super) async fn converge(
    state: &mut PassState,
    relations: &'static [Relation],
    wanted: WantedParts,
) -> Result<Dependents, DependentsError> {
    #[cfg(feature = "templates")]
    let wanted = wanted.print().await?;
    let input = input(state, &wanted);
    if let Some(same) = unchanged(state, input).await? {
        return Ok(same);
    }
    let entries = Entries::of(state, relations, wanted).await?;
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    look_at_all(state, calls)?;
    let settings = state.set.clone().unwrap_or(SetSettings::DEFAULT);
    let step = state.step_name();
    reach(state, calls, step).await?;
    if state.step.is_some_and(StepWiring::keeps_any) {
        let watched = calls.watch_kinds(step, entries.kinds()).await;
        watched.map_err(|error| unreachable(calls, step, error))?;
    }
    let site = state.site.clone().unwrap_or_default();
    let namespace = site.namespace_for(state.namespace.as_deref()).map(ToOwned::to_owned);
    let prefix = state.step.and_then(|step| step.prefix);
    let mut manifests = entries.manifests(&*backend, namespace, prefix).await?;
    let mut own = OwnNamespaces::of((calls, step), settings.policies, &manifests);
    loop {
        let plan = plan(state, &settings, own.with(&mut manifests)?).await?;
        let ended = apply(state, calls, &settings, &plan).await?;
        if !own.add(missing(&ended.refused)) {
            let dependents = conclude(state, calls, &settings, &plan, ended)?;
            remember(state, calls, &plan, (input, dependents));
            return Ok(dependents);
        }
    }
}

/// What the plan of the set depends on; `None`: this is not known.
fn input(state: &PassState, wanted: &WantedParts) -> Option<Digest> {
    let site = state.site.clone().unwrap_or_default();
    let namespace = site.namespace_for(state.namespace.as_deref());
    let settings = format!("{:?} {namespace:?}", state.set);
    Some(Digest::of_all([Digest::of_bytes(settings), wanted.input()?]))
}

/// Sends the calls of a plan, until there is nothing to send.
async fn apply(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    settings: &SetSettings,
    plan: &Plan,
) -> Result<Ended, DependentsError> {
    check(state, calls, plan)?;
    let step = state.step_name();
    let kept = calls.all().into_iter().filter(|kept| *kept.step == *step).count();
    if plan.items.is_empty() && kept > 0 && !settings.may_be_empty {
        let problem =
            format!("the step wants none, and {kept} would be deleted; skip the step, or write `empty = allow`");
        return Err(InvalidManifest::new("the set", "objects", problem).into());
    }
    let ids = plan.items.iter().map(|item| item.id.clone()).collect();
    calls.want(step, ids).map_err(|(id, other)| wanted_twice(id, other))?;
    let was_applied = registered(state, calls, settings, plan).await?;
    let namespaces = settings.policies.missing_namespaces.unwrap_or_default();
    let run = Run { calls, plan, step, corrects: was_applied, namespaces };
    run.to_the_end(state).await
}

/// Records how far the set is.
fn conclude(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    settings: &SetSettings,
    plan: &Plan,
    ended: Ended,
) -> Result<Dependents, DependentsError> {
    let (step, is_foreign) =
        (state.step_name(), |error: &DependentsError| matches!(error, DependentsError::Foreign(..)));
    let foreign = ended.refused.iter().filter(|(_, error)| is_foreign(error));
    // The watches of these objects end when a pass does not refer to them any more.
    state.references.extend(foreign.filter_map(|(i, _)| calls.reference(step, &plan.items[*i].id)));
    let now = crate::clock::now();
    let completed = completed(state);
    let progress = Progress::of(plan, &ended, &completed);
    let objects = if settings.inventory { listed(plan, &ended, &completed) } else { Vec::new() };
    let ids: Vec<&ObjectId> = plan.items.iter().map(|item| &item.id).collect();
    let status = state.sets.entry(state.set_key()).or_default();
    record(status, progress.state(calls.applied(step, &ids), objects), now);
    let waited = status.since.map(|since| now.duration_since(since)).unwrap_or_default();
    let revision = status.revision;
    match progress.error(ended.refused, settings.ready_within, waited.unsigned_abs()) {
        Some(error) => Err(with_redundant(calls, error)),
        None => Ok(Dependents { revision, count: plan.items.len() }),
    }
}

/// The error, with the objects that are removed only when the set is ready: one of them may be its cause, for example by its port.
fn with_redundant(calls: &dyn DependentCalls, error: DependentsError) -> DependentsError {
    let redundant = calls.all().into_iter().filter(|kept| calls.is_wanted(&kept.step, &kept.id) == Some(false));
    let redundant: Vec<KeptObject> = redundant.collect();
    if redundant.is_empty() {
        return error;
    }
    let with = |text: &str| format!("{text}; no longer wanted, but kept until the set is ready: {}", names(&redundant));
    match error {
        DependentsError::Call(error @ (ApiError::Invalid(_) | ApiError::Forbidden(_))) => {
            let text = with(error.detail());
            DependentsError::Call(error.with_message(text))
        }
        DependentsError::TimedOut(text) => DependentsError::TimedOut(with(&text)),
        other => other,
    }
}

/// Looks at the objects of the set and writes nothing.
pub(super) async fn keep(state: &mut PassState) -> Result<Dependents, DependentsError> {
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    let step = state.step_name();
    reach(state, calls, step).await?;
    calls.look(Some(step));
    let kept: Vec<_> = calls.all().into_iter().filter(|kept| *kept.step == *step).collect();
    match unready(&kept) {
        Some(error) => Err(error),
        None => {
            let revision = state.sets.get(&state.set_key()).map_or(0, |status| status.revision);
            Ok(Dependents { revision, count: kept.len() })
        }
    }
}

async fn plan(state: &PassState, settings: &SetSettings, manifests: Vec<Manifest>) -> Result<Plan, InvalidManifest> {
    let component = state.generation().to_string();
    let manages = state.step.map_or_else(|| Ok(Vec::new()), |step| managed_types(step, &settings.manages))?;
    let (policies, limit) = (settings.policies, settings.limit);
    prepared(&*state.backend, manifests.len(), move || {
        Plan::new(manifests, PlanOptions { policies, manages: &manages, component: &component, limit })
    })
    .await
}

/// Checks what can be checked without a call.
fn check(state: &PassState, calls: &dyn DependentCalls, plan: &Plan) -> Result<(), DependentsError> {
    let namespace = state.namespace.as_deref();
    let step = state.step_name();
    for item in &plan.items {
        if state.step.is_some_and(|step| !step.may_keep_in(item.id.namespace.as_deref(), namespace)) {
            let problem = format!(
                "the set is limited to the namespace {} of the component (`within = namespace`)",
                namespace.unwrap_or("(none)")
            );
            return Err(InvalidManifest::new(&item.id, "metadata.namespace", problem).into());
        }
        if let Some(problem) = calls.kinship(&item.id) {
            return Err(InvalidManifest::new(&item.id, "metadata.name", problem).into());
        }
        calls
            .check(step, &item.id)
            .map_err(|error| InvalidManifest::new(&item.id, "metadata.namespace", error.to_string()))?;
    }
    Ok(())
}

/// Records an event if the status lists nothing of a set that has objects. They are found by their marks.
fn report_lost(state: &mut PassState, calls: &dyn DependentCalls) {
    let (key, step) = (state.set_key(), state.step_name());
    let count = calls.all().into_iter().filter(|kept| *kept.step == *step).count();
    if count > 0 {
        let note = format!(
            "{count} objects have the marks of the set {key}, but the status does not list its kinds; they are kept, and what was purged is \
             created again"
        );
        state.events.push(EventLevel::Warning, "RegisterLost", &note);
    }
}

/// Registers the kinds of the set before its first object is written. Returns whether this set was applied before.
async fn registered(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    settings: &SetSettings,
    plan: &Plan,
) -> Result<bool, DependentsError> {
    let (key, step) = (state.set_key(), state.step_name());
    if state.sets.get(&key).is_none_or(|status| status.kinds.is_empty()) {
        // Before the register is stored: if this pass ends here, the next one looks again.
        let wanted: Vec<ObjectId> = plan.items.iter().map(|item| item.id.clone()).collect();
        report_lost(state, calls);
        calls.take_former(step, &wanted, settings.policies.delete.unwrap_or_default()).await?;
    }
    let kinds: Vec<String> = plan.items.iter().map(|item| kind_text(&item.id)).collect();
    check_declared(state, calls)?;
    let status = state.sets.entry(key).or_default();
    let was_applied = status.ready && status.digest == plan.digest.to_string();
    if !status.completed.is_empty() {
        let contents: BTreeMap<String, String> =
            plan.items.iter().map(|item| (item.id.to_string(), content(item))).collect();
        status.completed.retain(|id, digest| contents.get(id) == Some(digest));
    }
    (status.cluster, status.marks) = (calls.cluster(step), calls.marks());
    let is_new = register(status, kinds.into_iter(), plan.digest, crate::clock::now());
    let ids: Vec<&ObjectId> = plan.items.iter().map(|item| &item.id).collect();
    if !status.applied.is_empty() && status.applied == calls.applied(step, &ids) {
        calls.accept(step, &ids);
    }
    if is_new {
        store(state, false).await?;
    }
    Ok(was_applied)
}

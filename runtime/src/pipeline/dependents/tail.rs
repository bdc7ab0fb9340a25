//! The end of a pass: objects that no step wants any more.

use std::time::Duration;

use super::ending::Ending;
use super::error::DependentsError;
use super::lookup::{calls_of, kind_text};
use super::protection::check_policies;
use super::reach::{check, reach};
use super::status::emptied;
use super::unchanged::{all_unchanged, look_at_all, nothing_left};
use super::undo::{names, remove};
use crate::api::{DependentCalls, KeptObject};
use crate::dependent_rules::plan::RemovalReason;
use crate::outcome::Requeue;
use crate::outcome::reporting::EventLevel;
use crate::pipeline::state::PassState;
use crate::wiring::handler::Erased;
use crate::wiring::{StepWiring, Wiring};

/// When a pass looks again at objects that are being deleted, if no event comes before.
const AGAIN: Duration = Duration::from_secs(300);

/// Whether a step did not run that has objects to remove, so that its site is not known yet.
pub(crate) fn lacks_site(state: &PassState, step: &str) -> bool {
    let is_redundant = |calls: &dyn DependentCalls, kept: &KeptObject| {
        *kept.step == *step && calls.is_wanted(step, &kept.id) == Some(false)
    };
    // Only the site itself shows what there is in another cluster, and of kinds that are not watched yet.
    let status = state.sets.get(&state.wiring.set_key(step));
    let keeps_any = state.wiring.step(step).is_some_and(StepWiring::keeps_any);
    let is_hidden = status.is_some_and(|status| status.cluster.is_some() || keeps_any && !status.kinds.is_empty());
    state.backend.dependents().is_some_and(|calls| {
        let may_be_redundant =
            calls.wanted(step).is_some() && (is_hidden || calls.all().iter().any(|kept| is_redundant(calls, kept)));
        !calls.has_site(step) && may_be_redundant
    })
}

/// Removes the objects that no step wants any more, after all steps succeeded. Steps that were not reached keep theirs.
pub(crate) async fn remove_redundant(state: &mut PassState, object: &Erased) -> Result<(), DependentsError> {
    if !state.wiring.keeps_dependents() {
        return Ok(());
    }
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    if all_unchanged(state) {
        nothing_left(state, calls);
        return Ok(());
    }
    look_at_all(state, calls)?;
    let is_known = |step: &str| state.wiring.step(step).is_some();
    reach_wanted(state, calls).await?;
    let all = calls.all();
    let redundant: Vec<KeptObject> = all
        .iter()
        .filter(|kept| calls.is_wanted(&kept.step, &kept.id).map_or(!is_known(&kept.step), |wanted| !wanted))
        .cloned()
        .collect();
    check_policies(&redundant)?;
    let ending = Ending::of(state, object, &redundant, RemovalReason::Redundant)?;
    let left = remove(calls, (redundant, &all), &ending).await?;
    if left.objects.is_empty() {
        forget_kinds(state, calls);
        report_changes(state, calls);
        nothing_left(state, calls);
        return Ok(());
    }
    state.ask_requeue(Requeue::After(AGAIN));
    let text = format!("removing objects that are no longer wanted: {}", names(&left.objects));
    let blocked = left.blocked.into_values().next();
    state.remaining = Some(blocked.map_or(text.clone(), |blocked| format!("{text}; {blocked}")));
    Ok(())
}

/// Waits for the dependents of the steps that have said what they want, and checks that their objects are where they were created. So are
/// those of steps that are gone from the code.
async fn reach_wanted(state: &PassState, calls: &dyn DependentCalls) -> Result<(), DependentsError> {
    let is_hidden = |step: &&StepWiring| step.keeps_dependents() && calls.is_elsewhere(step.name) || step.keeps_any();
    for step in state.wiring.steps.iter().filter(is_hidden) {
        reach(state, calls, step.name).await?;
    }
    let is_reached = |key: &str| {
        let name = Wiring::step_of_set(key);
        calls.wanted(name).is_some() || state.wiring.step(name).is_none()
    };
    state.sets.keys().filter(|key| is_reached(key)).try_for_each(|key| check(state, calls, key))
}

/// Records an event about what was rolled out since all sets were last as wanted. The event of Ready reports the first time.
fn report_changes(state: &mut PassState, calls: &dyn DependentCalls) {
    let [created, updated, deleted] = calls.take_changes();
    let is_first = state.sets.values().all(|set| set.revision <= 1);
    if !is_first && created + updated + deleted > 0 {
        let wanted: i32 = state.sets.values().map(|set| set.wanted).sum();
        let note = format!("{wanted} objects are as wanted: {created} created, {updated} updated, {deleted} deleted");
        state.events.push(EventLevel::Normal, "Applied", &note);
    }
}

/// Removes kinds without objects from the register, and the sets of steps that are gone.
fn forget_kinds(state: &mut PassState, calls: &dyn DependentCalls) {
    if calls.unanswered().is_some() {
        return;
    }
    let (wiring, kept) = (state.wiring, calls.all());
    state.sets.retain(|key, status| {
        let step = Wiring::step_of_set(key);
        let is_known = wiring.step(step).is_some();
        let wanted = calls.wanted(step);
        if is_known && wanted.is_none() {
            return true;
        }
        let wanted = wanted.unwrap_or_default();
        let used = kept.iter().filter(|kept| *kept.step == *step).map(|kept| &kept.id).chain(&wanted);
        let used: Vec<String> = used.map(kind_text).collect();
        status.kinds.retain(|kind| used.contains(kind));
        if status.kinds.is_empty() {
            // The entry itself stays: Kubernetes 1.20 would store null for a map whose last entry is left out, and refuse it.
            *status = emptied(status.revision);
        }
        is_known || !status.kinds.is_empty()
    });
}

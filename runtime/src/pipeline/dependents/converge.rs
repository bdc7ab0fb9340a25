//! Creates, updates and purges the objects of a set, until it has to wait.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::cause::{described, immutable};
use super::error::DependentsError;
use super::lookup::{Known, Refused, StageEnd, calls_of, concurrently, content, is_completed, kind_text, live_of};
use super::namespaces::{OwnNamespaces, missing, missing_namespace, refused};
use super::progress::{Progress, unready};
use super::result::Dependents;
use super::settings::SetSettings;
use super::status::{record, register};
use super::undo::check_declared;
use super::wanted::Entry;
use crate::api::{ApiError, DependentCalls, ObjectCall};
use crate::dependent_rules::manifest::{InvalidManifest, Manifest, ObjectId};
use crate::dependent_rules::order::has_pods;
use crate::dependent_rules::plan::{Action, Item, LiveObject, Method, Part, Plan, PlanOptions, Stage, stage};
use crate::dependent_rules::policy::MissingNamespacesPolicy;
use crate::pipeline::context::store;
use crate::pipeline::state::PassState;

/// When a pass tries again to create an instance of a type that the set has just created.
const UNTIL_SERVED: Duration = Duration::from_secs(1);

/// Creates, updates and purges the wanted objects, until it has to wait.
pub(super) async fn converge(state: &mut PassState, entries: Vec<Entry>) -> Result<Dependents, DependentsError> {
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    let settings = state.set.unwrap_or(SetSettings::DEFAULT);
    let namespace = state.namespace.as_deref();
    let manifests: Result<Vec<Manifest>, _> = entries.into_iter().map(|entry| entry.manifest(namespace)).collect();
    let mut manifests = manifests?;
    let mut own = OwnNamespaces::of(calls, settings.policies, &manifests);
    loop {
        let plan = plan(state, settings, own.with(&mut manifests)?)?;
        let ended = apply(state, calls, settings, &plan).await?;
        if !own.add(missing(&ended.refused)) {
            return conclude(state, calls, settings, &plan, ended);
        }
    }
}

/// Sends the calls of a plan, until there is nothing to send.
async fn apply(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    settings: SetSettings,
    plan: &Plan,
) -> Result<Ended, DependentsError> {
    check(calls, plan)?;
    calls.listed().await?;
    let step = state.step_name();
    let kept = calls.all().into_iter().filter(|kept| *kept.step == *step).count();
    if plan.items.is_empty() && kept > 0 && !settings.may_be_empty {
        let problem =
            format!("the step wants none, and {kept} would be deleted; skip the step, or write `empty = allow`");
        return Err(InvalidManifest::new("the set", "objects", problem).into());
    }
    let ids = plan.items.iter().map(|item| item.id.clone()).collect();
    calls.want(step, ids).map_err(|(id, other)| {
        let problem = format!("the step {other} wants it, too; an object is in one set only");
        InvalidManifest::new(id, "metadata.name", problem)
    })?;
    let was_applied = registered(state, calls, plan).await?;
    let namespaces = settings.policies.missing_namespaces.unwrap_or_default();
    let run = Run { calls, plan, step, corrects: was_applied, namespaces };
    run.to_the_end(state).await
}

/// Records how far the set is.
fn conclude(
    state: &mut PassState,
    calls: &dyn DependentCalls,
    settings: SetSettings,
    plan: &Plan,
    ended: Ended,
) -> Result<Dependents, DependentsError> {
    let foreign = ended.refused.iter().filter(|(_, error)| matches!(error, DependentsError::Foreign(_)));
    // The watches of these objects end when a pass does not refer to them any more.
    state.references.extend(foreign.filter_map(|(i, _)| calls.reference(&plan.items[*i].id)));
    let now = crate::clock::now();
    let progress = Progress::of(plan, &ended.live, &ended.stage, &ended.refused, &completed(state));
    let ids: Vec<&ObjectId> = plan.items.iter().map(|item| &item.id).collect();
    let status = state.sets.entry(state.set_key()).or_default();
    record(status, progress.state(calls.applied(&ids)), now);
    let waited = status.since.map(|since| now.duration_since(since)).unwrap_or_default();
    match progress.error(ended.refused, settings.ready_within, waited.unsigned_abs()) {
        Some(error) => Err(error),
        None => Ok(Dependents { revision: status.revision, count: plan.items.len() }),
    }
}

/// Looks at the objects of the set and writes nothing.
pub(super) async fn keep(state: &mut PassState) -> Result<Dependents, DependentsError> {
    let backend = state.backend.clone();
    let calls = calls_of(&*backend)?;
    calls.listed().await?;
    let step = state.step_name();
    let kept: Vec<_> = calls.all().into_iter().filter(|kept| *kept.step == *step).collect();
    calls.observed();
    match unready(&kept) {
        Some(error) => Err(error),
        None => {
            let revision = state.sets.get(&state.set_key()).map_or(0, |status| status.revision);
            Ok(Dependents { revision, count: kept.len() })
        }
    }
}

fn plan(state: &PassState, settings: SetSettings, manifests: Vec<Manifest>) -> Result<Plan, InvalidManifest> {
    let component = state.generation().to_string();
    let options =
        PlanOptions { policies: settings.policies, manages: &[], component: &component, limit: settings.limit };
    Plan::new(manifests, options)
}

/// Checks what can be checked without a call.
fn check(calls: &dyn DependentCalls, plan: &Plan) -> Result<(), DependentsError> {
    for item in &plan.items {
        if calls.is_component(&item.id) {
            return Err(InvalidManifest::new(&item.id, "metadata.name", "it is the component itself").into());
        }
        calls
            .check(&item.id)
            .map_err(|error| InvalidManifest::new(&item.id, "metadata.namespace", error.to_string()))?;
    }
    Ok(())
}

/// Registers the kinds of the set before its first object is written. Returns whether this set was applied before.
async fn registered(state: &mut PassState, calls: &dyn DependentCalls, plan: &Plan) -> Result<bool, DependentsError> {
    let key = state.set_key();
    let kinds: Vec<String> = plan.items.iter().map(|item| kind_text(&item.id)).collect();
    let contents: BTreeMap<String, String> =
        plan.items.iter().map(|item| (item.id.to_string(), content(item))).collect();
    check_declared(state, calls)?;
    let status = state.sets.entry(key).or_default();
    let was_applied = status.ready && status.digest == plan.digest.to_string();
    status.completed.retain(|id, digest| contents.get(id) == Some(digest));
    let is_new = register(status, kinds.into_iter(), plan.digest, crate::clock::now());
    let ids: Vec<&ObjectId> = plan.items.iter().map(|item| &item.id).collect();
    if !status.applied.is_empty() && status.applied == calls.applied(&ids) {
        calls.accept(&ids);
    }
    if is_new {
        store(state, false).await?;
    }
    Ok(was_applied)
}

/// The objects that were ready and have been purged.
fn completed(state: &PassState) -> BTreeMap<String, String> {
    state.sets.get(&state.set_key()).map(|status| status.completed.clone()).unwrap_or_default()
}

/// One run over a plan.
struct Run<'a> {
    calls: &'a dyn DependentCalls,
    plan: &'a Plan,
    step: &'static str,
    /// Whether every write undoes what another client did.
    corrects: bool,
    /// What happens if the namespace of an object does not exist.
    namespaces: MissingNamespacesPolicy,
}

/// The state in which there is nothing to send.
struct Ended {
    live: Known,
    stage: StageEnd,
    refused: Refused,
}

impl Run<'_> {
    /// Sends calls until there is nothing to send.
    async fn to_the_end(&self, state: &mut PassState) -> Result<Ended, DependentsError> {
        let mut refused = Refused::new();
        loop {
            if self.calls.is_superseded() {
                return Err(ApiError::Conflict("the component has changed; the pass starts again".into()).into());
            }
            let live = self.live();
            self.calls.observed();
            let Stage { wave, actions, waits } = self.stage(&live, &refused, &completed(state));
            if actions.is_empty() {
                let waits = waits.into_iter().map(|(i, _)| i).collect();
                return Ok(Ended { live, stage: StageEnd { wave, waits }, refused });
            }
            let records: Vec<usize> =
                actions.iter().filter(|(_, action)| *action == Action::Record).map(|(i, _)| *i).collect();
            if records.is_empty() {
                self.perform(&actions, &live, &mut refused).await;
            } else {
                self.complete(state, &records).await?;
            }
        }
    }

    fn live(&self) -> Known {
        let known = self.plan.items.iter().filter_map(|item| {
            let kept = self.calls.get(&item.id)?;
            // An object of another set of the component gets the mark of this one.
            let applied = kept.live.applied.filter(|_| *kept.step == *self.step);
            Some((item.id.clone(), LiveObject { applied, ..kept.live }))
        });
        known.collect()
    }

    fn stage<'l>(&self, live: &'l Known, refused: &Refused, completed: &BTreeMap<String, String>) -> Stage<'l> {
        let refused: Vec<&ObjectId> = refused.keys().map(|i| &self.plan.items[*i].id).collect();
        stage(self.plan, &|item| live_of(live, refused.contains(&&item.id), &item.id), &|item| {
            is_completed(completed, item)
        })
    }

    /// Stores that objects were ready, before they are deleted.
    async fn complete(&self, state: &mut PassState, records: &[usize]) -> Result<(), DependentsError> {
        let items = records.iter().map(|i| &self.plan.items[*i]);
        let status = state.sets.entry(state.set_key()).or_default();
        status.completed.extend(items.map(|item| (item.id.to_string(), content(item))));
        store(state, false).await?;
        Ok(())
    }

    /// Sends the calls of a stage: those of one rank at the same time, the ranks one after another.
    async fn perform(&self, actions: &[(usize, Action)], live: &Known, refused: &mut Refused) {
        let rank = |(i, _): &(usize, Action)| self.plan.items[*i].rank;
        for group in actions.chunk_by(|one, other| rank(one) == rank(other)) {
            let calls: Vec<BoxFuture<'_, _>> =
                group.iter().map(|(i, action)| self.act(*i, *action, live).map(|ended| (*i, ended)).boxed()).collect();
            refused.extend(concurrently(calls).await.into_iter().filter_map(|(i, ended)| Some((i, ended.err()?))));
        }
    }

    async fn act(&self, i: usize, action: Action, live: &Known) -> Result<(), DependentsError> {
        let (item, object) = (&self.plan.items[i], &self.plan.objects[i]);
        let live = live.get(&item.id);
        let Self { calls, step, .. } = *self;
        let mut sent = self.send(i, action, live).await;
        if let Err(error) = &sent
            && let Some(namespace) = missing_namespace(&item.id, error)
        {
            if self.namespaces != MissingNamespacesPolicy::Create {
                return Err(refused(&item.id, &namespace));
            }
            let created = calls.create_namespace(step, &namespace).await;
            created.map_err(|error| described(&item.id, error))?;
            sent = self.send(i, action, live).await;
        }
        let Err(error) = sent else { return Ok(()) };
        if item.part == Part::Instance && matches!(error, ApiError::NotServed(_)) {
            let text = format!("{}: the API server does not serve the kind yet", item.id);
            return Err(DependentsError::Progressing(text, Some(UNTIL_SERVED)));
        }
        let Some(field) = immutable(&error) else { return Err(described(&item.id, error).into()) };
        match (action, live) {
            (Action::Update(Method::ApplyOrRecreate), Some(live)) => {
                // An invalid manifest must not delete what runs.
                let tried = calls.send(step, ObjectCall::Try { item, object }).await;
                tried.map_err(|error| refused_field(&item.id, &field, &error.to_string()))?;
                self.delete(item, live).await.map_err(|error| described(&item.id, error).into())
            }
            _ => Err(refused_field(
                &item.id,
                &field,
                "set `evenkeel.dev/update-policy: apply-or-recreate`, or change it back",
            )),
        }
    }

    /// Sends the call of an action.
    async fn send(&self, i: usize, action: Action, live: Option<&LiveObject>) -> Result<(), ApiError> {
        let (item, object) = (&self.plan.items[i], &self.plan.objects[i]);
        let Self { calls, step, corrects, .. } = *self;
        let apply = |overrides| ObjectCall::Apply { item, object, live, overrides, corrects };
        match (action, live) {
            (Action::Update(Method::Replace), Some(live)) => {
                calls.send(step, ObjectCall::Replace { item, object, live }).await
            }
            (Action::Update(Method::Override), _) => calls.send(step, apply(true)).await,
            (Action::Create | Action::Update(_), _) => calls.send(step, apply(false)).await,
            (Action::Purge | Action::Recreate, Some(live)) => self.delete(item, live).await,
            (Action::Record | Action::Purge | Action::Recreate, _) => Ok(()),
        }
    }

    async fn delete(&self, item: &Item, live: &LiveObject) -> Result<(), ApiError> {
        let (id, foreground) = (&item.id, has_pods(&item.id.group, &item.id.kind));
        self.calls.send(self.step, ObjectCall::Delete { id, live, foreground }).await
    }
}

fn refused_field(id: &ObjectId, field: &str, cure: &str) -> DependentsError {
    let field = if field.is_empty() { "a field" } else { field };
    DependentsError::FieldImmutable(format!("{id}: {field} cannot be changed: {cure}"))
}

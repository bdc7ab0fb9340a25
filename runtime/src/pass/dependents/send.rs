//! Sends one call for a dependent, and records what the response says of the object.

use kube::api::DeleteParams;
use serde_json::{Value, json};

use super::body::{marked_body, orphan_patch};
use super::event::{Changed, record_change};
use super::former::former_owner;
use crate::api::adoption::Claimant;
use crate::api::{ApiError, ObjectCall, Owner, Target};
use crate::dependent_rules::manifest::replacement;
use crate::dependent_rules::plan::{Item, LiveObject};
use crate::dependent_rules::policy::AdoptionPolicy;
use crate::dependent_rules::response::{is_kubectl, taken_over, without_replicas};
use crate::pass::api::PassBackend;
use crate::pass::api::apply::{KnownVersion, Owned, Written};
use crate::pass::api::calls::{Calls, Deleted};
use crate::watch::dependents::DependentCache;
use crate::wiring::relation::Adopt;

/// The end of the name under which the creation of an object is tried.
const TRIAL: &str = "trial";

/// Changes who owns the fields of an object, before an apply. `None`: there is nothing to change.
async fn change_owners(
    calls: &Calls,
    target: &Target,
    change: &(dyn Fn(&Value) -> Option<Value> + Sync),
) -> Result<(), ApiError> {
    let Some(found) = calls.get(target).await? else { return Ok(()) };
    let meta = &found.metadata;
    let Some(entries) = change(&json!(meta.managed_fields)) else { return Ok(()) };
    let patch =
        json!({ "metadata": { "uid": meta.uid, "resourceVersion": meta.resource_version, "managedFields": entries } });
    calls.merge(target, &patch).await.map(drop)
}

/// The target in the version of the manifest. A step with `dependents(any)` may want a kind in another one than that of its watch.
fn in_version_of(target: Target, item: &Item) -> Target {
    Target { kind: target.kind.in_version(&item.version), ..target }
}

impl PassBackend {
    pub(super) async fn send_call(&self, step: &str, call: ObjectCall<'_>) -> Result<(), ApiError> {
        let (calls, cache) = (self.set_calls(step), self.cache_of(step)?);
        let owner = self.owner_of(&self.wiring.set_key(step));
        let is_correction = matches!(call, ObjectCall::Apply { corrects: true, .. });
        let to = At { step, calls: &calls, cache: &cache, is_correction };
        match call {
            ObjectCall::Apply { item, live, overrides, corrects } => {
                let target = in_version_of(self.target_of(step, &item.id)?, item);
                let body = marked_body(item, &owner, &target, &self.sets.operator);
                self.prepare_owners(to, &target, &body, (live.is_some(), overrides)).await?;
                self.apply_dependent(to, &owner, (item, &target), &body, live).await?;
                if corrects && let Some(pause) = self.children.corrected(target.to_string()) {
                    tracing::warn!(object = %target, ?pause, "another client keeps changing or deleting the dependent; delaying the next correction");
                }
                Ok(())
            }
            ObjectCall::Replace { item, live } => {
                let target = in_version_of(self.target_of(step, &item.id)?, item);
                let body = marked_body(item, &owner, &target, &self.sets.operator);
                let changed = to.replace(&target, &body, live).await?;
                self.record(to, &target, changed);
                Ok(())
            }
            ObjectCall::Try { item } => {
                let target = in_version_of(self.target_of(step, &item.id)?, item);
                // The name of the object is taken; another one is as good for a check.
                let name = format!("{}-{}", &target.name[..target.name.len().min(50)], TRIAL);
                let trial = Target { name: name.clone(), ..target.clone() };
                let mut body = marked_body(item, &owner, &target, &self.sets.operator);
                body["metadata"]["name"] = json!(name);
                calls.try_create(&trial, &body).await
            }
            ObjectCall::Delete { id, live, foreground } => {
                let target = self.target_of(step, id)?;
                let deleted = match to.delete(&target, live, foreground).await {
                    Err(ApiError::Forbidden(_)) if self.identity.deleting && self.sets.has_last_resort(step) => {
                        let own = self.calls.whole();
                        At { calls: &own, ..to }.delete(&target, live, foreground).await
                    }
                    deleted => deleted,
                };
                let changed = deleted?;
                self.record(to, &target, changed);
                Ok(())
            }
            ObjectCall::Orphan { id, live } => to.orphan(&owner, &self.target_of(step, id)?, live).await,
        }
    }

    /// Records what a call changed: for the event about the roll-out, and for an event on the dependent.
    fn record(&self, At { step, is_correction, .. }: At<'_>, target: &Target, changed: Option<Changed>) {
        if let Some(changed) = changed.as_ref().filter(|_| !is_correction) {
            changed.count(&self.sets.rolled_out);
        }
        record_change(self, step, target, changed);
    }

    /// Makes the fields of other managers fields of the operator where the next apply should remove them, and gives `spec.replicas` up where
    /// it should stay.
    async fn prepare_owners(
        &self,
        At { step, calls, cache, .. }: At<'_>,
        target: &Target,
        body: &Value,
        (exists, overrides): (bool, bool),
    ) -> Result<(), ApiError> {
        let known = if exists { cache.get(target) } else { None };
        let is_former = known.as_ref().is_some_and(|known| known.is_former);
        let gives_up = known.is_some_and(|known| known.owns_replicas) && body["spec"]["replicas"].is_null();
        if !overrides && !is_former && !gives_up {
            return Ok(());
        }
        let declared = self.wiring.step(step).map_or(&[][..], |step| step.previously.managers);
        let is_taken = |name: &str| {
            let is_of_tool = is_kubectl(name) || declared.contains(&name);
            overrides && is_of_tool || self.former_managers.iter().any(|former| former == name)
        };
        change_owners(calls, target, &|entries| {
            let manager = &calls.field_manager;
            let taken = taken_over(entries, manager, &is_taken);
            let released = gives_up.then(|| without_replicas(taken.as_ref().unwrap_or(entries), manager)).flatten();
            released.or(taken)
        })
        .await
    }

    async fn apply_dependent(
        &self,
        to: At<'_>,
        owner: &Owner,
        (item, target): (&Item, &Target),
        body: &Value,
        live: Option<&LiveObject>,
    ) -> Result<(), ApiError> {
        let At { step, calls, cache, .. } = to;
        // Only an object that is no dependent yet may be one of an earlier tool.
        let former = if live.is_none() { former_owner(self, step).await? } else { None };
        let claimant = Claimant { former: former.as_ref(), ..Claimant::new(owner, &calls.field_manager) };
        let owned = Owned { calls, claimant, target, subscriber: None };
        let adopt = match item.settings.adoption {
            AdoptionPolicy::Never => Adopt::Never,
            AdoptionPolicy::IfUnowned => Adopt::IfUnowned,
            AdoptionPolicy::Always => Adopt::Always,
        };
        let writing = cache.writing(target);
        let known =
            live.map(|live| KnownVersion { uid: live.uid.clone(), resource_version: live.resource_version.clone() });
        if live.is_none() {
            writing.may_create(&self.key);
        }
        let applied = owned.apply(adopt, body.clone(), known).await;
        if applied.as_ref().is_err_and(|error| !error.is_unanswered()) {
            writing.answered();
        }
        match applied {
            Ok(Written { object, before }) => {
                writing.wrote(&object);
                cache.is_served(&target.kind);
                self.record(to, target, Changed::by_apply(before.as_deref(), &object.metadata));
                Ok(())
            }
            Err(ApiError::Foreign(text)) if self.sets.cluster(step).is_none() => {
                // Its end, or a change of its owner, triggers a pass. If it is gone already, the next pass creates the object.
                match self.relations.named(&self.key, target).await? {
                    Some(_) => Err(ApiError::Foreign(text)),
                    None => Err(ApiError::Conflict(text)),
                }
            }
            Err(error) => Err(error),
        }
    }
}

/// Where a call is sent.
#[derive(Clone, Copy)]
struct At<'a> {
    step: &'a str,
    calls: &'a Calls,
    cache: &'a DependentCache,
    /// Whether the call undoes what another client did.
    is_correction: bool,
}

impl At<'_> {
    async fn replace(self, target: &Target, body: &Value, live: &LiveObject) -> Result<Option<Changed>, ApiError> {
        let gone = || ApiError::Conflict(format!("{target} was deleted or created again").into());
        let found = self.calls.get(target).await?.ok_or_else(gone)?;
        if found.metadata.uid.as_deref() != Some(&*live.uid) {
            return Err(gone());
        }
        let (writing, before) = (self.cache.writing(target), found.metadata.resource_version.clone());
        let written = self.calls.replace(target, &replacement(body, &json!(found))).await?;
        writing.wrote(&written);
        Ok(Changed::by_apply(before.as_deref(), &written.metadata))
    }

    async fn delete(self, target: &Target, live: &LiveObject, foreground: bool) -> Result<Option<Changed>, ApiError> {
        let writing = self.cache.writing(target);
        let params = if foreground { DeleteParams::foreground() } else { DeleteParams::background() };
        let deleted = self.calls.delete_with(params, target, &live.uid, &live.resource_version).await?;
        writing.deleted(&live.uid, deleted != Deleted::Terminating);
        Ok((deleted != Deleted::Absent).then(|| Changed::deleted(&live.uid)))
    }

    async fn orphan(self, owner: &Owner, target: &Target, live: &LiveObject) -> Result<(), ApiError> {
        let writing = self.cache.writing(target);
        self.calls.merge(target, &orphan_patch(owner, &live.uid, &live.resource_version)).await?;
        writing.released(&live.uid);
        Ok(())
    }
}

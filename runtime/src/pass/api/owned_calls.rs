//! Applies and deletes the owned objects of a pass, and skips applies that would change nothing.

use std::sync::Arc;

use kube::api::DynamicObject;
use serde_json::Value;

use super::PassBackend;
use super::already_applied::is_applied;
use super::apply::{KnownVersion, Owned};
use super::calls::Calls;
use super::owned_object::owned;
use super::owned_writes::Applied;
use crate::api::adoption::Claimant;
use crate::api::{ApiError, Target};
use crate::trigger::number;
use crate::watch::ObjectVersion;
use crate::wiring::Relation;

impl PassBackend {
    /// The handle of an object that a step writes or deletes.
    fn owning<'a>(&'a self, calls: &'a Calls, target: &'a Target) -> Owned<'a> {
        let claimant = Claimant::new(self.owner(), &calls.field_manager);
        Owned { calls, claimant, target, subscriber: Some((&self.relations, &self.key)) }
    }

    pub(super) async fn apply_child(
        &self,
        calls: Calls,
        relation: Relation,
        target: Target,
        json: String,
    ) -> Result<Arc<DynamicObject>, ApiError> {
        self.relations.check(&target)?;
        let intent = number(&[&self.owner().reference.uid, &json]);
        let name = target.to_string();
        // Nothing to send: the intent is the same, and the object is unchanged since our last apply.
        if let Some(object) = self.children.unchanged(&name, intent, |seen| self.relations.is_known(seen)) {
            return Ok(object);
        }
        let object = owned(&target, &json, self.owner(), relation.labels)?;
        let known = self.relations.own(&target, &self.identity.uid).map(known_version);
        let known_uid = known.as_ref().map(|known| &*known.uid);
        let is_first = !self.children.has_written(&name);
        if is_first && let Some(applied) = self.applied_before(&calls, &target, &object, known_uid).await? {
            let seen = ObjectVersion::of(&target, &applied);
            self.children.applied(name, Applied { intent, seen, object: applied.clone() });
            return Ok(applied);
        }
        let guard = self.relations.writing(&target, &self.identity.uid);
        let applied = Arc::new(self.owning(&calls, &target).apply(relation.adopt, object, known).await?.object);
        let seen = ObjectVersion::of(&target, &applied);
        let moved = guard.wrote(&seen, &applied, &self.key);
        self.tracked().moved(moved);
        let is_again = self.children.applied(name.clone(), Applied { intent, seen, object: applied.clone() });
        // The same apply changed the object again: another client had changed or deleted it.
        if is_again
            && moved != 0
            && let Some(pause) = self.children.corrected(name)
        {
            tracing::warn!(object = %target, ?pause, "another client keeps changing or deleting the owned object; delaying the next correction");
        }
        Ok(applied)
    }

    /// The object, if an earlier process applied the same intent.
    async fn applied_before(
        &self,
        calls: &Calls,
        target: &Target,
        object: &Value,
        known: Option<&str>,
    ) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        if !self.settled || known.is_none() {
            return Ok(None);
        }
        let Some(mut live) = calls.whole().get(target).await? else { return Ok(None) };
        let is_it = live.metadata.uid.as_deref() == known && is_applied(object, &live, &calls.field_manager);
        if !calls.whole {
            live.metadata.managed_fields = None;
        }
        Ok(is_it.then(|| Arc::new(live)))
    }

    pub(super) async fn delete_child(&self, calls: Calls, target: Target) -> Result<(), ApiError> {
        let watched = self.relations.is_watched(&target.kind).then(|| self.relations.version_of(&target)).flatten();
        let known = self.relations.own(&target, &self.identity.uid);
        let known = known.map(known_version);
        let guard = self.relations.writing(&target, &self.identity.uid);
        match self.owning(&calls, &target).delete(known).await {
            // During a deletion it is useless to wait for another owner: a foreign object counts as absent.
            Err(ApiError::Foreign(why)) if self.identity.deleting => {
                tracing::info!(object = %target, %why, "the object was not deleted");
                return Ok(());
            }
            deleted => deleted?,
        }
        let moved = guard.deleted();
        drop(guard);
        self.children.deleted(&target, watched);
        self.tracked().moved(moved);
        Ok(())
    }
}

fn known_version(seen: ObjectVersion) -> KnownVersion {
    KnownVersion { uid: seen.uid, resource_version: seen.resource_version }
}

//! The backend of one pass: reads from the shared caches, writes through metered API calls.

pub(super) mod already_applied;
pub(super) mod apply;
pub(super) mod blocking_work;
pub(super) mod calls;
mod classify;
#[cfg(feature = "dependents")]
pub(super) mod component_calls;
pub(super) mod correction_backoff;
#[cfg(feature = "dependents")]
mod dependent_calls;
pub(super) mod gone;
pub(super) mod identity;
mod owned_calls;
pub(super) mod owned_object;
pub(super) mod owned_writes;
pub(super) mod request;
#[cfg(feature = "dependents")]
pub(super) mod rolled_out;
#[cfg(test)]
pub(super) mod scripted;
#[cfg(feature = "dependents")]
pub(super) mod seen_dependents;
pub(super) mod tracked;

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::api::{DynamicObject, ObjectMeta};
use tokio::time::Instant;

use self::blocking_work::BlockingWork;
use self::calls::Calls;
#[cfg(feature = "dependents")]
use self::component_calls::ComponentCalls;
use self::identity::{Identity, Unwritten};
use self::owned_object::owner;
use self::owned_writes::Children;
use self::tracked::Tracked;
use super::finish::written::Written;
use super::finish::{json_patch, status_write};
use crate::api::{ApiError, Backend, DryRunLog, Owner, Selection, Target, Warned};
use crate::dependency::Access;
use crate::kind::from_tree;
use crate::lock::{Mutex, MutexGuard};
use crate::pipeline::object::StatusStore;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;
use crate::queue::meter::Meter;
use crate::status::operation::RemoteOperation;
use crate::watch::{CachedObject, Primary, RelatedCaches, selects};
#[cfg(feature = "dependents")]
use crate::wiring::Wiring;
use crate::wiring::{Cache, How, KindInfo, Relation};

/// The backend of one pass.
pub(super) struct PassBackend {
    pub(super) calls: Calls,
    pub(super) relations: RelatedCaches,
    pub(super) key: Key,
    pub(super) identity: Identity,
    pub(super) owner: OnceLock<Owner>,
    /// The domain of the marks of the operator.
    pub(super) domain: Arc<str>,
    /// The field managers of earlier versions of the operator and the reconciler.
    #[cfg(feature = "dependents")]
    pub(super) former_managers: Arc<[String]>,
    pub(super) children: Children,
    pub(super) version: Mutex<String>,
    /// The owned and watched objects as this pass read them, for the digest: a change during the pass must count as new.
    pub(super) tracked: Mutex<Tracked>,
    /// The cache of the reconciled kind, which receives the object that a status write returned.
    pub(super) primary: Primary,
    /// The last pass was final and knew this generation, so its applies probably still hold.
    pub(super) settled: bool,
    /// The allowed references to other namespaces.
    pub(super) access: Access,
    /// Where the status is stored.
    pub(super) store: StatusStore,
    /// The object changes faster than a pass takes, so its status is patched.
    pub(super) hot: bool,
    /// The dependents of the object.
    #[cfg(feature = "dependents")]
    pub(super) sets: ComponentCalls,
    /// The wiring of the reconciler.
    #[cfg(feature = "dependents")]
    pub(super) wiring: &'static Wiring,
    /// The log of the dry run, if this is one.
    pub(super) dry_run: Option<&'static dyn DryRunLog>,
    pub(super) blocking: BlockingWork,
    /// Counts the steps.
    pub(super) meter: Meter,
    /// The warnings that were logged for the reconciler.
    pub(super) warned: Arc<Warned>,
    /// When the pass began.
    pub(super) began: Instant,
}

impl PassBackend {
    pub(super) fn version(&self) -> String {
        self.version.lock().clone()
    }

    /// Stores the version that our write returned, and updates the cache.
    pub(super) fn note(&self, object: &DynamicObject) {
        self.note_version(&object.metadata);
        self.primary.take_answer(object);
    }

    /// The same for a write of the status.
    pub(super) fn note_written(&self, written: &Written) {
        self.note_version(written.meta());
        match written {
            Written::AsSent(object) => drop(self.primary.take_written(object.clone())),
            Written::Other(object) => drop(self.primary.take_answer(object)),
        }
    }

    fn note_version(&self, meta: &ObjectMeta) {
        if let Some(version) = &meta.resource_version {
            self.version.lock().clone_from(version);
        }
    }

    /// Replaces the status that was found, and updates the cache.
    pub(super) async fn write(
        &self,
        calls: &Calls,
        identity: &Identity,
        found: &DesiredStatus,
        intent: &DesiredStatus,
    ) -> Result<(), Unwritten> {
        if self.store == StatusStore::Memory {
            return self.store_in_memory(intent);
        }
        let written = match self.hot {
            true => json_patch::patch(calls, identity, found, intent).await?,
            false => status_write::write(calls, identity, &self.primary, &self.version(), intent).await?,
        };
        self.note_written(&written);
        Ok(())
    }

    /// Stores the status in the cache.
    pub(super) fn store_in_memory(&self, intent: &DesiredStatus) -> Result<(), Unwritten> {
        let status = from_tree(&intent.to_value());
        let status =
            status.map_err(|error| Unwritten::Failed(ApiError::Failed(format!("the status: {error}").into())))?;
        self.primary.store_status(&self.key, &self.identity.uid, status);
        Ok(())
    }

    /// The sum over the dependents when the pass last looked.
    pub(super) fn dependents_seen(&self) -> u64 {
        #[cfg(feature = "dependents")]
        return self.sets.seen.sum();
        #[cfg(not(feature = "dependents"))]
        0
    }

    /// The object as the owner of others, created on first use.
    pub(super) fn owner(&self) -> &Owner {
        let Identity { target, uid, .. } = &self.identity;
        self.owner.get_or_init(|| owner(target, uid, &self.domain))
    }

    pub(super) fn tracked(&self) -> MutexGuard<'_, Tracked> {
        self.tracked.lock()
    }

    /// The calls of a step, at its site.
    pub(super) fn calls_of(&self, step: &'static str) -> Calls {
        let calls = self.calls.of_step(step);
        #[cfg(feature = "dependents")]
        let calls = self.sets.at_their_site(calls);
        calls
    }

    /// Reads the object from the API server, as the watch of this relation would return it.
    async fn live(
        &self,
        step: &'static str,
        how: How,
        target: &Target,
    ) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        let calls = self.calls_of(step);
        let found = match how {
            How::WatchesLabels(selector) => calls.find(target, selector).await?,
            How::WatchesByName | How::Owns | How::Keeps | How::Reads | How::Uses(_) => calls.get(target).await?,
        };
        Ok(found.map(Arc::new))
    }

    /// Reads an object of an `owns` or `reads` relation from the cache of owned objects or from the API server.
    async fn unwatched(
        &self,
        step: &'static str,
        relation: Relation,
        target: &Target,
    ) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        let of_ours =
            (relation.how == How::Owns && relation.cache == Cache::Full).then(|| self.relations.child(target));
        match of_ours.flatten() {
            Some(CachedObject::Whole(object)) => Ok(Some(object)),
            // Not in the cache of owned objects: it does not exist, or is not ours.
            _ => self.live(step, relation.how, target).await,
        }
    }

    /// The cached objects of a selection; `None`: our own writes are newer than the cache.
    pub(super) async fn selected(&self, selection: &Selection) -> Result<Option<Vec<CachedObject>>, ApiError> {
        let Selection { kind, selector, .. } = selection;
        let (objects, version) = self.relations.list(&self.key, selection).await?;
        self.tracked().watched.entry(selection.to_string()).or_insert(version);
        let cached = |child: &Target| Some(self.relations.selected(selector, child)?.seen(child));
        let outran = self.children.outran_list(kind, selector, cached, |child| self.relations.owned(child));
        Ok((!outran).then_some(objects))
    }

    async fn live_list(
        &self,
        step: &'static str,
        relation: Relation,
        selection: &Selection,
    ) -> Result<Vec<Arc<DynamicObject>>, ApiError> {
        let mut listed = self.calls_of(step).list(selection).await?;
        listed.retain(|object| selects(&relation, selection, object));
        Ok(listed.into_iter().map(Arc::new).collect())
    }
}

impl Backend for PassBackend {
    fn get(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
    ) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>> {
        async move {
            let entry = match relation.how {
                How::WatchesByName => self.relations.named(&self.key, &target).await?,
                How::WatchesLabels(selector) => self.relations.labelled(&self.key, selector, &target).await?,
                How::Owns | How::Keeps | How::Reads | How::Uses(_) => {
                    return self.unwatched(step, relation, &target).await;
                }
            };
            // If the step also owns the kind, the watch may not have delivered its last write yet.
            let cached = || entry.as_ref().map(|entry| entry.seen(&target));
            let outran = self.children.outran(&target, cached, || self.relations.owned(&target));
            let found = match (entry, outran) {
                (None, false) => None,
                (Some(CachedObject::Whole(object)), false) if relation.cache == Cache::Full => Some(object),
                _ => self.live(step, relation.how, &target).await?,
            };
            let read = found.as_ref().map(|object| CachedObject::of(object, relation.cache));
            let version = self.relations.counted_version_of(&self.key, &target, read.as_ref());
            self.tracked().read(&target, version);
            Ok(found)
        }
        .boxed()
    }

    fn list(
        &self,
        step: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<Arc<DynamicObject>>, ApiError>> {
        async move {
            match self.selected(&selection).await? {
                Some(cached) if relation.cache == Cache::Full => {
                    Ok(cached.iter().filter_map(CachedObject::object).cloned().collect())
                }
                _ => self.live_list(step, relation, &selection).await,
            }
        }
        .boxed()
    }

    fn metadata(
        &self,
        step: &'static str,
        relation: Relation,
        selection: Selection,
    ) -> BoxFuture<'_, Result<Vec<ObjectMeta>, ApiError>> {
        async move {
            if relation.how == How::Owns {
                let cached = self.relations.cached_children(&self.identity.uid, &selection.kind);
                let mut metadata: Vec<_> = cached.iter().filter_map(CachedObject::meta).cloned().collect();
                metadata.sort_by(|one, other| one.name.cmp(&other.name));
                return Ok(metadata);
            }
            if let Some(cached) = self.selected(&selection).await? {
                return Ok(cached.iter().filter_map(CachedObject::meta).cloned().collect());
            }
            let live = self.live_list(step, relation, &selection).await?;
            Ok(live.iter().map(|object| object.metadata.clone()).collect())
        }
        .boxed()
    }

    fn owned(&self, _: &'static str, kind: KindInfo) -> BoxFuture<'_, Result<Vec<Target>, ApiError>> {
        let children = self.relations.children(&self.identity.uid).into_iter().map(|seen| seen.target);
        let mut targets: Vec<Target> = children.filter(|target| target.kind == kind).collect();
        targets.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
        std::future::ready(Ok(targets)).boxed()
    }

    fn apply(
        &self,
        step: &'static str,
        relation: Relation,
        target: Target,
        json: String,
    ) -> BoxFuture<'_, Result<Arc<DynamicObject>, ApiError>> {
        self.apply_child(self.calls_of(step), relation, target, json).boxed()
    }

    fn delete(&self, step: &'static str, target: Target) -> BoxFuture<'_, Result<(), ApiError>> {
        self.delete_child(self.calls_of(step), target).boxed()
    }

    fn operation(&self, place: &'static str) -> Option<RemoteOperation> {
        self.children.operation(place)
    }

    fn keep_operation(&self, place: &'static str, operation: Option<RemoteOperation>) {
        self.children.keep_operation(place, operation);
    }

    fn record(
        &self,
        step: &'static str,
        found: DesiredStatus,
        intent: DesiredStatus,
        urgent: bool,
    ) -> BoxFuture<'_, Result<(), ApiError>> {
        async move {
            let identity = Identity { urgent, ..self.identity.clone() };
            match self.write(&self.calls.of_step(step), &identity, &found, &intent).await {
                Ok(()) => Ok(()),
                Err(Unwritten::Failed(error)) => Err(error),
                Err(Unwritten::Gone | Unwritten::Outdated) => {
                    Err(ApiError::Conflict("the object changed or was deleted during the pass".into()))
                }
            }
        }
        .boxed()
    }

    #[cfg(feature = "dependents")]
    fn dependents(&self) -> Option<&dyn crate::api::DependentCalls> {
        Some(self)
    }

    fn dry_run(&self) -> Option<&'static dyn DryRunLog> {
        self.dry_run
    }

    fn warned(&self) -> &Warned {
        &self.warned
    }

    fn access(&self) -> Access {
        self.access
    }

    fn step_ended(&self, step: &'static str, how: &'static str, took: Duration) {
        self.meter.record(|counts| counts.step(step, how, took));
    }

    fn call_ended(&self, event: &'static str, how: &'static str, took: Duration) {
        self.meter.record(|counts| counts.watcher_call(event, how, took));
    }

    fn client(&self, step: &'static str, relations: &'static [Relation]) -> kube::Client {
        self.calls_of(step).client(step, relations, self.identity.target.namespace.as_deref())
    }

    fn epoch(&self) -> u64 {
        self.calls.permit.epoch()
    }

    fn blocks(&self, step: &'static str) -> Option<Box<dyn Any + Send>> {
        let call = self.calls.permit.blocks(|| format!("the step `{step}` of {}", self.key))?;
        Some(Box::new(call))
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        self.blocking.run(work)
    }
}

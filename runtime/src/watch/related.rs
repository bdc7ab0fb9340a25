//! The type-erased caches of the kinds that steps own and watch: one handle for the passes of a reconciler.

#[cfg(feature = "dependents")]
mod dependents;
mod owned_watch;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::by_name::Named;
use super::by_selector::{LabelWatch, Labelled};
use super::cached_object::CachedObject;
#[cfg(feature = "dependents")]
use super::clusters::{Clusters, Keeper};
use super::declared::{counts, declared, indexers, without_how};
#[cfg(feature = "dependents")]
use super::dependents::{Component, DependentCache};
use super::first_list::WatchHandle;
use super::foreign_owner::Foreign;
use super::object_version::ObjectVersion;
use super::owned::Children;
use super::scope::Scope;
use super::shared::SharedWatches;
use super::store::Changed;
use super::subscriptions::Subscriptions;
use super::watch_target::WatchTarget;
use super::write_guard::WriteGuard;
use crate::api::{ApiError, Selection, Target, Watched};
use crate::lock::Mutex;
use crate::queue::{Key, Queue, TriggerSet};
use crate::wiring::{Cache, How, KindInfo, OperatorNames, Wiring};

/// The version of the reconciled object among those that its own pass reads.
const ITSELF: &str = "itself";

/// The caches of owned and watched kinds. All clones share them.
#[derive(Clone)]
pub(crate) struct RelatedCaches(Arc<Inner>);

struct Inner {
    watches: SharedWatches,
    queue: Queue,
    /// The reconciled kind.
    owner: KindInfo,
    /// Whether passes run. Before that, owned kinds enqueue nothing, as every object is enqueued anyway.
    live: AtomicBool,
    scope: Scope,
    children: Children,
    foreign: Foreign,
    #[cfg(feature = "dependents")]
    dependents: DependentCache,
    #[cfg(feature = "dependents")]
    clusters: Clusters,
    /// The watches of owned kinds.
    owned: Vec<WatchHandle>,
    labelled: Vec<Labelled>,
    /// The kinds that are watched by name or label.
    watched: Vec<KindInfo>,
    /// The kinds that are watched by name, and what is cached of them.
    by_name: Vec<(KindInfo, Cache)>,
    named: Mutex<HashMap<Target, Arc<Named>>>,
    interest: Mutex<Subscriptions>,
}

impl RelatedCaches {
    /// Joins the watches of owned kinds, of dependents and of label selectors for a reconciler of this operator. Watches by name start on the
    /// first request.
    pub(crate) fn new(
        watches: &SharedWatches,
        (wiring, operator): (&'static Wiring, &OperatorNames),
        owner: KindInfo,
        scope: Scope,
        queue: Queue,
    ) -> Self {
        #[cfg(feature = "dependents")]
        let (dependents, clusters) = {
            let component = Component { kind: owner.clone(), wiring, operator, cluster: None };
            let keeper = Keeper { kind: owner.clone(), wiring, operator: operator.clone(), queue: queue.clone() };
            let cache = DependentCache::new(watches, component, scope.clone(), &queue);
            (cache, Clusters::new(keeper, watches.clone()))
        };
        #[cfg(not(feature = "dependents"))]
        let _ = operator;
        let scope = scope.around(&owner);
        let kinds = without_how(declared(wiring, |how| how == How::Owns));
        let counts = kinds.iter().map(|(kind, cache)| counts(wiring, kind, *cache)).collect();
        let children = Children::new(owner.clone(), kinds, counts);
        let selections = declared(wiring, |how| how.selector().is_some());
        let selections = selections.into_iter().filter_map(|(kind, how, cache)| {
            let selector = how.selector()?;
            Some(LabelWatch { indexers: indexers(wiring, &kind, selector), kind, selector, cache })
        });
        let watched = declared(wiring, How::is_watch).into_iter().map(|(kind, ..)| kind).collect();
        let by_name = without_how(declared(wiring, |how| how == How::WatchesByName));
        let foreign = Foreign::default();
        Self(Arc::new_cyclic(|inner| {
            let labelled = selections.map(|selection| labelled(inner, watches, selection, &scope));
            Inner {
                watches: watches.clone(),
                queue,
                owner,
                live: AtomicBool::new(false),
                labelled: labelled.collect(),
                watched,
                by_name,
                owned: owned_watch::join(&enqueue_of(inner), watches, (&children, &foreign), (wiring, &scope)),
                scope,
                children,
                foreign,
                #[cfg(feature = "dependents")]
                dependents,
                #[cfg(feature = "dependents")]
                clusters,
                named: Mutex::default(),
                interest: Mutex::default(),
            }
        }))
    }

    /// The progress of the watches of owned kinds, of dependents and of label selectors.
    pub(crate) fn lists(&self) -> Vec<WatchHandle> {
        let lists = self.0.owned.iter().cloned().chain(self.0.labelled.iter().flat_map(Labelled::lists));
        #[cfg(feature = "dependents")]
        let lists = lists.chain(self.0.dependents.lists());
        lists.collect()
    }

    /// Whether cached objects keep the fields that are stripped by default.
    pub(crate) fn keeps_all(&self) -> bool {
        self.0.scope.whole
    }

    /// Lets the events of owned kinds enqueue objects from now on.
    pub(crate) fn go_live(&self) {
        self.0.live.store(true, Ordering::SeqCst);
        #[cfg(feature = "dependents")]
        self.0.dependents.go_live();
    }

    /// The owned objects of the owner with this uid, from the cache and our own writes.
    pub(crate) fn children(&self, owner_uid: &str) -> Vec<ObjectVersion> {
        self.0.children.of(owner_uid)
    }

    /// A sum over all owned objects of the owner that changes with every relevant change.
    pub(crate) fn sum_of_children(&self, owner_uid: &str) -> u64 {
        self.0.children.sum(owner_uid)
    }

    /// The cached part of an owned object, from its watch and our own writes.
    pub(crate) fn child(&self, target: &Target) -> Option<CachedObject> {
        self.0.children.cached(target)
    }

    /// The cached parts of the owned objects of a kind.
    pub(crate) fn cached_children(&self, owner_uid: &str, kind: &KindInfo) -> Vec<CachedObject> {
        self.0.children.cached_of(owner_uid, kind)
    }

    /// Whether objects of the namespace are watched. Cluster-scoped objects always are.
    pub(crate) fn covers(&self, namespace: Option<&str>) -> bool {
        self.0.scope.covers(namespace)
    }

    /// The namespaces in which objects of the kind are watched; `None`: all.
    pub(crate) fn namespaces(&self, kind: &KindInfo) -> Vec<Option<String>> {
        self.0.scope.namespaces_of(kind).into_iter().map(|namespace| namespace.as_deref().map(str::to_owned)).collect()
    }

    /// Fails for an object in a namespace that is not watched.
    pub(crate) fn check(&self, target: &Target) -> Result<(), ApiError> {
        self.0.scope.check(target.namespace.as_deref(), target)
    }

    /// The object of this name, from a shared watch that starts with the first subscriber. Its creation, change or deletion enqueues the
    /// subscriber.
    ///
    /// # Errors
    /// The watch fails (when it recovers, the subscriber is enqueued), or it does not cover the namespace.
    pub(crate) async fn named(&self, subscriber: &Key, target: &Target) -> Result<Option<CachedObject>, ApiError> {
        self.0.scope.check(target.namespace.as_deref(), target)?;
        self.0.interest.lock().add(subscriber, Watched::Object(target.clone()));
        let named = self.0.named.lock().entry(target.clone()).or_insert_with(|| self.start(target)).clone();
        named.object().await
    }

    /// The object of this name in the cache; `None` also without a subscriber or before the watch works.
    pub(crate) fn named_now(&self, target: &Target) -> Option<CachedObject> {
        self.0.named.lock().get(target).and_then(|named| named.now())
    }

    fn start(&self, target: &Target) -> Arc<Named> {
        let namespace = target.namespace.as_deref().map(Arc::from);
        let place = WatchTarget { name: Some(target.name.clone()), ..self.0.scope.place(&target.kind, namespace) };
        let declared = self.0.by_name.iter().find(|(kind, _)| *kind == target.kind);
        // No step reads an object that is not declared: a foreign one of which a pass waits for the end.
        let cache = declared.map_or(Cache::Metadata, |(_, cache)| *cache);
        let (inner, target) = (Arc::downgrade(&self.0), target.clone());
        let subscriber = Arc::as_ptr(&self.0) as usize;
        self.0.watches.named((place, cache), subscriber, move || {
            let key = Key::new(target.namespace.as_deref(), &target.name);
            enqueue_waiting(&inner, &Watched::Object(target.clone()), (&target.kind, &key));
        })
    }

    /// Same as [`named`](Self::named), from the watch of a label selector.
    ///
    /// # Errors
    /// The watch fails (when it recovers and the object exists, the subscriber is enqueued).
    pub(crate) async fn labelled(
        &self,
        subscriber: &Key,
        selector: &str,
        target: &Target,
    ) -> Result<Option<CachedObject>, ApiError> {
        self.0.scope.check(target.namespace.as_deref(), target)?;
        self.0.interest.lock().add(subscriber, Watched::Object(target.clone()));
        self.selector(selector, &target.kind)?.object(target).await
    }

    /// Whether steps read the kind from a watch.
    pub(crate) fn is_watched(&self, kind: &KindInfo) -> bool {
        self.0.watched.contains(kind)
    }

    /// All objects of the selection, from the watch of its selector, and the version as a whole of all but the subscriber. Every change
    /// among the others enqueues the subscriber.
    ///
    /// # Errors
    /// Same as [`labelled`](Self::labelled).
    pub(crate) async fn list(
        &self,
        subscriber: &Key,
        selection: &Selection,
    ) -> Result<(Vec<CachedObject>, String), ApiError> {
        self.0.scope.check(selection.namespace.as_deref(), selection)?;
        self.0.interest.lock().add(subscriber, Watched::Selection(selection.clone()));
        let Selection { kind, namespace, selector, entry } = selection;
        let but = self.0.is_of_owner(kind).then_some(subscriber);
        self.selector(selector, kind)?.all(namespace.as_deref(), entry.as_deref(), but).await
    }

    /// The version as a whole of the objects of the selection, of all but the subscriber.
    pub(crate) fn version_of_all(&self, subscriber: &Key, selection: &Selection) -> Option<String> {
        let Selection { kind, namespace, selector, entry } = selection;
        let but = self.0.is_of_owner(kind).then_some(subscriber);
        Some(self.selector(selector, kind).ok()?.version(namespace.as_deref(), entry.as_deref(), but))
    }

    /// The version of an object for the digest of a pass of the subscriber; `None`: the object does not exist. The subscriber itself has
    /// always the same version: its own passes change it, and other triggers report its changes.
    pub(crate) fn counted_version(&self, subscriber: &Key, target: &Target) -> Option<String> {
        let owned = || Some(self.0.children.get(target)?.counted_version());
        let watched = || Some(self.watched_now(target)?.counted_version());
        self.0.of_itself(subscriber, target).or_else(owned).or_else(watched)
    }

    /// The same for an object as the pass has read it. Of an owned object the resourceVersion counts, as own writes return nothing else.
    pub(crate) fn counted_version_of(
        &self,
        subscriber: &Key,
        target: &Target,
        read: Option<&CachedObject>,
    ) -> Option<String> {
        let is_owned = || self.0.children.get(target).is_some();
        let version = |read: &CachedObject| match is_owned() {
            true => read.seen(target).counted_version(),
            false => read.counted_version(),
        };
        self.0.of_itself(subscriber, target).or_else(|| read.map(version))
    }

    /// The object in the watches by name and by label.
    fn watched_now(&self, target: &Target) -> Option<CachedObject> {
        let labelled = || self.0.labelled.iter().filter(|l| l.kind == target.kind).find_map(|l| l.now(target));
        self.named_now(target).or_else(labelled)
    }

    /// The object in the cache of the selector's watch, without waiting.
    pub(crate) fn selected(&self, selector: &str, target: &Target) -> Option<CachedObject> {
        self.selector(selector, &target.kind).ok()?.now(target)
    }

    fn selector(&self, selector: &str, kind: &KindInfo) -> Result<&Labelled, ApiError> {
        let labelled = self.0.labelled.iter().find(|l| l.selector == selector && l.kind == *kind);
        let kind = &kind.resource.kind;
        labelled.ok_or_else(|| ApiError::Failed(format!("{kind} is not watched with labels {selector}").into()))
    }

    /// The objects of other owners for which passes wait.
    pub(crate) fn foreign(&self) -> &Foreign {
        &self.0.foreign
    }

    /// The version of an object of this owner, from its watch and our own writes, unless we deleted it.
    pub(crate) fn own(&self, target: &Target, owner_uid: &str) -> Option<ObjectVersion> {
        self.0.children.alive(target).filter(|seen| seen.controller.as_deref() == Some(owner_uid))
    }

    /// The known version of an owned object, from its watch and our own writes.
    pub(crate) fn owned(&self, target: &Target) -> Option<ObjectVersion> {
        self.0.children.get(target)
    }

    /// Whether the known version of an owned or watched object is this one.
    pub(crate) fn is_known(&self, seen: &ObjectVersion) -> bool {
        let watched = || self.watched_now(&seen.target).map(|read| read.seen(&seen.target).is_same(seen));
        self.0.children.is_known(seen).or_else(watched).unwrap_or_default()
    }

    /// The known version of an owned or watched object.
    pub(crate) fn version_of(&self, target: &Target) -> Option<ObjectVersion> {
        let watched = || Some(self.watched_now(target)?.seen(target));
        self.0.children.get(target).or_else(watched)
    }

    /// Drops the subscriptions that a pass no longer needs. A watch by name without subscribers ends.
    pub(crate) fn keep(&self, subscriber: &Key, references: &BTreeSet<String>) {
        self.0.foreign.keep(subscriber, references);
        let mut interest = self.0.interest.lock();
        let deserted = interest.keep(subscriber, references);
        let mut named = self.0.named.lock();
        for target in deserted {
            named.remove(&target);
        }
    }

    /// Announces a write of an object of this owner. Its events are held back until the guard is dropped. Then those that the write did not
    /// cause enqueue the owner.
    pub(crate) fn writing(&self, target: &Target, owner_uid: &str) -> WriteGuard {
        let inner = Arc::downgrade(&self.0);
        let enqueue = move |owners: &[Key]| enqueue(&inner, owners, TriggerSet::OWNED);
        WriteGuard::begin(self.0.children.clone(), target, owner_uid, enqueue)
    }
}

impl Inner {
    /// Whether it is the reconciled kind.
    fn is_of_owner(&self, kind: &KindInfo) -> bool {
        (&kind.resource.group, &kind.resource.kind) == (&self.owner.resource.group, &self.owner.resource.kind)
    }

    /// The version of the target, if it is the reconciled object of this key.
    fn of_itself(&self, key: &Key, target: &Target) -> Option<String> {
        let is_it = self.is_of_owner(&target.kind)
            && (key.namespace.as_deref(), &*key.name) == (target.namespace.as_deref(), &*target.name);
        is_it.then(|| ITSELF.to_owned())
    }
}

fn labelled(inner: &Weak<Inner>, watches: &SharedWatches, watch: LabelWatch, scope: &Scope) -> Labelled {
    let (inner, of, selector) = (inner.clone(), watch.kind.clone(), watch.selector);
    let enqueue = move |Changed { key, entries }: &Changed| {
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        let target = Target { kind: of.clone(), namespace: namespace.clone(), name: key.name.to_string() };
        let changed = (&of, key);
        enqueue_waiting(&inner, &Watched::Object(target), changed);
        // Also the subscribers of lists and of index entries.
        let everywhere = of.namespaced.then_some(None);
        for namespace in std::iter::once(namespace).chain(everywhere) {
            let all = Selection::new(of.clone(), namespace, selector);
            for entry in entries {
                enqueue_waiting(&inner, &Watched::Selection(all.clone().under(entry)), changed);
            }
            enqueue_waiting(&inner, &Watched::Selection(all), changed);
        }
    };
    let places = scope.places(&watch.kind);
    Labelled::join(watches, watch, places, enqueue)
}

/// Enqueues objects once passes run.
fn enqueue_of(inner: &Weak<Inner>) -> owned_watch::Enqueue {
    let inner = inner.clone();
    Arc::new(move |keys, triggers| enqueue(&inner, keys, triggers))
}

fn enqueue(inner: &Weak<Inner>, keys: &[Key], triggers: TriggerSet) {
    let Some(inner) = inner.upgrade().filter(|inner| inner.live.load(Ordering::SeqCst)) else { return };
    for key in keys {
        inner.queue.add(key, triggers);
    }
}

/// Enqueues the reconciled objects whose passes read what is watched, after a change of the object with this kind and key. That object itself
/// is not enqueued: if its pass reads it, each write of its status would start another pass.
fn enqueue_waiting(inner: &Weak<Inner>, watched: &Watched, (kind, key): (&KindInfo, &Key)) {
    let Some(inner) = inner.upgrade() else { return };
    let itself = inner.is_of_owner(kind).then_some(key);
    for subscriber in inner.interest.lock().subscribers(watched) {
        if itself != Some(subscriber) {
            inner.queue.add(subscriber, TriggerSet::WATCHED);
        }
    }
}

#[cfg(test)]
mod tests;

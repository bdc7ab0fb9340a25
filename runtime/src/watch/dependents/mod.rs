//! The dependents of the components of one reconciler, from one watch per kind for all components together.

mod compact_text;
mod entry;
mod kinds;
mod known;
mod sink;
mod store;
mod writing;

#[cfg(feature = "metrics")]
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use self::kinds::{Kinds, WatchedKind};
pub(crate) use self::known::KnownDependent;
use self::known::Reader;
use self::sink::Sink;
use self::store::Store;
pub(crate) use self::writing::Writing;
use super::first_list::{First, WatchHandle};
use super::scope::Scope;
use super::shared::SharedWatches;
use super::watch_target::WatchTarget;
use crate::api::{ApiError, Target};
#[cfg(feature = "metrics")]
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::ObjectId;
use crate::queue::{Key, Queue};
use crate::wiring::{Cache, How, KindInfo, OperatorNames, Wiring};

/// The known dependents of the components of one reconciler. All clones share them.
#[derive(Clone)]
pub(crate) struct DependentCache(Arc<Inner>);

struct Inner {
    reader: Reader,
    /// The label of all dependents of the operator.
    selector: String,
    kinds: Kinds,
    scope: Scope,
    store: Arc<Store>,
    queue: Queue,
    watches: SharedWatches,
    /// Whether passes run. Before that, nothing is enqueued, as every component is enqueued anyway.
    live: Arc<AtomicBool>,
}

/// Whose dependents are cached.
pub(crate) struct Component<'a> {
    /// The kind of the components.
    pub(crate) kind: KindInfo,
    /// The wiring of their reconciler.
    pub(crate) wiring: &'static Wiring,
    /// The names of the operator.
    pub(crate) operator: &'a OperatorNames,
    /// The cluster of the components; `None`: that of the dependents.
    pub(crate) cluster: Option<Arc<str>>,
}

impl DependentCache {
    /// Joins one watch for each kind that a step declares in `dependents(..)`.
    pub(crate) fn new(watches: &SharedWatches, component: Component<'_>, scope: Scope, queue: &Queue) -> Self {
        let Component { kind: owner, wiring, operator, cluster } = component;
        let scope = Scope { whole: true, ..scope.around(&owner) };
        let manager = wiring.field_manager_under(&operator.name);
        let kept = || wiring.relations().filter(|relation| relation.how == How::Keeps);
        let cached = kept().filter(|relation| relation.cache == Cache::Full).filter_map(|one| Some(one.kind?()));
        let cached = cached.collect();
        let names = wiring.steps.iter().map(|step| step.name.into()).collect();
        let reader = Reader { owner, wiring, operator: operator.clone(), names, manager, cached, cluster };
        let cache = Self(Arc::new(Inner {
            reader,
            selector: operator.selector(),
            kinds: Kinds::default(),
            scope,
            store: Arc::default(),
            queue: queue.clone(),
            watches: watches.clone(),
            live: Arc::default(),
        }));
        for kind in kept().filter_map(|one| one.kind) {
            // The first one counts: its plural is that of the type, or given. That of a template is guessed.
            let kind = kind();
            cache.0.kinds.add(&kind, |at| WatchedKind {
                lists: cache.join(at, &kind, watches),
                kind: kind.clone(),
                later: None,
            });
        }
        cache
    }

    /// Watches a kind that no step declares, for a step with `dependents(any)`. A failure of this watch does not count for the readiness of
    /// the operator, since its user chose the kind.
    pub(crate) fn add(&self, kind: &KindInfo) {
        self.0.kinds.add(kind, |at| {
            let watches = self.0.watches.apart();
            let lists = self.join(at, kind, &watches);
            WatchedKind { kind: kind.clone(), lists, later: Some(watches.run()) }
        });
    }

    fn join(&self, at: usize, kind: &KindInfo, watches: &SharedWatches) -> Vec<(WatchTarget, Arc<First>)> {
        let Inner { reader, selector, scope, store, queue, live, .. } = &*self.0;
        let places = scope.selected_places(kind, Some(selector), None).into_iter();
        let joined = places.map(|place| {
            let sink = Sink {
                at,
                kind: kind.clone(),
                namespace: place.namespace.as_deref().map(ToOwned::to_owned),
                reader: reader.clone(),
                store: store.clone(),
                live: live.clone(),
                queue: queue.clone(),
            };
            let first = sink.join(watches, &place);
            (place, first)
        });
        joined.collect()
    }

    /// The progress of the watches.
    pub(crate) fn lists(&self) -> Vec<WatchHandle> {
        self.0.kinds.declared_lists().into_iter().map(|(place, first)| (place, first.progress())).collect()
    }

    /// Lets events enqueue components from now on.
    pub(crate) fn go_live(&self) {
        self.0.live.store(true, Ordering::SeqCst);
    }

    /// The watched kinds: those that steps declare in `dependents(..)`, and those that were added.
    pub(crate) fn kinds(&self) -> Vec<KindInfo> {
        self.0.kinds.all()
    }

    /// The watched kind of this group and name.
    pub(crate) fn kind(&self, group: &str, kind: &str) -> Option<KindInfo> {
        self.0.kinds.get(group, kind)
    }

    /// The call target of an object, if a step may keep its kind.
    pub(crate) fn target(&self, id: &ObjectId) -> Option<Target> {
        let kind = self.kind(&id.group, &id.kind)?;
        Some(Target { kind, namespace: id.namespace.clone(), name: id.name.clone() })
    }

    /// Waits for the first lists of the declared kinds. A kind that the API server does not serve has no objects.
    ///
    /// # Errors
    /// A watch fails or takes too long. When it recovers, the components of the listed objects are enqueued.
    pub(crate) async fn listed(&self) -> Result<(), ApiError> {
        until_listed(self.0.kinds.declared_lists()).await
    }

    /// Waits for the first lists of a kind. A kind that was added holds up only the components that have objects of it.
    ///
    /// # Errors
    /// Same as [`listed`](Self::listed).
    pub(crate) async fn listed_of(&self, kind: &KindInfo) -> Result<(), ApiError> {
        until_listed(self.0.kinds.lists_of(kind)).await
    }

    /// Records that the API server serves the kind: its watch starts now if it was waiting for that.
    pub(crate) fn is_served(&self, kind: &KindInfo) {
        self.0.kinds.lists_of(kind).iter().for_each(|(_, first)| first.retry());
    }

    /// Fails for an object in a namespace that is not watched.
    pub(crate) fn check(&self, target: &Target) -> Result<(), ApiError> {
        self.0.scope.check(target.namespace.as_deref(), target)
    }

    /// The dependent of this name, whatever its set.
    pub(crate) fn get(&self, target: &Target) -> Option<KnownDependent> {
        let at = self.place(&target.kind)?;
        self.0.store.get(at, &Key::new(target.namespace.as_deref(), &target.name))
    }

    /// All dependents of a component, of all its sets.
    pub(crate) fn of(&self, component: &Key) -> Vec<(ObjectId, KnownDependent)> {
        let known = self.0.store.of(component);
        // After the objects, so that each of them has a kind.
        let kinds = self.kinds();
        let named = |(at, key, known): (usize, Key, KnownDependent)| {
            let resource = &kinds[at].resource;
            let (group, kind) = (resource.group.clone(), resource.kind.clone());
            let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
            (ObjectId { group, kind, namespace, name: key.name.to_string() }, known)
        };
        let mut all: Vec<_> = known.into_iter().map(named).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    /// The number of dependents of all components, by kind and kstatus.
    #[cfg(feature = "metrics")]
    pub(crate) fn counts(&self) -> BTreeMap<(String, &'static str), i64> {
        let mut found: BTreeMap<_, i64> = BTreeMap::new();
        self.0.store.statuses(&mut |at, status| *found.entry((at, status)).or_default() += 1);
        let mut counts = BTreeMap::new();
        for (at, kind) in self.kinds().iter().enumerate() {
            for status in ObjectStatus::WORDS {
                let count = found.get(&(at, status)).copied().unwrap_or_default();
                *counts.entry((kind.resource.kind.clone(), status)).or_default() += count;
            }
        }
        counts
    }

    /// The time until the first dependent of the component is applied again although nothing has changed.
    pub(crate) fn until_reapply(&self, component: &Key) -> Option<Duration> {
        self.0.store.until_reapply(component)
    }

    /// A sum over the dependents of a component that changes with every change that a pass must see.
    pub(crate) fn sum(&self, component: &Key) -> u64 {
        self.0.store.sum(component)
    }

    /// The sums over the dependents of each step of a component.
    pub(crate) fn sums(&self, component: &Key) -> Vec<(Arc<str>, u64)> {
        self.0.store.sums(component)
    }

    /// The step of a dependent of the component, and its share in the sum; `None`: it is none.
    pub(crate) fn share(&self, target: &Target, component: &Key) -> Option<(Arc<str>, u64)> {
        let key = Key::new(target.namespace.as_deref(), &target.name);
        self.0.store.share((self.place(&target.kind)?, &key), component)
    }

    /// Announces a write of an object; an event of its deletion that is delivered before the response is then not lost.
    pub(crate) fn writing(&self, target: &Target) -> Writing {
        let at = self.place(&target.kind).unwrap_or(usize::MAX);
        let key = Key::new(target.namespace.as_deref(), &target.name);
        Writing::begin(self.0.store.clone(), self.0.reader.clone(), target.kind.clone(), (at, key))
    }

    /// A dependent of the component whose creation had no answer and may still be carried out, and for how long.
    pub(crate) fn unanswered(&self, component: &Key) -> Option<(ObjectId, Duration)> {
        let ((at, key), left) = self.0.store.unanswered_of(component)?;
        let KindInfo { resource, .. } = self.kinds().into_iter().nth(at)?;
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        let id = ObjectId {
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace,
            name: key.name.to_string(),
        };
        Some((id, left))
    }

    /// Takes the fields of all these dependents as what was applied, since they are unchanged since an earlier process applied them.
    pub(crate) fn accept(&self, ids: &[&ObjectId]) {
        for target in ids.iter().filter_map(|id| self.target(id)) {
            let Some(at) = self.place(&target.kind) else { continue };
            self.0.store.accept(at, &Key::new(target.namespace.as_deref(), &target.name));
        }
    }

    fn place(&self, kind: &KindInfo) -> Option<usize> {
        self.0.kinds.place(&kind.resource.group, &kind.resource.kind)
    }
}

async fn until_listed(lists: Vec<(WatchTarget, Arc<First>)>) -> Result<(), ApiError> {
    for (place, first) in lists {
        match first.listed(&place).await {
            Ok(()) | Err(ApiError::NotServed(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

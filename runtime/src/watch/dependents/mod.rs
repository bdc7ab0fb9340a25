//! The dependents of the components of one reconciler, from one watch per kind for all components together.

mod known;
mod store;
mod writing;

#[cfg(feature = "metrics")]
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube::api::ObjectMeta;
use kube::runtime::watcher::Event;
use serde_json::Value;

pub(crate) use self::known::KnownDependent;
use self::known::{Reader, has_status};
use self::store::Store;
pub(crate) use self::writing::Writing;
use super::first_list::{First, WatchHandle};
use super::form::ObjectForm;
use super::scope::Scope;
use super::shared::SharedWatches;
use super::watch_target::WatchTarget;
use crate::api::{ApiError, Target};
use crate::client::decode::Marked;
#[cfg(feature = "metrics")]
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::ObjectId;
use crate::queue::{Key, Queue, TriggerSet};
use crate::wiring::annotations::OPERATOR;
use crate::wiring::{How, KindInfo, Wiring};

/// The known dependents of the components of one reconciler. All clones share them.
#[derive(Clone)]
pub(crate) struct DependentCache(Arc<Inner>);

struct Inner {
    reader: Reader,
    kinds: Vec<KindInfo>,
    scope: Scope,
    store: Arc<Store>,
    lists: Vec<(WatchTarget, Arc<First>)>,
    /// Whether passes run. Before that, nothing is enqueued, as every component is enqueued anyway.
    live: Arc<AtomicBool>,
}

/// Whose dependents are cached.
pub(crate) struct Component<'a> {
    /// The kind of the components.
    pub(crate) kind: KindInfo,
    /// The wiring of their reconciler.
    pub(crate) wiring: &'a Wiring,
    /// The name of the operator.
    pub(crate) operator: &'a str,
    /// The cluster of the components; `None`: that of the dependents.
    pub(crate) cluster: Option<Arc<str>>,
}

impl DependentCache {
    /// Joins one watch for each kind that a step declares in `dependents(..)`.
    pub(crate) fn new(watches: &SharedWatches, component: Component<'_>, scope: Scope, queue: &Queue) -> Self {
        let Component { kind: owner, wiring, operator, cluster } = component;
        let scope = Scope { whole: true, ..scope.around(&owner) };
        let mut kinds: Vec<KindInfo> = Vec::new();
        for kind in wiring.relations().filter(|relation| relation.how == How::Keeps).filter_map(|one| one.kind) {
            let kind = kind();
            let is_same = |known: &KindInfo| {
                (&known.resource.group, &known.resource.kind) == (&kind.resource.group, &kind.resource.kind)
            };
            // The first one counts: its plural is that of the type, or given. That of a template is guessed.
            if !kinds.iter().any(is_same) {
                kinds.push(kind);
            }
        }
        let manager = wiring.field_manager_under(operator);
        let reader = Reader { owner, reconciler: wiring.name, steps: wiring.steps, manager, cluster };
        let (store, live) = (Arc::new(Store::default()), Arc::new(AtomicBool::new(false)));
        let selector = format!("{OPERATOR}={operator}");
        let mut lists = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            for place in scope.selected_places(kind, Some(&selector), None) {
                let sink = Sink {
                    at,
                    kind: kind.clone(),
                    namespace: place.namespace.as_deref().map(ToOwned::to_owned),
                    reader: reader.clone(),
                    store: store.clone(),
                    live: live.clone(),
                    queue: queue.clone(),
                };
                let first = match has_status(kind) {
                    true => sink.join::<false>(watches, &place),
                    false => sink.join::<true>(watches, &place),
                };
                lists.push((place, first));
            }
        }
        Self(Arc::new(Inner { reader, kinds, scope, store, lists, live }))
    }

    /// The progress of the watches.
    pub(crate) fn lists(&self) -> Vec<WatchHandle> {
        self.0.lists.iter().map(|(place, first)| (place.clone(), first.progress())).collect()
    }

    /// Lets events enqueue components from now on.
    pub(crate) fn go_live(&self) {
        self.0.live.store(true, Ordering::SeqCst);
    }

    /// The kinds that steps declare in `dependents(..)`.
    pub(crate) fn kinds(&self) -> &[KindInfo] {
        &self.0.kinds
    }

    /// The call target of an object, if a step may keep its kind.
    pub(crate) fn target(&self, id: &ObjectId) -> Option<Target> {
        let kind = self.0.kinds.iter().find(|kind| id.is(&kind.resource.group, &kind.resource.kind))?;
        Some(Target { kind: kind.clone(), namespace: id.namespace.clone(), name: id.name.clone() })
    }

    /// Waits for the first lists. A kind that the API server does not serve has no objects.
    ///
    /// # Errors
    /// A watch fails or takes too long. When it recovers, the components of the listed objects are enqueued.
    pub(crate) async fn listed(&self) -> Result<(), ApiError> {
        for (place, first) in &self.0.lists {
            match first.listed(place).await {
                Ok(()) | Err(ApiError::NotServed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Records that the API server serves the kind: its watch starts now if it was waiting for that.
    pub(crate) fn is_served(&self, kind: &KindInfo) {
        let of_kind = self.0.lists.iter().filter(|(place, _)| place.resource == kind.resource);
        of_kind.for_each(|(_, first)| first.retry());
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
        let named = |(at, key, known): (usize, Key, KnownDependent)| {
            let resource = &self.0.kinds[at].resource;
            let (group, kind) = (resource.group.clone(), resource.kind.clone());
            let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
            (ObjectId { group, kind, namespace, name: key.name.to_string() }, known)
        };
        let mut all: Vec<_> = self.0.store.of(component).into_iter().map(named).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    /// The number of dependents of all components, by kind and kstatus.
    #[cfg(feature = "metrics")]
    pub(crate) fn counts(&self) -> BTreeMap<(String, &'static str), i64> {
        let kind = |at: usize| self.0.kinds[at].resource.kind.clone();
        let all = (0..self.0.kinds.len()).flat_map(|at| ObjectStatus::WORDS.map(|status| ((kind(at), status), 0)));
        let mut counts: BTreeMap<_, i64> = all.collect();
        self.0.store.statuses(&mut |at, status| *counts.entry((kind(at), status)).or_default() += 1);
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

    /// Announces a write of an object; an event of its deletion that is delivered before the response is then not lost.
    pub(crate) fn writing(&self, target: &Target) -> Writing {
        let at = self.place(&target.kind).unwrap_or(usize::MAX);
        let key = Key::new(target.namespace.as_deref(), &target.name);
        Writing::begin(self.0.store.clone(), self.0.reader.clone(), target.kind.clone(), (at, key))
    }

    /// Takes the fields of all these dependents as what was applied, since they are unchanged since an earlier process applied them.
    pub(crate) fn accept(&self, ids: &[&ObjectId]) {
        for target in ids.iter().filter_map(|id| self.target(id)) {
            let Some(at) = self.place(&target.kind) else { continue };
            self.0.store.accept(at, &Key::new(target.namespace.as_deref(), &target.name));
        }
    }

    fn place(&self, kind: &KindInfo) -> Option<usize> {
        self.0.kinds.iter().position(|one| one == kind)
    }
}

/// Receives the events of one watch.
struct Sink {
    at: usize,
    kind: KindInfo,
    namespace: Option<String>,
    reader: Reader,
    store: Arc<Store>,
    live: Arc<AtomicBool>,
    queue: Queue,
}

impl Sink {
    fn join<const METADATA: bool>(self, watches: &SharedWatches, place: &WatchTarget) -> Arc<First>
    where
        Marked<METADATA>: ObjectForm,
    {
        let first = Arc::new(First::of(watches.progress::<Marked<METADATA>>(place)));
        let result = first.clone();
        watches.join(place, move |event: Event<Marked<METADATA>>| {
            let is_complete = matches!(event, Event::InitDone);
            let mut components = match event {
                Event::Init => {
                    self.store.begin_list(self.at);
                    Vec::new()
                }
                Event::InitApply(Marked { meta, object }) => self.apply(&meta, object, true),
                Event::Apply(Marked { meta, object }) => self.apply(&meta, object, false),
                Event::Delete(Marked { meta, .. }) => {
                    self.store.remove(self.at, &Key::of(&meta), meta.uid.as_deref().unwrap_or_default())
                }
                Event::InitDone => self.store.end_list(self.at, self.namespace.as_deref()),
            };
            if is_complete && first.completes() {
                components = self.store.components();
            }
            if self.live.load(Ordering::SeqCst) {
                components.iter().for_each(|component| self.queue.add(component, TriggerSet::OWNED));
            }
        });
        result
    }

    fn apply(&self, meta: &ObjectMeta, object: Value, is_listed: bool) -> Vec<Key> {
        let id = (self.at, Key::of(meta));
        match self.reader.read(&self.kind, meta, object) {
            Some(known) => self.store.apply(id, known, is_listed),
            // Its mark is a copy, or that of another reconciler, or was removed.
            None => self.store.remove(id.0, &id.1, meta.uid.as_deref().unwrap_or_default()),
        }
    }
}

//! The watches of owned kinds.

use std::collections::HashSet;
use std::sync::Arc;

use kube::api::ObjectMeta;
use kube::runtime::watcher::Event;

use crate::client::decode::{Meta, OwnerRecord, Whole};
use crate::queue::{Key, TriggerSet};
use crate::watch::cached_object::{CacheForm, CachedObject};
use crate::watch::declared::owned_labels;
use crate::watch::first_list::WatchHandle;
use crate::watch::foreign_owner::Foreign;
use crate::watch::owned::Children;
use crate::watch::scope::Scope;
use crate::watch::shared::SharedWatches;
use crate::watch::watch_target::WatchTarget;
use crate::wiring::{Cache, Wiring};

/// Enqueues objects.
pub(super) type Enqueue = Arc<dyn Fn(&[Key], TriggerSet) + Send + Sync>;

/// Joins the watch of each owned kind.
pub(super) fn join(
    enqueue: &Enqueue,
    watches: &SharedWatches,
    (children, foreign): (&Children, &Foreign),
    (wiring, scope): (&Wiring, &Scope),
) -> Vec<WatchHandle> {
    let kinds = children.kinds().iter().enumerate();
    let places = kinds.flat_map(|(at, (kind, cache))| {
        let places = scope.selected_places(kind, owned_labels(wiring, kind).as_deref(), None);
        places.into_iter().map(move |place| (Owned { kind: at, keeps: *cache > Cache::None }, *cache, place))
    });
    let sinks = || (children.clone(), foreign.clone());
    let join = |(owned, cache, place): (Owned, Cache, WatchTarget)| match cache {
        Cache::None => join_owned::<OwnerRecord>(enqueue, watches, sinks(), owned, place),
        Cache::Metadata => join_owned::<Meta>(enqueue, watches, sinks(), owned, place),
        Cache::Full => join_owned::<Whole>(enqueue, watches, sinks(), owned, place),
    };
    places.map(join).collect()
}

/// An owned kind, as its position in the list of owned kinds.
#[derive(Clone, Copy)]
struct Owned {
    kind: usize,
    /// Whether more than the record is cached.
    keeps: bool,
}

impl Owned {
    /// Passes the metadata and the cached part of the object on.
    fn take<K: CacheForm>(
        self,
        object: K,
        take: impl FnOnce(usize, &ObjectMeta, Option<CachedObject>) -> Vec<Key>,
    ) -> Vec<Key> {
        if !self.keeps {
            return take(self.kind, object.meta(), None);
        }
        let cached = object.into_cached();
        cached.meta().map_or_else(Vec::new, |meta| take(self.kind, meta, Some(cached.clone())))
    }
}

fn join_owned<K: CacheForm>(
    enqueue: &Enqueue,
    watches: &SharedWatches,
    (children, foreign): (Children, Foreign),
    owned: Owned,
    place: WatchTarget,
) -> WatchHandle {
    let (enqueue, namespace, mut listed) = (enqueue.clone(), place.namespace.clone(), HashSet::new());
    let kind = children.kinds()[owned.kind].0.clone();
    watches.join(&place, move |event: Event<K>| {
        let waiting = match &event {
            Event::Init => Vec::new(),
            Event::InitApply(object) | Event::Apply(object) => foreign.seen(&kind, object.meta()),
            Event::Delete(object) => foreign.gone(&kind, &Key::of(object.meta())),
            Event::InitDone => foreign.retain(&kind, namespace.as_deref(), &listed),
        };
        let owners = match event {
            Event::Init => {
                listed.clear();
                children.begin_list(owned.kind, namespace.clone());
                Vec::new()
            }
            Event::InitApply(object) => {
                listed.insert(Key::of(object.meta()));
                owned.take(object, |kind, meta, cached| children.listed(kind, namespace.as_ref(), meta, cached))
            }
            Event::Apply(object) => owned.take(object, |kind, meta, cached| children.apply(kind, meta, cached)),
            Event::Delete(object) => children.remove(owned.kind, &Key::of(object.meta())),
            Event::InitDone => children.retain(owned.kind, namespace.as_deref(), &std::mem::take(&mut listed)),
        };
        enqueue(&owners, TriggerSet::OWNED);
        enqueue(&waiting, TriggerSet::WATCHED);
    });
    let progress = watches.progress::<K>(&place).subscribe();
    (place, progress)
}

//! Watches by label selector: one watch per watched namespace for all matching objects.

use std::sync::Arc;

use kube::core::DynamicObject;
use kube::runtime::watcher::Event;

use super::cached_object::{CacheForm, CachedObject};
use super::first_list::{First, WatchHandle};
use super::shared::SharedWatches;
use super::store::{Changed, Listing, Objects};
use super::watch_target::WatchTarget;
use crate::api::{ApiError, Selection, Target};
use crate::client::decode::{Meta, OwnerRecord, Whole};
use crate::queue::Key;
use crate::wiring::index::Indexer;
use crate::wiring::{Cache, KindInfo, Relation, selector_parts};

/// The selected objects, and what is cached of them.
pub(super) struct LabelWatch {
    pub(super) kind: KindInfo,
    pub(super) selector: &'static str,
    pub(super) cache: Cache,
    pub(super) indexers: Vec<Indexer>,
}

/// The objects of one kind that match one selector.
#[derive(Debug)]
pub(super) struct Labelled {
    pub(super) kind: KindInfo,
    pub(super) selector: &'static str,
    objects: Arc<Objects>,
    streams: Vec<(WatchTarget, Arc<First>)>,
}

impl Labelled {
    /// Joins the watches of the targets. Calls `on_change` for each object that is created, changed or deleted.
    pub(super) fn join(
        watches: &SharedWatches,
        LabelWatch { kind, selector, cache, indexers }: LabelWatch,
        places: Vec<WatchTarget>,
        on_change: impl Fn(&Changed) + Clone + Send + 'static,
    ) -> Self {
        let objects = Arc::new(Objects::indexed(indexers));
        let (labels, fields) = selector_parts(selector);
        let labelled = places.into_iter().map(|place| place.selected(labels, fields));
        let streams = labelled.map(|place| {
            let (objects, on_change) = (objects.clone(), on_change.clone());
            let first = match cache {
                Cache::None => follow::<OwnerRecord>(watches, &place, objects, on_change),
                Cache::Metadata => follow::<Meta>(watches, &place, objects, on_change),
                Cache::Full => follow::<Whole>(watches, &place, objects, on_change),
            };
            (place, first)
        });
        Self { kind, selector, streams: streams.collect(), objects }
    }

    /// The progress of each watch.
    pub(super) fn lists(&self) -> impl Iterator<Item = WatchHandle> {
        self.streams.iter().map(|(place, first)| (place.clone(), first.progress()))
    }

    /// The object, after the first list of its namespace.
    pub(super) async fn object(&self, target: &Target) -> Result<Option<CachedObject>, ApiError> {
        self.listed(target.namespace.as_deref()).await?;
        Ok(self.now(target))
    }

    /// The objects of a namespace (`None`: all), optionally only those under an index entry, and their version as a whole. Waits for the
    /// first lists.
    pub(super) async fn all(
        &self,
        namespace: Option<&str>,
        entry: Option<&str>,
    ) -> Result<(Vec<CachedObject>, String), ApiError> {
        self.listed(namespace).await?;
        Ok(self.objects.all(namespace, entry))
    }

    async fn listed(&self, namespace: Option<&str>) -> Result<(), ApiError> {
        for (place, first) in self.streams.iter().filter(|(place, _)| shows(place.namespace.as_deref(), namespace)) {
            first.listed(place).await?;
        }
        Ok(())
    }

    /// The version as a whole of the same objects as in [`all`](Self::all).
    pub(super) fn version(&self, namespace: Option<&str>, entry: Option<&str>) -> String {
        self.objects.version(namespace, entry)
    }

    /// The object in the cache, without waiting.
    pub(super) fn now(&self, target: &Target) -> Option<CachedObject> {
        self.objects.get(&Key::new(target.namespace.as_deref(), &target.name))
    }
}

/// Whether a watch of one namespace covers objects of the other; `None`: all namespaces.
fn shows(watched: Option<&str>, asked: Option<&str>) -> bool {
    watched.is_none() || asked.is_none() || watched == asked
}

fn follow<K: CacheForm>(
    watches: &SharedWatches,
    place: &WatchTarget,
    objects: Arc<Objects>,
    on_change: impl Fn(&Changed) + Send + 'static,
) -> Arc<First> {
    let first = Arc::new(First::of(watches.progress::<K>(place)));
    let (awaited, namespace) = (first.clone(), place.namespace.clone());
    let (mut list, mut missed) = (Listing::default(), Vec::new());
    watches.join(place, move |event: Event<K>| {
        let (listed, early) = (matches!(event, Event::InitDone), awaited.is_early());
        let changed = objects.take(&mut list, namespace.as_deref(), event);
        if early {
            missed.extend(changed);
        } else {
            changed.iter().for_each(&on_change);
        }
        if listed && awaited.is_awaited() {
            missed.drain(..).for_each(|changed| on_change(&changed));
        }
    });
    first
}

/// Whether the selection includes this object, which matches the selector: it has the index entry, if there is one.
pub(crate) fn selects(relation: &Relation, selection: &Selection, object: &DynamicObject) -> bool {
    match &selection.entry {
        Some(entry) => relation.indexes.iter().any(|indexer| indexer.entries(object).iter().any(|one| **one == *entry)),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_waits_only_for_watches_of_its_namespace() {
        let (a, b) = (Some("a"), Some("b"));
        assert!(shows(None, a) && shows(a, None) && shows(None, None) && shows(a, a));
        assert!(!shows(a, b));
    }
}

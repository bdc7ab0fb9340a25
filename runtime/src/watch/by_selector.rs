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

    /// The objects of a namespace (`None`: all), optionally only those under an index entry, and the version as a whole of all `but` one.
    /// Waits for the first lists.
    pub(super) async fn all(
        &self,
        namespace: Option<&str>,
        entry: Option<&str>,
        but: Option<&Key>,
    ) -> Result<(Vec<CachedObject>, String), ApiError> {
        self.listed(namespace).await?;
        Ok(self.objects.all(namespace, entry, but))
    }

    async fn listed(&self, namespace: Option<&str>) -> Result<(), ApiError> {
        for (place, first) in self.streams.iter().filter(|(place, _)| shows(place.namespace.as_deref(), namespace)) {
            first.listed(place).await?;
        }
        Ok(())
    }

    /// The same version as in [`all`](Self::all).
    pub(super) fn version(&self, namespace: Option<&str>, entry: Option<&str>, but: Option<&Key>) -> String {
        self.objects.version(namespace, entry, but)
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
    let (result, namespace) = (first.clone(), place.namespace.clone());
    let (mut list, mut missed) = (Listing::default(), Vec::new());
    watches.join(place, move |event: Event<K>| {
        let (listed, early) = (matches!(event, Event::InitDone), first.is_early());
        let changed = objects.take(&mut list, namespace.as_deref(), event);
        if early {
            missed.extend(changed);
        } else {
            changed.iter().for_each(&on_change);
        }
        if listed {
            let missed = std::mem::take(&mut missed);
            if first.completes() {
                missed.iter().for_each(&on_change);
            }
        }
    });
    result
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
    use std::sync::{Mutex, OnceLock};
    use std::time::Duration;

    use futures::FutureExt;
    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::watch::first_list::refused_once;
    use crate::watch::{Health, Scope, Streaming};

    #[tokio::test(start_paused = true)]
    async fn a_pass_triggered_by_a_late_first_list_finds_its_object() {
        let watches = SharedWatches::new(refused_once(), Health::default(), Streaming::default());
        let kind = KindInfo::of::<Secret>();
        let target = Target { kind: kind.clone(), namespace: Some("team-a".into()), name: "x".into() };
        let watch = LabelWatch { kind: kind.clone(), selector: "a=b", cache: Cache::None, indexers: Vec::new() };
        let (own, found) = (Arc::new(OnceLock::<Arc<Labelled>>::new()), Arc::new(Mutex::new(Vec::new())));
        let (of, push) = ((own.clone(), target.clone()), found.clone());
        // What a pass would find that starts at once on another thread.
        let look = move |_: &Changed| {
            let object = of.0.get().and_then(|labelled| labelled.object(&of.1).now_or_never());
            push.lock().unwrap().push(matches!(object, Some(Ok(Some(_)))));
        };
        let labelled = Arc::new(Labelled::join(&watches, watch, vec![Scope::default().place(&kind, None)], look));
        own.set(labelled.clone()).unwrap();
        let _running = watches.start();
        assert!(labelled.object(&target).await.is_err(), "the first attempt fails");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(*found.lock().unwrap(), [true]);
    }

    #[test]
    fn a_list_waits_only_for_watches_of_its_namespace() {
        let (a, b) = (Some("a"), Some("b"));
        assert!(shows(None, a) && shows(a, None) && shows(None, None) && shows(a, a));
        assert!(!shows(a, b));
    }
}

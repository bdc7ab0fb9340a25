//! A watch of one object by name, shared by all its subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::runtime::watcher::Event;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::cached_object::{CacheForm, CachedObject};
use super::first_list::{First, Progress};
use super::lock::lock;
use super::store::{Listing, Objects};
use super::watch_target::WatchTarget;
use super::watcher::Setup;
use crate::api::ApiError;
use crate::client;
use crate::client::decode::{Meta, OwnerRecord, Whole};
use crate::queue::Key;
use crate::wiring::Cache;

/// The callbacks for creation, change or deletion of the object, by subscriber.
type Callbacks = Arc<Mutex<HashMap<usize, Arc<dyn Fn() + Send + Sync>>>>;

/// The receiver of the watch's events.
struct Sink {
    objects: Arc<Objects>,
    first: Arc<First>,
    callbacks: Callbacks,
}

impl Sink {
    fn watch<K: CacheForm>(
        self,
        setup: &Setup,
        place: &WatchTarget,
        progress: Arc<watch::Sender<Progress>>,
    ) -> BoxFuture<'static, ()> {
        let Self { objects, first, callbacks } = self;
        let client = if K::METADATA { client::metadata_only(&setup.client) } else { setup.client.clone() };
        let mut list = Listing::default();
        let deliver = move |event: Event<K>| {
            let listed = matches!(event, Event::InitDone);
            let early = first.is_early();
            let changed = !objects.take(&mut list, None, event).is_empty();
            // During the first list, the passes that requested the object are still waiting for it.
            if (changed && !early) || (listed && first.is_awaited()) {
                // Outside the lock, since the callbacks take locks of their own.
                let callbacks: Vec<_> = lock(&callbacks).values().cloned().collect();
                callbacks.iter().for_each(|callback| callback());
            }
        };
        setup.watch(client, place, None, progress).follow(deliver).boxed()
    }
}

/// One watched object.
pub(super) struct Named {
    place: WatchTarget,
    key: Key,
    objects: Arc<Objects>,
    first: Arc<First>,
    callbacks: Callbacks,
    ended: Box<dyn Fn() + Send + Sync>,
    _watch: AbortOnDropHandle<()>,
}

impl Named {
    /// Starts the watch. Calls `ended` when the last reference is dropped.
    pub(super) fn start(
        setup: &Setup,
        (place, cache): (WatchTarget, Cache),
        ended: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let key = Key::new(place.namespace.as_deref(), place.name.as_deref().unwrap_or_default());
        let progress = Arc::new(watch::Sender::new(Progress::Pending));
        let (objects, first) = (Arc::new(Objects::default()), Arc::new(First::of(progress.clone())));
        let callbacks = Callbacks::default();
        let sink = Sink { objects: objects.clone(), first: first.clone(), callbacks: callbacks.clone() };
        let watch = match cache {
            Cache::None => sink.watch::<OwnerRecord>(setup, &place, progress),
            Cache::Metadata => sink.watch::<Meta>(setup, &place, progress),
            Cache::Full => sink.watch::<Whole>(setup, &place, progress),
        };
        Self {
            place,
            key,
            objects,
            first,
            callbacks,
            ended: Box::new(ended),
            _watch: AbortOnDropHandle::new(tokio::spawn(watch.instrument(setup.span.clone()))),
        }
    }

    /// Adds the callback of another subscriber.
    pub(super) fn also(&self, subscriber: usize, on_change: impl Fn() + Send + Sync + 'static) {
        lock(&self.callbacks).insert(subscriber, Arc::new(on_change));
    }

    /// The object, after the first list of the watch.
    pub(super) async fn object(&self) -> Result<Option<CachedObject>, ApiError> {
        self.first.listed(&self.place).await?;
        Ok(self.objects.get(&self.key))
    }

    /// The object in the cache, without waiting.
    pub(super) fn now(&self) -> Option<CachedObject> {
        self.objects.get(&self.key)
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        (self.ended)();
    }
}

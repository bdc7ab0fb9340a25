//! A watch of one object by name, shared by all its subscribers.

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::runtime::watcher::Event;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::cached_object::{CacheForm, CachedObject};
use super::first_list::{First, Progress};
use super::store::{Listing, Objects};
use super::watch_target::WatchTarget;
use super::watcher::Setup;
use crate::api::ApiError;
use crate::client;
use crate::client::decode::{Meta, OwnerRecord, Whole};
use crate::lock::Mutex;
use crate::queue::Key;
use crate::task::task_in;
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
            let (listed, early) = (matches!(event, Event::InitDone), first.is_early());
            let changed = !objects.take(&mut list, None, event).is_empty();
            // During the first list, the passes that requested the object are still waiting for it.
            let awaited = listed && first.completes();
            if (changed && !early) || awaited {
                // Outside the lock, since the callbacks take locks of their own.
                let callbacks: Vec<_> = callbacks.lock().values().cloned().collect();
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
            _watch: AbortOnDropHandle::new(tokio::spawn(task_in(setup.span.clone(), watch))),
        }
    }

    /// Adds the callback of another subscriber.
    pub(super) fn also(&self, subscriber: usize, on_change: impl Fn() + Send + Sync + 'static) {
        self.callbacks.lock().insert(subscriber, Arc::new(on_change));
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

#[cfg(test)]
mod tests {
    use std::sync::{OnceLock, Weak};
    use std::time::Duration;

    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::watch::first_list::refused_once;
    use crate::watch::shared::SharedWatches;
    use crate::watch::{Health, Scope, Streaming};
    use crate::wiring::KindInfo;

    #[tokio::test(start_paused = true)]
    async fn a_pass_triggered_by_a_late_first_list_finds_its_object() {
        let watches = SharedWatches::new(refused_once(), Health::default(), Streaming::default());
        let place = Scope::default().place(&KindInfo::of::<Secret>(), Some("team-a".into()));
        let place = WatchTarget { name: Some("x".into()), ..place };
        let (own, found) = (Arc::new(OnceLock::<Weak<Named>>::new()), Arc::new(Mutex::new(Vec::new())));
        let (of, push) = (own.clone(), found.clone());
        // What a pass would find that starts at once on another thread.
        let look = move || {
            let named = of.get().and_then(Weak::upgrade).unwrap();
            let object = named.object().now_or_never();
            push.lock().push(matches!(object, Some(Ok(Some(_)))));
        };
        let named = watches.named((place, Cache::None), 1, look);
        own.set(Arc::downgrade(&named)).unwrap();
        assert!(named.object().await.is_err(), "the first attempt fails");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(*found.lock(), [true]);
    }
}

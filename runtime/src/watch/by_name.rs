//! A watch of one object by its name, shared by all who ask for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::runtime::watcher::Event;
use tokio::sync::watch;
use tracing::Instrument;

use super::cached_object::{Keeps, Kept};
use super::health::Watched;
use super::shared::{Inner, lock};
use super::store::{Listing, Objects};
use super::task::Task;
use super::watcher::{Place, Progress, Watch};
use crate::api::ApiError;
use crate::client;
use crate::client::decode::{Meta, Record, Whole};
use crate::queue::Key;
use crate::wiring::Cache;

/// How long a pass waits for the first list of a watch. Its object is woken by the list itself, if that comes later.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first list of a watch, awaited by passes.
#[derive(Debug)]
pub(super) struct First {
    progress: Arc<watch::Sender<Progress>>,
    /// Somebody was told an error and has to be woken once the list is in.
    refused: AtomicBool,
}

impl First {
    /// Of a watch that tells how far it is.
    pub(super) fn of(progress: Arc<watch::Sender<Progress>>) -> Self {
        Self { progress, refused: AtomicBool::new(false) }
    }

    /// Tells how far the watch is.
    pub(super) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The list is on its way.
    pub(super) fn is_early(&self) -> bool {
        *self.progress.borrow() != Progress::Listed
    }

    /// # Errors
    /// The watch failed and has not listed yet, or does not answer.
    pub(super) async fn listed(&self, place: &Place) -> Result<(), ApiError> {
        let mut progress = self.progress.subscribe();
        let known = tokio::time::timeout(PATIENCE, progress.wait_for(|progress| *progress != Progress::Pending)).await;
        let error = match known {
            Ok(Ok(progress)) => match &*progress {
                Progress::Failed(trouble) => trouble.error(place),
                Progress::Listed | Progress::Pending => return Ok(()),
            },
            Ok(Err(_)) => ApiError::Failed(format!("the watch of {place} has ended")),
            Err(_) => ApiError::Failed(format!("the watch of {place} has not answered for {PATIENCE:?}")),
        };
        self.refused.store(true, Ordering::SeqCst);
        // The list may have come in between: then nobody would be woken.
        if *self.progress.borrow() == Progress::Listed { Ok(()) } else { Err(error) }
    }

    /// The list is in. True if somebody was told an error before.
    pub(super) fn is_awaited(&self) -> bool {
        self.refused.swap(false, Ordering::SeqCst)
    }
}

/// What is called when the object appears, changes or vanishes, by who asked for that.
type Wakers = Arc<Mutex<HashMap<usize, Arc<dyn Fn() + Send + Sync>>>>;

/// Where the watch delivers.
struct Sink {
    objects: Arc<Objects>,
    first: Arc<First>,
    wakers: Wakers,
}

impl Sink {
    fn watch<K: Keeps>(
        self,
        all: &Inner,
        watched: Watched,
        progress: Arc<watch::Sender<Progress>>,
    ) -> BoxFuture<'static, ()> {
        let Self { objects, first, wakers } = self;
        let client = if K::METADATA { client::metadata_only(&all.client) } else { all.client.clone() };
        let mut list = Listing::default();
        let deliver = move |event: Event<K>| {
            let listed = matches!(event, Event::InitDone);
            let early = first.is_early();
            let changed = !objects.take(&mut list, None, event).is_empty();
            // During the first list those who asked are still waiting for it.
            if (changed && !early) || (listed && first.is_awaited()) {
                // Not under the lock: what wakes takes locks of its own.
                let wakers: Vec<_> = lock(&wakers).values().cloned().collect();
                wakers.iter().for_each(|wake| wake());
            }
        };
        let streaming = all.streaming.clone();
        Watch { client, decoder: None, watched, streaming, progress }.follow(deliver).boxed()
    }
}

/// One object under watch.
pub(super) struct Named {
    place: (Place, Cache),
    key: Key,
    objects: Arc<Objects>,
    first: Arc<First>,
    wakers: Wakers,
    all: Weak<Inner>,
    _watch: Task,
}

impl Named {
    /// Starts the watch.
    pub(super) fn start(all: &Arc<Inner>, (place, cache): (Place, Cache)) -> Self {
        let key = Key::new(place.namespace.as_deref(), place.name.as_deref().unwrap_or_default());
        let progress = Arc::new(watch::Sender::new(Progress::Pending));
        let (objects, first) = (Arc::new(Objects::default()), Arc::new(First::of(progress.clone())));
        let wakers = Wakers::default();
        let sink = Sink { objects: objects.clone(), first: first.clone(), wakers: wakers.clone() };
        let watched = all.health.begin(&place);
        let watch = match cache {
            Cache::None => sink.watch::<Record>(all, watched, progress),
            Cache::Metadata => sink.watch::<Meta>(all, watched, progress),
            Cache::Full => sink.watch::<Whole>(all, watched, progress),
        };
        Self {
            place: (place, cache),
            key,
            objects,
            first,
            wakers,
            all: Arc::downgrade(all),
            _watch: Task::spawn(watch.instrument(all.span.clone())),
        }
    }

    /// Another one is to be woken.
    pub(super) fn also(&self, asker: usize, wake: impl Fn() + Send + Sync + 'static) {
        lock(&self.wakers).insert(asker, Arc::new(wake));
    }

    /// The object once the watch has listed.
    pub(super) async fn object(&self) -> Result<Option<Kept>, ApiError> {
        self.first.listed(&self.place.0).await?;
        Ok(self.objects.get(&self.key))
    }

    /// The object as it is known now.
    pub(super) fn now(&self) -> Option<Kept> {
        self.objects.get(&self.key)
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if let Some(all) = self.all.upgrade() {
            all.ended(&self.place);
        }
    }
}

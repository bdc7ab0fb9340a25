//! The shared watches of an operator. One watch serves all subscribers of the same objects in the same form.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;
use kube::runtime::watcher::Event;
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
#[cfg(feature = "dependents")]
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument, Span};

use super::by_name::Named;
use super::first_list::{Progress, WatchHandle};
use super::form::ObjectForm;
use super::health::Health;
use super::streaming_list::Streaming;
use super::watch_target::WatchTarget;
use super::watcher::Setup;
use crate::client;
use crate::client::decode::{Decoded, Decoder};
use crate::lock::Mutex;
#[cfg(feature = "dependents")]
use crate::task::task_in;
use crate::wiring::Cache;

/// Receives the events of a watch.
pub(super) type Sink<K> = Box<dyn FnMut(Event<K>) + Send>;

/// One watch that has not been started yet.
struct Subscription<K> {
    place: WatchTarget,
    /// The decoder of the objects, if they have a static type.
    decoder: Option<Decoder>,
    progress: Arc<watch::Sender<Progress>>,
    sinks: Vec<Sink<K>>,
}

trait Erased: Any + Send {
    fn name(&self) -> String;
    fn run(self: Box<Self>, metadata: &Client, setup: &Setup) -> BoxFuture<'static, ()>;
}

impl<K: ObjectForm> Erased for Subscription<K> {
    fn name(&self) -> String {
        self.place.to_string()
    }

    fn run(self: Box<Self>, metadata: &Client, setup: &Setup) -> BoxFuture<'static, ()> {
        let Self { place, decoder, progress, mut sinks } = *self;
        let client = if K::METADATA || place.metadata { metadata } else { &setup.client };
        let deliver = move |event: Event<K>| {
            let Some((last, others)) = sinks.split_last_mut() else { return };
            others.iter_mut().for_each(|sink| sink(event.clone()));
            last(event);
        };
        setup.watch(client.clone(), &place, decoder, progress).follow(deliver).boxed()
    }
}

/// All watches. All clones share them.
#[derive(Clone)]
pub(crate) struct SharedWatches(Arc<Inner>);

struct Inner {
    setup: Setup,
    feeds: Mutex<Vec<Box<dyn Erased>>>,
    named: Mutex<HashMap<(WatchTarget, Cache), Weak<Named>>>,
}

impl SharedWatches {
    /// Creates an empty set. Watches by name run in the span that is current here.
    pub(crate) fn new(client: Client, health: Health, streaming: Streaming) -> Self {
        let setup = Setup { client, health, streaming, span: Span::current() };
        Self(Arc::new(Inner { setup, feeds: Mutex::default(), named: Mutex::default() }))
    }

    /// An empty set with the same client, whose failures do not count for the readiness of the operator.
    #[cfg(feature = "dependents")]
    pub(super) fn apart(&self) -> Self {
        let setup = Setup { health: Health::default(), ..self.0.setup.clone() };
        Self(Arc::new(Inner { setup, feeds: Mutex::default(), named: Mutex::default() }))
    }

    /// The client of the watches.
    #[cfg(feature = "dependents")]
    pub(super) fn client(&self) -> &Client {
        &self.0.setup.client
    }

    /// Whether watches request their lists as streams. A server that has none turns that off for itself.
    #[cfg(feature = "dependents")]
    pub(super) fn streams(&self) -> bool {
        self.0.setup.streaming.is_wanted()
    }

    /// Adds a sink for the objects of a target in this form. Must precede [`start`](Self::start).
    pub(super) fn join<K: ObjectForm>(&self, place: &WatchTarget, sink: impl FnMut(Event<K>) + Send + 'static) {
        self.feed(place, None, |feed| feed.sinks.push(Box::new(sink)));
    }

    /// Same as [`join`](Self::join) for objects of the decoder's type. Returns the progress of their watch.
    pub(super) fn join_typed(
        &self,
        place: &WatchTarget,
        decoder: Decoder,
        sink: impl FnMut(Event<Decoded>) + Send + 'static,
    ) -> WatchHandle {
        let progress = self.feed(place, Some(decoder), |feed| {
            feed.sinks.push(Box::new(sink));
            feed.progress.subscribe()
        });
        (place.clone(), progress)
    }

    /// The progress of the watch of this form and target.
    pub(super) fn progress<K: ObjectForm>(&self, place: &WatchTarget) -> Arc<watch::Sender<Progress>> {
        self.feed(place, None, |feed: &mut Subscription<K>| feed.progress.clone())
    }

    fn feed<K: ObjectForm, T>(
        &self,
        place: &WatchTarget,
        decoder: Option<Decoder>,
        with: impl FnOnce(&mut Subscription<K>) -> T,
    ) -> T {
        let type_of = |decoder: &Option<Decoder>| decoder.as_ref().map(|decoder| decoder.of);
        let mut feeds = self.0.feeds.lock();
        let of_form =
            feeds.iter_mut().filter_map(|feed| (&mut **feed as &mut dyn Any).downcast_mut::<Subscription<K>>());
        let is_it = |feed: &&mut Subscription<K>| feed.place == *place && type_of(&feed.decoder) == type_of(&decoder);
        if let Some(feed) = of_form.into_iter().find(is_it) {
            return with(feed);
        }
        let progress = Arc::new(watch::Sender::new(Progress::Pending));
        let mut feed = Subscription { place: place.clone(), decoder, progress, sinks: Vec::new() };
        let done = with(&mut feed);
        feeds.push(Box::new(feed));
        done
    }

    /// Starts the joined watches.
    pub(crate) fn start(&self) -> Started {
        self.started(std::mem::take(&mut *self.0.feeds.lock()))
    }

    fn started(&self, feeds: Vec<Box<dyn Erased>>) -> Started {
        let metadata = client::metadata_only(&self.0.setup.client);
        let mut started = Started { tasks: JoinSet::new(), names: HashMap::new() };
        for feed in feeds {
            let name = feed.name();
            let task = started.tasks.spawn(feed.run(&metadata, &self.0.setup).in_current_span());
            started.names.insert(task.id(), name);
        }
        started
    }

    /// Starts watches of objects of the decoder's type that are not shared. They run until the result is dropped. Returns their progress.
    pub(super) fn run_typed(
        &self,
        decoder: &Decoder,
        sinks: impl IntoIterator<Item = (WatchTarget, Sink<Decoded>)>,
    ) -> (Started, Vec<WatchHandle>) {
        let (mut feeds, mut lists) = (Vec::<Box<dyn Erased>>::new(), Vec::new());
        for (place, sink) in sinks {
            let progress = Arc::new(watch::Sender::new(Progress::Pending));
            lists.push((place.clone(), progress.subscribe()));
            feeds.push(Box::new(Subscription { place, decoder: Some(decoder.clone()), progress, sinks: vec![sink] }));
        }
        (self.0.setup.span.in_scope(|| self.started(feeds)), lists)
    }

    /// The watch of one name. It starts with the first subscriber and ends when the last reference is dropped. Calls `on_change` when the
    /// object is created, changed or deleted. A later callback of the same subscriber replaces the earlier one.
    pub(super) fn named(
        &self,
        place: (WatchTarget, Cache),
        subscriber: usize,
        on_change: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Named> {
        let mut all = self.0.named.lock();
        if let Some(named) = all.get(&place).and_then(Weak::upgrade) {
            named.also(subscriber, on_change);
            return named;
        }
        let (watches, ended_place) = (Arc::downgrade(&self.0), place.clone());
        let ended = move || {
            if let Some(watches) = watches.upgrade() {
                watches.ended(&ended_place);
            }
        };
        let named = Arc::new(Named::start(&self.0.setup, place.clone(), ended));
        named.also(subscriber, on_change);
        all.insert(place, Arc::downgrade(&named));
        named
    }
}

impl Inner {
    /// Removes a watch by name after its last reference was dropped.
    fn ended(&self, place: &(WatchTarget, Cache)) {
        let mut all = self.named.lock();
        // A new watch may have started in the meantime.
        if all.get(place).is_some_and(|named| named.strong_count() == 0) {
            all.remove(place);
        }
    }
}

/// Running watches. They stop when this is dropped.
pub(crate) struct Started {
    tasks: JoinSet<()>,
    names: HashMap<Id, String>,
}

impl Started {
    /// Waits until a watch ends, which watches do not do on their own. Returns its name and the reason.
    pub(crate) async fn ended(&mut self) -> (String, String) {
        let (id, why) = match self.tasks.join_next_with_id().await {
            Some(Ok((id, ()))) => (id, "without a reason".to_owned()),
            Some(Err(error)) => (error.id(), error.to_string()),
            None => std::future::pending().await,
        };
        (self.names.remove(&id).unwrap_or_default(), why)
    }
}

#[cfg(feature = "dependents")]
impl SharedWatches {
    /// Starts the joined watches, which run until the handle is dropped.
    pub(super) fn run(&self) -> AbortOnDropHandle<()> {
        let span = self.0.setup.span.clone();
        let mut started = span.in_scope(|| self.start());
        let run = async move {
            let (name, why) = started.ended().await;
            tracing::error!(watch = name, error = why, "a watch of dependents has ended");
        };
        AbortOnDropHandle::new(tokio::spawn(task_in(span, run)))
    }
}

#[cfg(test)]
impl SharedWatches {
    /// The number of watches that have not been started yet.
    pub(super) fn feeds(&self) -> usize {
        self.0.feeds.lock().len()
    }
}

#[cfg(test)]
impl Started {
    pub(super) fn abort(&mut self) {
        self.tasks.abort_all();
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;

    use super::*;
    use crate::watch::Scope;
    use crate::wiring::KindInfo;

    #[tokio::test]
    async fn a_named_watch_is_shared_until_its_last_subscriber() {
        let open = Arc::new(());
        let held = open.clone();
        let service = tower::service_fn(move |_: http::Request<kube::client::Body>| {
            let held = held.clone();
            async move {
                std::future::pending::<()>().await;
                drop(held);
                Ok::<_, std::convert::Infallible>(http::Response::new(kube::client::Body::empty()))
            }
        });
        let watches = SharedWatches::new(Client::new(service, "default"), Health::default(), Streaming::default());
        let place = Scope::default().place(&KindInfo::of::<Secret>(), None);
        let place = (WatchTarget { name: Some("x".into()), ..place }, Cache::None);
        let (first, second) = (watches.named(place.clone(), 1, || ()), watches.named(place.clone(), 2, || ()));
        assert!(Arc::ptr_eq(&first, &second));
        let is_open = || Arc::strong_count(&open) > 2;
        while !is_open() {
            tokio::task::yield_now().await;
        }
        drop(first);
        assert_eq!(watches.0.named.lock().len(), 1, "the other one holds it");
        drop(second);
        assert!(watches.0.named.lock().is_empty());
        evenkeel_testkit::eventually(std::time::Duration::from_secs(60), async || (!is_open()).then_some(())).await;
    }
}

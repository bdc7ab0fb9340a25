//! One watch: delivers its events to a sink, with its own backoff, and logs each error once.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::Client;
use kube::runtime::watcher::Event;
use tokio::sync::watch;
use tokio::time::error::Elapsed;
use tracing::Span;

use super::backoff::{Proof, WatchBackoff};
use super::error::{Error, WatchError};
use super::first_list::Progress;
use super::form::ObjectForm;
use super::health::{Health, Watched};
use super::list_watch::{Received, list_watch};
use super::streaming_list::Streaming;
use super::watch_target::WatchTarget;
use crate::client::decode::{Decoder, RawTextStore, decoding, keeping_all, with_raw_texts};
use crate::client::{self, lean};

/// How long a streaming list may pause. Some servers accept the request and never send the end of the list.
const PATIENCE: Duration = Duration::from_secs(30);

/// The parts that all watches of an operator share.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) client: Client,
    pub(super) health: Health,
    pub(super) streaming: Streaming,
    /// The span of the operator, since a watch by name starts in a pass and outlives it.
    pub(super) span: Span,
}

impl Setup {
    /// A watch of the target with this client, which [`follow`](Watch::follow) runs.
    pub(super) fn watch(
        &self,
        client: Client,
        place: &WatchTarget,
        decoder: Option<Decoder>,
        progress: Arc<watch::Sender<Progress>>,
    ) -> Watch {
        Watch { client, decoder, watched: self.health.begin(place), streaming: self.streaming.clone(), progress }
    }
}

/// One watch, its health and its progress.
pub(super) struct Watch {
    client: Client,
    /// The decoder of its objects, if they have a static type.
    decoder: Option<Decoder>,
    watched: Watched,
    streaming: Streaming,
    progress: Arc<watch::Sender<Progress>>,
}

fn object_of<K>(event: &Event<K>) -> Option<&K> {
    match event {
        Event::Apply(object) | Event::InitApply(object) | Event::Delete(object) => Some(object),
        Event::Init | Event::InitDone => None,
    }
}

/// Whether the event is about an object of a namespace that does not count.
fn is_elsewhere<K: ObjectForm>(place: &WatchTarget, event: &Event<K>) -> bool {
    object_of(event).is_some_and(|object| !place.has_namespace(object.meta().namespace.as_deref()))
}

/// Whether the event is about an object of another shard, which a server sends that ignores the selector.
fn is_foreign<K: ObjectForm>(place: &WatchTarget, event: &Event<K>) -> bool {
    let object = place.shard.zip(object_of(event));
    object.is_some_and(|(shard, object)| !shard.contains(object.meta().uid.as_deref().unwrap_or_default()))
}

impl Watch {
    /// Runs the watch without end.
    ///
    /// # Cancellation
    /// Dropping the future stops the watch.
    pub(super) async fn follow<K: ObjectForm>(self, mut deliver: impl FnMut(Event<K>) + Send) {
        let (place, shelf) = (&self.watched.place, RawTextStore::default());
        let sharded = place.shard.map(|shard| client::in_shard(&self.client, &shard.selector()));
        let client = sharded.as_ref().unwrap_or(&self.client);
        let client = match place.whole {
            true => client::watched(client),
            false => lean(client, self.decoder.as_ref().map(|_| &shelf)),
        };
        let begin = || {
            let streams = self.streaming.is_wanted();
            let events = list_watch(place.api::<K>(client.clone()), place.selection(streams));
            let events = decoding(self.decoder.clone(), keeping_all(place.whole, events));
            (with_raw_texts(shelf.clone(), events), streams)
        };
        let (events, mut streams) = begin();
        let mut events = pin!(events);
        // `lists`: whether a list is in progress.
        let (mut backoff, mut lists) = (WatchBackoff::default(), true);
        loop {
            let next = match streams && lists {
                true => tokio::time::timeout(PATIENCE, events.next()).await,
                false => Ok(events.next().await),
            };
            let is_refused = self.is_refused(&next, streams);
            if is_refused {
                let (again, _) = begin();
                events.set(again);
                (streams, lists) = (false, true);
            }
            let Ok(next) = next else { continue };
            let Some(event) = next else { return };
            match event {
                Ok(Received::Works) => backoff.works(Proof::Watch, &self.watched),
                Ok(Received::Event(event)) => {
                    let proof = Proof::of(&event);
                    lists = (lists || matches!(event, Event::Init)) && proof != Some(Proof::List);
                    if is_foreign(place, &event) {
                        self.watched.receives_foreign();
                    } else if !is_elsewhere(place, &event) {
                        deliver(event);
                    }
                    self.works(proof, &mut backoff);
                }
                Err(_) if is_refused => {}
                Err(error) => {
                    lists = true;
                    let pause = self.fails(&error, streams, &mut backoff);
                    self.pause(pause).await;
                }
            }
        }
    }

    /// Whether the server does not support streaming lists: it rejects the request, or starts a list and stops sending.
    fn is_refused<T>(&self, next: &Result<Option<Result<T, Error>>, Elapsed>, streams: bool) -> bool {
        match next {
            Ok(Some(Err(error))) => streams && self.streaming.ends_with(error),
            Ok(_) => false,
            Err(_) => {
                let place = &self.watched.place;
                self.streaming.end(&format!("the streaming list of {place} sent nothing for {PATIENCE:?}"));
                true
            }
        }
    }

    /// Waits for this time, or until the progress is reset because the kind is served now.
    async fn pause(&self, time: Duration) {
        let mut progress = self.progress.subscribe();
        let is_reset = progress.wait_for(|progress| *progress == Progress::Pending);
        // Without a reset the time passes.
        let _ = tokio::time::timeout(time, is_reset).await;
    }

    fn works(&self, proof: Option<Proof>, backoff: &mut WatchBackoff) {
        if proof == Some(Proof::List) {
            self.progress.send_replace(Progress::Listed);
            self.watched.listed();
        }
        if let Some(proof) = proof {
            backoff.works(proof, &self.watched);
        }
    }

    /// Records a failure, and returns the pause before the next attempt.
    fn fails(&self, error: &Error, streams: bool, backoff: &mut WatchBackoff) -> Duration {
        let watch_error = WatchError::of(error);
        let pause = backoff.fails(&watch_error, Proof::against(error, &watch_error, streams), &self.watched);
        self.progress.send_if_modified(|progress| {
            let early = *progress != Progress::Listed;
            if early {
                *progress = Progress::Failed(watch_error);
            }
            early
        });
        pause
    }
}

#[cfg(test)]
mod tests;

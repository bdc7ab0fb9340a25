//! One watch: its events to a sink, with a back-off of its own and each trouble told once.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::core::{ApiResource, DynamicResourceScope};
use kube::runtime::watcher::Event;
use kube::{Api, Client, Resource};
use tokio::sync::watch;
use tokio::time::error::Elapsed;

use super::backoff::{Backoff, Proof};
use super::error::Trouble;
use super::health::Watched;
use super::list_watch::{Error, Heard, Selection, list_watch};
use super::shared::Form;
use super::streaming_list::Streaming;
use crate::client::decode::{Decoder, Shelf, decoding, fetching, keeping_all};
use crate::client::{self, lean};

/// How long a list that comes as a stream may pause: some servers take the request and never say that all is there.
const PATIENCE: Duration = Duration::from_secs(30);

/// What one watch looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) resource: Arc<ApiResource>,
    /// `None`: all of them, or the kind has none.
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) labels: Option<String>,
    pub(crate) name: Option<String>,
    /// Whether objects keep what is skipped otherwise.
    pub(crate) whole: bool,
}

impl Place {
    fn api<K: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>>(&self, client: Client) -> Api<K> {
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &*self.resource),
            None => Api::all_with(client, &*self.resource),
        }
    }

    fn selection(&self, streams: bool) -> Selection {
        let fields = self.name.as_ref().map(|name| format!("metadata.name={name}"));
        Selection { labels: self.labels.clone(), fields, streams }
    }
}

impl fmt::Display for Place {
    /// `secrets "token" in namespace team-a`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource.plural)?;
        if !self.resource.group.is_empty() {
            write!(f, ".{}", self.resource.group)?;
        }
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        if let Some(labels) = &self.labels {
            write!(f, " with labels {labels}")?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " in namespace {namespace}"),
            None => Ok(()),
        }
    }
}

/// How far a watch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has neither listed nor failed.
    Pending,
    /// Its first list is in; later failures are repaired by the watch itself.
    Listed,
    /// It has not listed yet, and failed the last time it tried.
    Failed(Trouble),
}

/// One watch, and what is told of it.
pub(super) struct Watch {
    pub(super) client: Client,
    /// How its objects are decoded, where they have a type of their own.
    pub(super) decoder: Option<Decoder>,
    pub(super) watched: Watched,
    pub(super) streaming: Streaming,
    pub(super) progress: Arc<watch::Sender<Progress>>,
}

impl Watch {
    /// Watches for ever.
    ///
    /// # Cancellation
    /// Dropping the future ends the watch.
    pub(super) async fn follow<K: Form>(self, mut deliver: impl FnMut(Event<K>) + Send) {
        let (place, shelf) = (&self.watched.place, Shelf::default());
        let client = match place.whole {
            true => client::watched(&self.client),
            false => lean(&self.client, self.decoder.map(|_| &shelf)),
        };
        let begin = || {
            let streams = self.streaming.is_wanted();
            let events = list_watch(place.api::<K>(client.clone()), place.selection(streams));
            let events = decoding(self.decoder, keeping_all(place.whole, events));
            (fetching(shelf.clone(), events), streams)
        };
        let (events, mut streams) = begin();
        let mut events = pin!(events);
        // Whether a list is under way.
        let (mut backoff, mut lists) = (Backoff::default(), true);
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
                Ok(Heard::Works) => backoff.works(Proof::Watch, &self.watched),
                Ok(Heard::Event(event)) => {
                    let proof = Proof::of(&event);
                    lists = (lists || matches!(event, Event::Init)) && proof != Some(Proof::List);
                    deliver(event);
                    self.works(proof, &mut backoff);
                }
                Err(_) if is_refused => {}
                Err(error) => {
                    lists = true;
                    tokio::time::sleep(self.fails(&error, streams, &mut backoff)).await;
                }
            }
        }
    }

    /// Whether the server does not send lists as streams: it says so, or begins one and falls silent.
    fn is_refused<T>(&self, next: &Result<Option<Result<T, Error>>, Elapsed>, streams: bool) -> bool {
        match next {
            Ok(Some(Err(error))) => streams && self.streaming.ends_with(error),
            Ok(_) => false,
            Err(_) => {
                let place = &self.watched.place;
                self.streaming.end(&format!("the one of {place} paused for {PATIENCE:?} before its end"));
                true
            }
        }
    }

    fn works(&self, proof: Option<Proof>, backoff: &mut Backoff) {
        if proof == Some(Proof::List) {
            self.progress.send_replace(Progress::Listed);
            self.watched.listed();
        }
        if let Some(proof) = proof {
            backoff.works(proof, &self.watched);
        }
    }

    /// Takes note of a failure, and returns the pause after it.
    fn fails(&self, error: &Error, streams: bool, backoff: &mut Backoff) -> Duration {
        let trouble = Trouble::of(error);
        let pause = backoff.fails(&trouble, Proof::against(error, &trouble, streams), &self.watched);
        self.progress.send_if_modified(|progress| {
            let early = *progress != Progress::Listed;
            if early {
                *progress = Progress::Failed(trouble);
            }
            early
        });
        pause
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::Secret;

    use super::*;

    #[test]
    fn a_place_reads_as_its_resource_its_selection_and_its_namespace() {
        let of = |resource: ApiResource, name: Option<&str>, labels: Option<&str>, namespace: Option<&str>| {
            let (name, labels) = (name.map(Into::into), labels.map(Into::into));
            Place { resource: Arc::new(resource), namespace: namespace.map(Into::into), labels, name, whole: false }
                .to_string()
        };
        let secrets = || ApiResource::erase::<Secret>(&());
        assert_eq!(of(secrets(), None, None, None), "secrets");
        assert_eq!(of(secrets(), Some("token"), None, Some("team-a")), "secrets \"token\" in namespace team-a");
        let deployments = ApiResource::erase::<Deployment>(&());
        assert_eq!(of(deployments, None, Some("a=b"), None), "deployments.apps with labels a=b");
    }
}

//! Callers whose requests and responses are held: stopped processes, and processes behind a broken network.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderValue, Uri};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::watch;

use crate::query::Query;

/// The name of the client that sends a request, in its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientName(pub(crate) Arc<str>);

/// The caller of a request: the name of the client, the first word of the User-Agent, and the field manager.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    client: Option<ClientName>,
    agent: Option<HeaderValue>,
    uri: Uri,
}

impl Caller {
    pub(crate) fn of(head: &Parts) -> Self {
        let client = head.extensions.get().cloned();
        Self { client, agent: head.headers.get(USER_AGENT).cloned(), uri: head.uri.clone() }
    }

    fn is_in(&self, names: &BTreeSet<String>) -> bool {
        if names.is_empty() {
            return false;
        }
        let agent = self.agent.as_ref().and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let agent = agent.split(['/', ' ']).next().unwrap_or_default();
        let manager = Query::parse(self.uri.query().unwrap_or_default()).field_manager;
        let client = self.client.as_ref().map_or("", |client| &*client.0);
        [client, agent, &manager].into_iter().any(|name| names.contains(name))
    }
}

/// The callers that are held. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds(Arc<watch::Sender<Held>>);

#[derive(Debug, Default)]
struct Held {
    paused: BTreeSet<String>,
    partitioned: BTreeSet<String>,
}

impl Held {
    fn is_paused(&self, caller: &Caller) -> bool {
        caller.is_in(&self.paused)
    }

    fn is_partitioned(&self, caller: &Caller) -> bool {
        caller.is_in(&self.partitioned)
    }

    fn has(&self, caller: &Caller) -> bool {
        self.is_paused(caller) || self.is_partitioned(caller)
    }
}

impl Holds {
    pub(crate) fn pause(&self, caller: &str) {
        self.0.send_if_modified(|held| held.paused.insert(caller.to_owned()));
    }

    pub(crate) fn resume(&self, caller: &str) {
        self.0.send_if_modified(|held| held.paused.remove(caller));
    }

    pub(crate) fn partition(&self, caller: &str) {
        self.0.send_if_modified(|held| held.partitioned.insert(caller.to_owned()));
    }

    pub(crate) fn heal(&self, caller: &str) {
        self.0.send_if_modified(|held| held.partitioned.remove(caller));
    }

    /// Waits until the process of the caller runs.
    pub(crate) async fn runs(&self, caller: &Caller) {
        self.until(|held| !held.is_paused(caller)).await;
    }

    /// Whether the network between the caller and the server is broken.
    pub(crate) fn is_partitioned(&self, caller: &Caller) -> bool {
        self.0.borrow().is_partitioned(caller)
    }

    /// Waits until the network between the caller and the server works.
    pub(crate) async fn is_reachable(&self, caller: &Caller) {
        self.until(|held| !held.is_partitioned(caller)).await;
    }

    /// Waits until the caller runs and can be reached.
    pub(crate) async fn is_free(&self, caller: &Caller) {
        self.until(|held| !held.has(caller)).await;
    }

    async fn until(&self, is_over: impl Fn(&Held) -> bool) {
        if is_over(&self.0.borrow()) {
            return;
        }
        // The sender lives as long as `self`.
        let _ = self.0.subscribe().wait_for(is_over).await;
    }
}

/// The body of a response whose parts are held with their caller.
pub(crate) struct HeldBody {
    body: Body,
    holds: Holds,
    caller: Caller,
    waits: Option<BoxFuture<'static, ()>>,
}

impl HeldBody {
    pub(crate) fn new(body: Body, holds: Holds, caller: Caller) -> Self {
        Self { body, holds, caller, waits: None }
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if this.waits.is_none() && this.holds.0.borrow().has(&this.caller) {
            let (holds, caller) = (this.holds.clone(), this.caller.clone());
            this.waits = Some(async move { holds.is_free(&caller).await }.boxed());
        }
        if let Some(waits) = &mut this.waits {
            ready!(waits.poll_unpin(cx));
            this.waits = None;
        }
        Pin::new(&mut this.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

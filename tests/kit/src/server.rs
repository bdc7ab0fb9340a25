//! The server: its state, and the one function that answers a request.

use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use axum::body::Body;
use bytes::Bytes;
use futures::FutureExt;
use http::request::Parts;
use http::{Request, Response};

use crate::api_error::Failure;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::cluster::Options;
use crate::content_negotiation::wants_yaml;
use crate::effect::{Effect, torn};
use crate::fault::Faults;
use crate::fault_sweep::{Meeting, Point, Tap};
use crate::log::{Entry, Log};
use crate::rbac::{self, Asked, Identities, Local, Tokens, User};
use crate::registry::Verb;
use crate::request_context::Call;
use crate::response::Reply;
use crate::route::Route;
use crate::service_address::Addresses;
use crate::store::{Pages, Store};
use crate::verbs::Texts;
use crate::{non_resource, verbs, watch, yaml};

/// The state all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) pages: Pages,
    catalog: RwLock<Arc<Catalog>>,
    pub(crate) addresses: Addresses,
    pub(crate) tokens: Tokens,
    /// The logs of containers.
    pub(crate) texts: Texts,
    /// Held from reading the definitions until their kinds are served, so that the last one to read is the last to serve.
    pub(crate) publishing: Mutex<()>,
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) log: Log,
    pub(crate) faults: Faults,
    /// Counts the calls of `drop_watches`.
    pub(crate) drops: tokio::sync::watch::Sender<u64>,
    /// Counts the times at which all connections broke.
    pub(crate) breaks: tokio::sync::watch::Sender<u64>,
}

impl Server {
    pub(crate) fn new(options: Options) -> Self {
        Server {
            store: Store::new(options.history),
            pages: Pages::default(),
            catalog: RwLock::new(Arc::new(Catalog::builtin())),
            addresses: Addresses::default(),
            tokens: Tokens::default(),
            texts: Texts::default(),
            publishing: Mutex::default(),
            options,
            clock: Clock::start(),
            log: Log::default(),
            faults: Faults::default(),
            drops: tokio::sync::watch::Sender::new(0),
            breaks: tokio::sync::watch::Sender::new(0),
        }
    }

    /// What is served now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves this from now on.
    pub(crate) fn serve(&self, catalog: Arc<Catalog>) {
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = catalog;
    }
}

/// Answers one request, writes it down, and lets faults strike. Both transports end here.
pub(crate) async fn handle(server: Arc<Server>, request: Request<Bytes>) -> Response<Body> {
    let received = Received::new(request);
    let effect = server.faults.strike(&received.entry);
    received.carry_out(&server, effect).await
}

/// As [`handle`], for an operator under test in one of its lives.
pub(crate) async fn handle_tapped(
    server: Arc<Server>,
    request: Request<Bytes>,
    tap: &Tap,
    life: u64,
) -> io::Result<Response<Body>> {
    let received = Received::new(request);
    let effect = match tap.meet(life, Point::call(&received.entry)) {
        Meeting::Pass => server.faults.strike(&received.entry),
        Meeting::Fault(effect) => Some(effect),
        Meeting::Lost => std::future::pending().await,
        Meeting::LostAfter => {
            received.carry_out(&server, None).await;
            tap.crash();
            return std::future::pending().await;
        }
    };
    tap.patiently(received.carry_out(&server, effect)).await
}

/// A request, and what the log has of it.
struct Received {
    route: Route,
    parts: Parts,
    body: Bytes,
    entry: Entry,
}

impl Received {
    fn new(request: Request<Bytes>) -> Self {
        let (parts, body) = request.into_parts();
        let route = Route::parse(parts.uri.path());
        let entry = Entry::new(&route, &parts, &body);
        Self { route, parts, body, entry }
    }

    async fn carry_out(self, server: &Arc<Server>, effect: Option<Effect>) -> Response<Body> {
        let Received { route, parts, body, entry } = self;
        let is_head = parts.method == http::Method::HEAD;
        let ticket = server.log.begin(entry.clone());
        let response = match effect {
            None => answer(server, route, parts, body).await,
            Some(effect) => struck(server, &entry, effect, route, parts, body).await,
        };
        server.log.finish(ticket, response.status().as_u16());
        if is_head { response.map(|_| Body::empty()) } else { response }
    }
}

/// Answers one request that is nobody's: no log, no faults.
pub(crate) async fn answered(server: &Arc<Server>, request: Request<Bytes>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Local);
    answer(server, Route::parse(parts.uri.path()), parts, body).await
}

async fn answer(server: &Arc<Server>, route: Route, parts: Parts, body: Bytes) -> Response<Body> {
    // The schemas and the list of paths are JSON for everybody.
    let is_json = parts.uri.path() == "/" || parts.uri.path().starts_with("/openapi/");
    let is_yaml = !is_json && wants_yaml(&parts.headers);
    let response = answer_in_json(server, route, parts, body).await;
    if is_yaml { yaml::written(response).await } else { response }
}

async fn answer_in_json(server: &Arc<Server>, route: Route, parts: Parts, body: Bytes) -> Response<Body> {
    let user = match admitted(server, &route, &parts) {
        Ok(user) => user,
        Err(failure) => return failure.into_response(),
    };
    let target = match route {
        Route::Other => return non_resource::answer(server, &parts),
        Route::Resource(target) => target,
    };
    let answer = match Call::new(server, user, target, parts, body) {
        // Boxed, for it is large, and the layers of a client move what they hold many times.
        Ok(call) => verbs::answer(server, call).boxed().await,
        Err(failure) => Err(failure),
    };
    answer.map_or_else(Failure::into_response, Reply::into_response)
}

/// Who asks, when he may.
fn admitted(server: &Server, route: &Route, parts: &Parts) -> Result<User, Failure> {
    let user = Identities::user(server, parts)?;
    rbac::check(server, &user, &Asked::of(route, parts))?;
    Ok(user)
}

/// Answers a request that a fault strikes.
async fn struck(
    server: &Arc<Server>,
    entry: &Entry,
    effect: Effect,
    route: Route,
    parts: Parts,
    body: Bytes,
) -> Response<Body> {
    match &effect {
        Effect::Hang => std::future::pending().await,
        Effect::Latency(time) => {
            tokio::time::sleep(*time).await;
            answer(server, route, parts, body).await
        }
        Effect::DropWatch(time) => watch::cut(answer(server, route, parts, body).await, *time),
        Effect::HalfBody => torn(answer(server, route, parts, body).await),
        Effect::Expired if entry.verb == Verb::Watch => watch::expired(),
        Effect::LostAnswer => {
            answer(server, route, parts, body).await;
            refusal(&effect, entry)
        }
        _ => refusal(&effect, entry),
    }
}

fn refusal(effect: &Effect, entry: &Entry) -> Response<Body> {
    let unknown = || Failure::status(500, "InternalError", "a fault rule without an answer");
    effect.answer_to(entry).unwrap_or_else(|| unknown().into_bytes()).map(Body::from)
}

//! The entry point for requests.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::FutureExt;
use http::request::Parts;
use http::{Request, Response};

use crate::api_error::Failure;
use crate::content_negotiation::wants_yaml;
use crate::effect::{Effect, torn};
use crate::log::Entry;
use crate::query::Query;
use crate::rbac::{self, Asked};
use crate::registry::Verb;
use crate::request_context::Call;
use crate::response::Reply;
use crate::route::Route;
use crate::state::{Local, Server, User};
use crate::{non_resource, verbs, watch, yaml};

/// Handles a request: applies fault rules and records it in the log. Both transports call this function.
pub(crate) async fn handle(server: Arc<Server>, request: Request<Bytes>) -> Response<Body> {
    let received = Received::new(request);
    let effect = server.faults.strike(&received.entry);
    received.carry_out(&server, effect).await
}

/// A request with its log entry.
pub(crate) struct Received {
    route: Route,
    parts: Parts,
    body: Bytes,
    pub(crate) entry: Entry,
}

impl Received {
    pub(crate) fn new(request: Request<Bytes>) -> Self {
        let (parts, body) = request.into_parts();
        let route = Route::parse(parts.uri.path());
        let entry = Entry::new(&route, &parts, &body);
        Self { route, parts, body, entry }
    }

    /// Handles the request, with the effect of a fault if there is one, and records it in the log.
    pub(crate) async fn carry_out(self, server: &Arc<Server>, effect: Option<Effect>) -> Response<Body> {
        let Received { route, parts, body, entry } = self;
        let is_head = parts.method == http::Method::HEAD;
        let ticket = server.log.begin(entry.clone());
        let response = match effect {
            None => answer(server, Duration::ZERO, route, parts, body).await,
            Some(effect) => struck(server, &entry, effect, route, parts, body).await,
        };
        server.log.finish(ticket, response.status().as_u16());
        if is_head { response.map(|_| Body::empty()) } else { response }
    }
}

/// Handles an internal request, without log and fault rules.
pub(crate) async fn answered(server: &Arc<Server>, request: Request<Bytes>) -> Response<Body> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Local);
    answer(server, Duration::ZERO, Route::parse(parts.uri.path()), parts, body).await
}

/// Answers after a delay, or at the `timeout` of the request.
async fn answer(server: &Arc<Server>, delay: Duration, route: Route, parts: Parts, body: Bytes) -> Response<Body> {
    let patience = Query::parse(parts.uri.query().unwrap_or_default()).patience;
    let answer = async {
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        answer_in_form(server, route, parts, body).await
    };
    let Some(patience) = patience else { return answer.await };
    // What is dropped has not been stored: a write is stored without an await.
    tokio::time::timeout(patience, answer).await.unwrap_or_else(|_| Failure::deadline().into_response())
}

async fn answer_in_form(server: &Arc<Server>, route: Route, parts: Parts, body: Bytes) -> Response<Body> {
    // The schemas and the list of paths are always JSON.
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
        // Boxed, since the future is large and the layers of a client move it several times.
        Ok(call) => verbs::answer(server, call).boxed().await,
        Err(failure) => Err(failure),
    };
    answer.map_or_else(Failure::into_response, Reply::into_response)
}

/// Returns the user of a request, if RBAC allows the request.
fn admitted(server: &Server, route: &Route, parts: &Parts) -> Result<User, Failure> {
    let user = rbac::user(server, parts)?;
    rbac::check(server, &user, &Asked::of(route, parts))?;
    Ok(user)
}

/// Handles a request with the effect of a fault.
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
        Effect::Latency(time) => answer(server, *time, route, parts, body).await,
        Effect::DropWatch(time) => watch::cut(answer(server, Duration::ZERO, route, parts, body).await, *time),
        Effect::HalfBody => torn(answer(server, Duration::ZERO, route, parts, body).await),
        Effect::Expired if entry.verb == Verb::Watch => watch::expired(),
        Effect::LostAnswer => {
            answer(server, Duration::ZERO, route, parts, body).await;
            refusal(&effect, entry)
        }
        _ => refusal(&effect, entry),
    }
}

fn refusal(effect: &Effect, entry: &Entry) -> Response<Body> {
    let unknown = || Failure::status(500, "InternalError", "a fault rule without an answer");
    effect.answer_to(entry).unwrap_or_else(|| unknown().into_bytes()).map(Body::from)
}

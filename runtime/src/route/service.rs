//! The HTTP service of routes: each request is authenticated and authorized before its function is called.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{ALLOW, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Request, Response};
use k8s_openapi::api::authentication::v1::UserInfo;
use k8s_openapi::api::authorization::v1::ResourceAttributes;
use tokio::time::{Instant, timeout};
use tower::Service;

use super::credentials::readable;
use super::erased::Route;
use super::object::{Missing, Objects};
use super::respond::{error, respond};
use super::table::{Entry, Found, Table};
use super::template::Matched;
use crate::caller::{Access, bearer};
use crate::pipeline::route::UserRequest;
use crate::pipeline::route::meter::{RouteMeter, RouteResult};

/// The largest body that is read, in bytes.
const LARGEST: usize = 1024 * 1024;

/// The HTTP service of the routes of an operator. Clones share all state.
#[derive(Clone)]
pub(crate) struct RouteService(Arc<Inner>);

struct Inner {
    table: Table,
    access: Access,
    objects: Objects,
    meter: RouteMeter,
}

/// How a request ended, for the metrics, and the response.
type Ended = (RouteResult, Response<Body>);

/// A value, or the end of the request.
type Step<T> = Result<T, Box<Ended>>;

impl RouteService {
    pub(crate) fn new(table: Table, access: Access, objects: Objects, meter: RouteMeter) -> Self {
        Self(Arc::new(Inner { table, access, objects, meter }))
    }
}

impl Inner {
    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path();
        match self.table.find(request.method(), path) {
            Found::Nothing => error(404, format!("there is no route at {path}")),
            Found::OtherMethods(methods) => {
                let methods = methods.join(", ");
                let mut response = error(405, format!("{path} answers {methods} only"));
                if let Ok(methods) = HeaderValue::try_from(methods) {
                    response.headers_mut().insert(ALLOW, methods);
                }
                response
            }
            Found::Route(entry, matched) => {
                let (started, function) = (Instant::now(), entry.route.wiring().name);
                let (result, response) = self.checked(entry, matched, request).await;
                self.meter.record(function, result, started.elapsed());
                response
            }
        }
    }

    /// Authenticates and authorizes the request, and calls the function.
    async fn checked(&self, entry: &Entry, matched: Matched, request: Request<Body>) -> Ended {
        let (parts, body) = request.into_parts();
        let user = match self.authenticated(&parts).await {
            Ok(user) => user,
            Err(ended) => return *ended,
        };
        if let Err(ended) = self.authorized(entry, &matched, &user).await {
            return *ended;
        }
        let function = entry.route.wiring().name;
        let limit = entry.route.wiring().timeout;
        let call = timeout(limit, self.called(entry, matched, user, parts, body));
        match AssertUnwindSafe(call).catch_unwind().await {
            Ok(Ok(ended)) => ended,
            Ok(Err(_)) => {
                tracing::error!(function, "a request was not answered in time");
                let message = format!("`{function}` did not answer within {limit:?}: try again later");
                (RouteResult::Timeout, error(504, message))
            }
            Err(_) => {
                tracing::error!(function, "a route panicked");
                let message = format!("`{function}` panicked: see the log of the operator");
                (RouteResult::Panic, error(500, message))
            }
        }
    }

    async fn authenticated(&self, parts: &Parts) -> Step<UserInfo> {
        let audience = self.access.audience();
        let refused = |what: &str| {
            let message = format!(
                "{what}: send `Authorization: Bearer TOKEN` with a token for the audience {audience:?}, such as `kubectl create token NAME --audience {audience}` makes"
            );
            let mut response = error(401, message);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Err(Box::new((RouteResult::Unauthorized, response)))
        };
        let Some(token) = bearer(&parts.headers) else { return refused("the request has no bearer token") };
        match self.access.user(token).await {
            Ok(Some(user)) => Ok(user),
            Ok(None) => refused("the token is not valid"),
            Err(error) => Err(Box::new(unavailable("the token cannot be checked", &error))),
        }
    }

    async fn authorized(&self, entry: &Entry, matched: &Matched, user: &UserInfo) -> Step<()> {
        let (kind, verb) = (&entry.route.kind().resource, entry.route.wiring().method.verb());
        let right = ResourceAttributes {
            group: Some(kind.group.clone()),
            name: Some(matched.name.clone()),
            namespace: matched.namespace.clone(),
            resource: Some(entry.resource.clone()),
            subresource: Some(entry.subresource.clone()),
            verb: Some(verb.to_owned()),
            version: Some(kind.version.clone()),
            ..ResourceAttributes::default()
        };
        match self.access.allows(user, right).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                let resource = format!("{}/{}", entry.resource, entry.subresource);
                let place = match &matched.namespace {
                    Some(namespace) => format!("in the namespace {namespace:?}"),
                    None => "at the cluster scope".to_owned(),
                };
                let (name, group) = (user.username.as_deref().unwrap_or_default(), &kind.group);
                let message = format!(
                    "{}.{group} {:?} is forbidden: User {name:?} cannot {verb} resource {resource:?} in API group {group:?} {place}",
                    entry.resource, matched.name
                );
                Err(Box::new((RouteResult::Forbidden, error(403, message))))
            }
            Err(error) => Err(Box::new(unavailable("the right of the user cannot be checked", &error))),
        }
    }

    /// Reads the body and the object, and calls the function.
    async fn called(&self, entry: &Entry, matched: Matched, user: UserInfo, parts: Parts, body: Body) -> Ended {
        let body = match axum::body::to_bytes(body, LARGEST).await {
            Ok(body) => body.into(),
            Err(_) => {
                let message = format!("the body is larger than {LARGEST} bytes, or was not sent completely");
                return (RouteResult::TooLarge, error(413, message));
            }
        };
        let Matched { namespace, name, params } = matched;
        let object = match self.objects.load(&entry.route, namespace.as_deref(), &name).await {
            Ok(object) => object,
            Err(missing) => return no_object(&entry.route, &name, missing),
        };
        let query = parts.uri.query().unwrap_or_default();
        let request = UserRequest {
            user,
            method: entry.route.wiring().method,
            params,
            query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            headers: readable(&parts.headers),
            body,
        };
        let function = entry.route.wiring().name;
        // All objects are of the type that the function takes.
        let Some(call) = entry.route.0.answer(object.as_any(), &request) else {
            let message = format!("`{function}` does not take the object");
            return (RouteResult::Failed, error(500, message));
        };
        let reply = call.await;
        let result = if reply.status < 500 { RouteResult::Answered } else { RouteResult::Failed };
        (result, respond(function, reply))
    }
}

fn unavailable(what: &str, cause: &crate::api::ApiError) -> Ended {
    tracing::warn!(error = %cause, "{what}");
    (RouteResult::Unavailable, error(503, format!("{what}: {cause}")))
}

fn no_object(route: &Route, name: &str, missing: Missing) -> Ended {
    let (function, resource) = (route.wiring().name, &route.kind().resource);
    let qualified = format!("{}.{}", resource.plural, resource.group);
    let qualified = qualified.trim_end_matches('.');
    match missing {
        Missing::Absent => (RouteResult::NotFound, error(404, format!("{qualified} {name:?} not found"))),
        Missing::Unavailable(cause) => unavailable("the object cannot be read", &cause),
        Missing::Undecodable(cause) => {
            tracing::warn!(function, object = name, error = cause, "the object does not fit its type");
            let message = format!("{qualified} {name:?} does not fit the type of `{function}`: {cause}");
            (RouteResult::Undecodable, error(500, message))
        }
    }
}

impl Service<Request<Body>> for RouteService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let this = self.0.clone();
        async move { Ok(this.answer(request).await) }.boxed()
    }
}

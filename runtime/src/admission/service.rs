//! The HTTP service that the API server calls.

use std::convert::Infallible;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use tower::Service;

use super::entries::Entries;
use super::envelope::parse;
use super::reads::Backend;
use super::reply::reply;
use crate::listen::{error, whole};
use crate::lock::Mutex;

/// Where the running operator puts its client and its caches.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Arc<Backend>>>>);

impl Slot {
    /// Connects the reviews from now on.
    pub(crate) fn connect(&self, backend: Backend) {
        *self.0.lock() = Some(Arc::new(backend));
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.get().is_some()
    }

    fn get(&self) -> Option<Arc<Backend>> {
        self.0.lock().clone()
    }
}

/// The HTTP service of the functions that review writes. [`Operator::admission_service`](crate::Operator::admission_service) creates it.
///
/// It answers `POST /admit/<function>` for each `#[validate]` function, with `-` or `_` in its name, and `POST /admit/mutate-<plural>.<version>.<group>` for all
/// `#[mutate]` functions of a kind, with an `AdmissionReview` of `admission.k8s.io/v1`. It does not encrypt and does not authenticate.
///
/// It answers as soon as it exists. Reads wait for nothing: until the operator runs, they fail if the operator has no
/// [client](crate::Operator::client), and otherwise go to the API server.
///
/// Bodies larger than 8 MiB are refused. Clones share all state.
#[derive(Clone)]
pub struct AdmissionService {
    entries: Arc<Entries>,
    slot: Slot,
}

impl AdmissionService {
    pub(crate) fn new(entries: Entries, slot: Slot) -> Self {
        Self { entries: Arc::new(entries), slot }
    }

    /// The same as routes of axum.
    pub fn into_router(self) -> Router {
        Router::new().fallback_service(self)
    }

    async fn answer(self, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let Some(entry) = self.entries.at(&path) else {
            let message = format!(
                "no function reviews writes at {path}: correct `path` in the webhook configuration ({})",
                self.entries.paths()
            );
            return error(StatusCode::NOT_FOUND, &message);
        };
        if request.method() != Method::POST {
            let message = format!("{path} answers POST only, with an AdmissionReview as the body");
            return error(StatusCode::METHOD_NOT_ALLOWED, &message);
        }
        let fix = "exclude objects of that size by `objects` or `when`";
        let body = match whole(request.into_body(), fix).await {
            Ok(body) => body,
            Err((code, message)) => return error(code, &message),
        };
        let review = match parse(&body) {
            Ok(review) => review,
            Err(message) => return error(StatusCode::BAD_REQUEST, &message),
        };
        let verdict = entry.review(&review, self.slot.get()).await;
        reply(&review.uid, entry.kind(), review.name.as_deref(), &verdict)
    }
}

impl Service<Request<Body>> for AdmissionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = AssertUnwindSafe(self.clone().answer(request)).catch_unwind();
        let failed = |_| error(StatusCode::INTERNAL_SERVER_ERROR, "the review panicked: see the log of the operator");
        async move { Ok(answer.await.unwrap_or_else(failed)) }.boxed()
    }
}

impl fmt::Debug for AdmissionService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdmissionService").field("paths", &self.entries.paths()).finish_non_exhaustive()
    }
}

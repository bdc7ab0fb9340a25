//! The server as the tower service of a `kube::Client`, without a socket and without serialization of headers.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use kube::Client;

use crate::log::IMPERSONATE;
use crate::server::handle;
use crate::state::Local;
use crate::state::Server;

/// Returns a client of the administrator or of another user. Must be called inside a tokio runtime.
pub(crate) fn client(server: &Arc<Server>, namespace: &str, user: Option<HeaderValue>) -> Client {
    let server = Arc::clone(server);
    let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
        if let Some(user) = &user {
            request.headers_mut().insert(IMPERSONATE, user.clone());
        }
        answer(Arc::clone(&server), request)
    });
    Client::new(service, namespace)
}

async fn answer(server: Arc<Server>, request: Request<kube::client::Body>) -> Result<Response<Body>, Infallible> {
    Ok(handle(server, collected(request).await).await)
}

/// Reads the whole body of the request, and marks it as an in-process request.
pub(crate) async fn collected(request: Request<kube::client::Body>) -> Request<Bytes> {
    let (mut head, body) = request.into_parts();
    head.extensions.insert(Local);
    // The body of a client is in memory, so an error is not expected; it results in an empty body.
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Request::from_parts(head, bytes)
}

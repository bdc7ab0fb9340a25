//! The server as the service of a `kube::Client`: no socket, no serialization of heads.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use kube::Client;

use crate::server::handle;
use crate::state::Local;
use crate::state::Server;

/// A client of the server, of the administrator or as another user. Must be called inside a tokio runtime.
pub(crate) fn client(server: &Arc<Server>, namespace: &str, user: Option<HeaderValue>) -> Client {
    let server = Arc::clone(server);
    let service = tower::service_fn(move |mut request: Request<kube::client::Body>| {
        if let Some(user) = &user {
            request.headers_mut().insert("Impersonate-User", user.clone());
        }
        answer(Arc::clone(&server), request)
    });
    Client::new(service, namespace)
}

async fn answer(server: Arc<Server>, request: Request<kube::client::Body>) -> Result<Response<Body>, Infallible> {
    Ok(handle(server, collected(request).await).await)
}

/// The request with its whole body, marked as one from inside the process.
pub(crate) async fn collected(request: Request<kube::client::Body>) -> Request<Bytes> {
    let (mut head, body) = request.into_parts();
    head.extensions.insert(Local);
    // A body of the client is in memory; one that fails to come is an empty one.
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Request::from_parts(head, bytes)
}

//! The client of the operator under test. Each of its calls is an injection point.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use kube::Client;

use super::injection_point::Point;
use super::interceptor::{Interception, Interceptor};
use crate::server::Received;
use crate::state::{Local, Server};

/// Returns a client of the server for the operator under test. It is valid until the next crash.
pub(super) fn intercepted(server: &Arc<Server>, namespace: &str, interceptor: &Arc<Interceptor>, life: u64) -> Client {
    let (server, interceptor) = (Arc::clone(server), Arc::clone(interceptor));
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let (server, interceptor) = (Arc::clone(&server), Arc::clone(&interceptor));
        async move {
            let (mut head, body) = request.into_parts();
            head.extensions.insert(Local);
            let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
            handle_tapped(server, Request::from_parts(head, body), &interceptor, life).await
        }
    });
    Client::new(service, namespace)
}

/// Handles a call that the operator makes in the given life.
async fn handle_tapped(
    server: Arc<Server>,
    request: Request<Bytes>,
    interceptor: &Interceptor,
    life: u64,
) -> io::Result<Response<Body>> {
    let received = Received::new(request);
    let effect = match interceptor.intercept(life, Point::call(&received.entry)) {
        Interception::Pass => server.faults.strike(&received.entry),
        Interception::Fault(effect) => Some(effect),
        Interception::Lost => std::future::pending().await,
        Interception::LostAfter => {
            received.carry_out(&server, None).await;
            interceptor.crash();
            return std::future::pending().await;
        }
    };
    interceptor.with_read_timeout(received.carry_out(&server, effect)).await
}

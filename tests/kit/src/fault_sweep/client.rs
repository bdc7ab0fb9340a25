//! The client of an operator under test: its calls are points.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use kube::Client;

use super::injection_point::Point;
use super::interceptor::{Meeting, Tap};
use crate::server::Received;
use crate::state::Server;
use crate::transport::inprocess::collected;

/// A client of the server for an operator under test, in one of its lives.
pub(super) fn tapped(server: &Arc<Server>, namespace: &str, tap: &Arc<Tap>, life: u64) -> Client {
    let (server, tap) = (Arc::clone(server), Arc::clone(tap));
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let (server, tap) = (Arc::clone(&server), Arc::clone(&tap));
        async move { handle_tapped(server, collected(request).await, &tap, life).await }
    });
    Client::new(service, namespace)
}

/// Answers a call of the operator in one of its lives.
async fn handle_tapped(
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

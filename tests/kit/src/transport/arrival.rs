//! The way of a request to the server and of its response back, on which a fault can hold them.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use http_body_util::BodyExt;
use tower::BoxError;

use crate::hold::{Caller, HeldBody};
use crate::log::SentAt;
use crate::server::handle;
use crate::state::Server;

/// Handles a request whose body may still be with its caller.
///
/// # Errors
/// The body ends with an error. The server does not carry out such a request, and the log has no entry for it.
pub(crate) async fn carried<B>(server: Arc<Server>, request: Request<B>) -> Result<Response<Body>, BoxError>
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
{
    let (head, body) = request.into_parts();
    let caller = Caller::of(&head);
    let holds = server.holds.clone();
    // A stopped process has not handed the body to its connection.
    holds.runs(&caller).await;
    let body = body.collect().await.map_err(Into::into)?.to_bytes();
    let mut request = Request::from_parts(head, body);
    request.extensions_mut().insert(SentAt(server.began.elapsed()));
    let response = match holds.is_partitioned(&caller) {
        false => handle(server, request).await,
        true => late(server, request, caller.clone()).await?,
    };
    holds.is_free(&caller).await;
    Ok(response.map(|body| match body.size_hint().exact() {
        Some(_) => body,
        // A watch, or a log that is followed.
        None => Body::new(HeldBody::new(body, holds, caller)),
    }))
}

/// Handles a request when the network works again. It arrives even if the caller does not wait any more.
async fn late(server: Arc<Server>, request: Request<Bytes>, caller: Caller) -> Result<Response<Body>, BoxError> {
    let arrival = tokio::spawn(async move {
        server.holds.is_reachable(&caller).await;
        handle(server, request).await
    });
    Ok(arrival.await?)
}

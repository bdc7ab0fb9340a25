//! The listener: HTTP, or HTTPS with a certificate, with limits for each connection that `axum::serve` does not have.

use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use super::registry::Metrics;
use super::router::router;
use super::tls::Tls;
use crate::listen::{Connections, Since};

/// The maximum number of open connections.
const MOST: usize = 256;
/// Timeout for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Timeout for a connection, so that a client that does not read its response cannot hold it. A connection serves one request; the body is
/// not read.
const WHOLE: Duration = Duration::from_secs(40);
/// The maximum size of the head of a request.
const LARGEST: usize = 16 * 1024;
/// Pause after a failed accept: the process may be out of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves requests forever. No client can block another: see [`Connections`].
///
/// # Cancellation
/// Dropping the future aborts open connections.
pub(crate) async fn serve(listener: TcpListener, metrics: Metrics, tls: Option<Tls>) {
    let mut connections = Connections::new(MOST);
    // A bound socket has an address.
    let local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
    let router = router(metrics, local);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let (router, tls) = (router.clone(), Clone::clone(&tls));
                connections.add(|since| connection(stream, tls, router, since)).await;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection to the listener was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, tls: Option<Tls>, router: Router, since: Since) {
    match tls {
        None => answer(stream, router, since).await,
        #[cfg(not(feature = "webhooks"))]
        Some(never) => match never {},
        #[cfg(feature = "webhooks")]
        Some(acceptor) => match tokio::time::timeout(HEAD, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => answer(stream, router, since).await,
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake with the listener failed"),
            Err(_) => {}
        },
    }
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin, router: Router, since: Since) {
    let service = service_fn(move |request: Request<Incoming>| {
        since.renew();
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST);
    // One request per connection: a client cannot hold its place by pipelining requests.
    builder.keep_alive(false);
    // A disconnect by the client is not an error.
    let _ = tokio::time::timeout(WHOLE, builder.serve_connection(TokioIo::new(stream), service)).await;
}

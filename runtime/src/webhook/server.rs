//! The HTTPS server, with limits that do not refuse the bursts of an API server.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::header::CONNECTION;
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::listen::{Connections, Since};

/// The maximum number of open connections. An API server opens one for each call that is under way, and has up to 600 requests under way by
/// its defaults.
const MOST: usize = 4096;
/// Timeout for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Timeout for the head of a request, and for the next one on an idle connection. The API server closes idle connections after 90 seconds; if
/// the webhook closed them first, a call that is just being sent would fail.
const HEAD: Duration = Duration::from_secs(120);
/// The maximum size of the head of a request.
const LARGEST: usize = 16 * 1024;
/// Pause after a failed accept: the process may be out of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// The time for which the server still answers after a stop: until then, API servers still send calls to this replica.
const LINGER: Duration = Duration::from_secs(15);

/// Serves until 15 seconds after the stop. Answers after the stop close their connection.
///
/// # Cancellation
/// Dropping the future aborts open connections.
pub(super) async fn serve(listener: TcpListener, acceptor: TlsAcceptor, router: Router, stop: CancellationToken) {
    let mut connections = Connections::new(MOST);
    let end = async {
        stop.cancelled().await;
        tokio::time::sleep(LINGER).await;
    };
    let accept = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (acceptor, router, stop) = (acceptor.clone(), router.clone(), stop.clone());
                    connections.add(|since| connection(stream, acceptor, router, stop, since)).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection to the webhook server was not accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        () = accept => {}
        () = end => {}
    }
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, router: Router, stop: CancellationToken, since: Since) {
    // A client that does not trust the certificate ends the handshake, which is normal while a bundle is being spread.
    let stream = match timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "a TLS handshake with the webhook server failed"),
        Err(_) => return,
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let (busy, router, stop) = (since.begin(), router.clone(), stop.clone());
        async move {
            let mut response = router.oneshot(request.map(Body::new)).await?;
            if stop.is_cancelled() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            drop(busy);
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST);
    // A disconnect by the client is not an error.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

//! The listener: `/metrics`, `/healthz`, `/readyz` and `/debug/objects` over plain HTTP, without authentication.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use kube::client::Body;
use tokio::net::{TcpListener, TcpStream};

use super::connections::{Connections, Since};
use super::debug_objects::{ObjectQuery, rows};
use super::host_check;
use super::registry::Metrics;
use super::{html, readiness};

/// Where to listen.
#[derive(Debug)]
pub(crate) enum Listener {
    /// An address to bind.
    At(SocketAddr),
    /// A bound socket.
    Bound(std::net::TcpListener),
}

/// Timeout for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Timeout for a connection, so that a client that does not read its response cannot hold it. A connection serves one request; the body is
/// not read.
const WHOLE: Duration = Duration::from_secs(40);
/// The maximum size of the head of a request.
const LARGEST: usize = 16 * 1024;
/// Pause after a failed accept: the process may be out of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

const PLAIN: &str = "text/plain; charset=utf-8";
const PAGES: &str = "there is /metrics, /healthz, /readyz, /debug/objects and /debug/objects?format=json\n";

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => write!(f, "{address}"),
            Self::Bound(_) => f.write_str("the given socket"),
        }
    }
}

impl Listener {
    /// Binds the socket and logs its address.
    ///
    /// # Errors
    /// The address is in use or not permitted.
    pub(crate) async fn bind(self) -> std::io::Result<TcpListener> {
        let listener = match self {
            Self::At(address) => TcpListener::bind(address).await?,
            Self::Bound(listener) => {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)?
            }
        };
        tracing::info!(address = %listener.local_addr()?, "listening");
        Ok(listener)
    }
}

/// Serves requests forever. No client can block another: see [`Connections`].
///
/// # Cancellation
/// Dropping the future aborts open connections.
pub(crate) async fn serve(listener: TcpListener, metrics: Metrics) {
    let mut connections = Connections::default();
    // A bound socket has an address.
    let local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
    loop {
        match listener.accept().await {
            Ok((stream, _)) => connections.add(|since| connection(stream, local, metrics.clone(), since)).await,
            Err(error) => {
                tracing::warn!(%error, "a connection to the listener was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, local: bool, metrics: Metrics, since: Since) {
    let service = service_fn(move |request: Request<_>| {
        since.renew();
        let answer = match host_check::is_ours(&request, local) {
            true => answer(&request, &metrics),
            false => response(StatusCode::MISDIRECTED_REQUEST, PLAIN, host_check::REFUSAL.into()),
        };
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST);
    // One request per connection: a client cannot hold its place by pipelining requests.
    builder.keep_alive(false);
    // A disconnect by the client is not an error.
    let _ = tokio::time::timeout(WHOLE, builder.serve_connection(TokioIo::new(stream), service)).await;
}

fn answer<B>(request: &Request<B>, metrics: &Metrics) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return response(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "this is to be read only: use GET\n".into());
    }
    match request.uri().path() {
        "/metrics" => scraped(metrics),
        "/healthz" => response(StatusCode::OK, PLAIN, "ok\n".into()),
        "/readyz" => {
            let (ready, text) = readiness::verdict(metrics.has_started(), &metrics.health().ailing(), &paused(metrics));
            let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            response(status, PLAIN, text)
        }
        "/debug/objects" => objects(request, metrics),
        _ => response(StatusCode::NOT_FOUND, PLAIN, PAGES.into()),
    }
}

/// The paused reconcilers.
fn paused(metrics: &Metrics) -> Vec<readiness::Paused> {
    let all = metrics.subjects();
    let why = |controller: &std::sync::Arc<super::ReconcilerMetrics>| {
        let (time, why) = controller.subject()?.paused()?;
        Some((controller.name(), time, why))
    };
    all.iter().filter_map(why).collect()
}

fn scraped(metrics: &Metrics) -> Response<Body> {
    const FORM: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    match metrics.text() {
        Ok(text) => response(StatusCode::OK, FORM, text),
        Err(error) => response(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, format!("{error}\n")),
    }
}

fn objects<B>(request: &Request<B>, metrics: &Metrics) -> Response<Body> {
    let query = request.uri().query().unwrap_or_default();
    let filter = ObjectQuery::of(query);
    let (rows, all) = rows(&metrics.subjects(), &filter);
    let accepts = request.headers().get(header::ACCEPT).map(HeaderValue::as_bytes);
    let json = query.split('&').any(|pair| pair == "format=json") || accepts == Some(b"application/json");
    match json {
        true => response(StatusCode::OK, "application/json", html::json(&rows, all).to_string()),
        false => response(StatusCode::OK, "text/html; charset=utf-8", html::html(&rows, all, &filter)),
    }
}

fn response(status: StatusCode, form: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into_bytes()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Blocks scripts even if an object name contains markup.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

//! The proxy in front of the API server: it counts the requests of an operator, and forwards them. Watches stream through it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::gate::Gate;
use crate::requests::{Counts, Sort};
use crate::{Error, Result};

struct Seen {
    counts: Counts,
    /// The number of requests by method and path, with the object names.
    paths: BTreeMap<String, u64>,
    last: Instant,
}

/// A running proxy. It ends when this value is dropped.
pub struct Proxy {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
    serving: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy to the API server of this client.
    pub async fn start(to: Client, gate: Arc<Gate>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let seen = Seen { counts: Counts::default(), paths: BTreeMap::new(), last: Instant::now() };
        let seen = Arc::new(Mutex::new(seen));
        let forward = Arc::new(Forward { to, gate, seen: seen.clone() });
        Ok(Self { address, seen, serving: tokio::spawn(serve(listener, forward)) })
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).counts
    }

    /// Returns the requests by method and path, and begins anew.
    #[must_use]
    pub fn take_paths(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner).paths)
    }

    /// How long ago the last request was.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).last.elapsed()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

struct Forward {
    to: Client,
    gate: Arc<Gate>,
    seen: Arc<Mutex<Seen>>,
}

async fn serve(listener: TcpListener, forward: Arc<Forward>) {
    while let Ok((stream, _)) = listener.accept().await {
        _ = stream.set_nodelay(true);
        let forward = forward.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| forward.answer(request));
            // The connection of a killed operator breaks.
            _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Forward {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>> {
        let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
        self.record(&request, &path);
        self.passes()?;
        let (mut parts, body) = request.into_parts();
        parts.uri = path.parse()?;
        parts.headers.remove(http::header::HOST);
        let body = Body::from(body.collect().await?.to_bytes().to_vec());
        let mut answer = self.to.send(Request::from_parts(parts, body)).await?;
        // These headers belong to the other connection.
        for header in [http::header::TRANSFER_ENCODING, http::header::CONNECTION] {
            answer.headers_mut().remove(header);
        }
        self.passes()?;
        Ok(answer)
    }

    fn record(&self, request: &Request<Incoming>, path: &str) {
        let sort = Sort::of(request.method(), path);
        let resource = path.split('?').next().unwrap_or_default();
        let key = format!("{sort:?} {} {resource}", request.method());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.counts.add(sort);
        *seen.paths.entry(key).or_default() += 1;
        seen.last = Instant::now();
    }

    fn passes(&self) -> Result<(), Error> {
        if self.gate.pass() { Ok(()) } else { Err("the operator was killed".into()) }
    }
}

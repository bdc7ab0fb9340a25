//! A proxy on loopback between an operator and a real API server: it forwards, injects faults, and breaks open streams.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use evenkeel_testkit::Effect;
use futures::StreamExt;
use http::{HeaderValue, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, BodyStream, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;
use tower::BoxError;

type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// The current fault of the proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Weather {
    fault: Option<Effect>,
    /// The part of the paths that it affects.
    on: String,
}

/// The proxy. It ends when this value is dropped.
pub struct Proxy {
    address: SocketAddr,
    weather: watch::Sender<Weather>,
    struck: Arc<AtomicUsize>,
    _serving: AbortOnDropHandle<()>,
}

struct Forward {
    to: Client,
    user: Option<HeaderValue>,
    weather: watch::Receiver<Weather>,
    struck: Arc<AtomicUsize>,
}

impl Proxy {
    /// Starts a proxy to the server of this client, as this user if one is named.
    ///
    /// # Panics
    /// No port is free, or the name is not a header value.
    pub async fn start(to: Client, user: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (weather, seen) = watch::channel(Weather::default());
        let struck = Arc::new(AtomicUsize::new(0));
        let user = user.map(|user| HeaderValue::from_str(user).expect("a user name"));
        let forward = Arc::new(Forward { to, user, weather: seen, struck: struck.clone() });
        let serving = AbortOnDropHandle::new(tokio::spawn(serve(listener, forward)));
        Self { address, weather, struck, _serving: serving }
    }

    /// The address for the operator.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on, requests whose path contains `on` get this fault, and open streams of such paths break.
    pub fn fail(&self, fault: &Effect, on: &str) {
        self.weather.send_replace(Weather { fault: Some(fault.clone()), on: on.to_owned() });
    }

    /// Ends the fault, and returns how many requests were affected so far.
    pub fn mend(&self) -> usize {
        self.weather.send_replace(Weather::default());
        self.struck.load(Ordering::SeqCst)
    }
}

/// Accepts connections, which end with this future.
async fn serve(listener: TcpListener, forward: Arc<Forward>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let forward = forward.clone();
        connections.spawn(async move {
            let service = service_fn(|request| forward.answer(request));
            // Broken connections are intended.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

impl Forward {
    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, BoxError> {
        let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
        let weather = self.weather.borrow().clone();
        let fault = weather.fault.filter(|_| path.contains(&weather.on));
        self.struck.fetch_add(usize::from(fault.is_some()), Ordering::SeqCst);
        match fault {
            Some(Effect::Hang) => {
                // Also after the fault: a swallowed request is never answered.
                std::future::pending().await
            }
            Some(Effect::HalfBody) => {
                let (parts, body) = self.forward(&path, request).await?.into_parts();
                let all = body.collect_bytes().await?;
                Ok(Response::from_parts(parts, torn(all.slice(..all.len() / 2))))
            }
            Some(fault) => Ok(fault.answer(&path).ok_or("a proxy cannot have this effect")?.map(full)),
            None => {
                let answer = self.forward(&path, request).await?;
                Ok(answer.map(|body| self.until_a_fault(path, body)))
            }
        }
    }

    async fn forward(&self, path: &str, request: Request<Incoming>) -> Result<Response<Body>, BoxError> {
        let (mut parts, body) = request.into_parts();
        parts.uri = path.parse()?;
        parts.headers.remove(http::header::HOST);
        if let Some(user) = &self.user {
            parts.headers.insert("impersonate-user", user.clone());
        }
        let body = Body::from(body.collect().await?.to_bytes().to_vec());
        let mut answer = self.to.send(Request::from_parts(parts, body)).await?;
        // These headers belong to this connection, not to the other one.
        for header in [http::header::TRANSFER_ENCODING, http::header::CONNECTION] {
            answer.headers_mut().remove(header);
        }
        Ok(answer)
    }

    /// The body, until a fault affects its path: then the connection breaks.
    fn until_a_fault(&self, path: String, body: Body) -> UnsyncBoxBody<Bytes, BoxError> {
        let mut weather = self.weather.clone();
        let broken = async move {
            // An error means that the proxy ends.
            let _ = weather.wait_for(|now| now.fault.is_some() && path.contains(&now.on)).await;
        };
        let frames = BodyStream::new(body).map(|frame| frame.map_err(BoxError::from));
        let tear = || futures::stream::iter([Err(BoxError::from("the connection broke"))]);
        let broken = futures::stream::once(broken).flat_map(move |()| tear()).boxed();
        let ended = frames.map(Some).chain(futures::stream::iter([None]));
        let either = futures::stream::select(ended, broken.map(Some));
        let until =
            either.take_while(|frame| futures::future::ready(frame.is_some())).filter_map(futures::future::ready);
        BodyExt::boxed_unsync(StreamBody::new(until))
    }
}

fn full(bytes: Bytes) -> UnsyncBoxBody<Bytes, BoxError> {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// These bytes, and then a broken connection.
fn torn(bytes: Bytes) -> UnsyncBoxBody<Bytes, BoxError> {
    let frames = [Ok(Frame::data(bytes)), Err(BoxError::from("the connection broke"))];
    BodyExt::boxed_unsync(StreamBody::new(futures::stream::iter(frames)))
}

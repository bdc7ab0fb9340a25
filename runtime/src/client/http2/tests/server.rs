//! An API server that speaks HTTP/2, whose watches never end by themselves.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::{Either, select};
use http::{Request, Response};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kube::{Client, Config};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use crate::client::stack::configured;
use crate::client::test_tls::acceptor;

/// How the server ends its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Not,
    /// With GOAWAY: streams in use go on, and new ones are refused.
    Gracefully,
    /// It closes the sockets.
    AtOnce,
}

pub(super) struct Server {
    address: SocketAddr,
    certificate: Vec<u8>,
    known: Arc<Known>,
    end: watch::Sender<(u32, End)>,
}

/// What the server knows of its connections.
struct Known {
    tls: TlsAcceptor,
    streams: Option<u32>,
    accepted: AtomicUsize,
    /// Lets the handshakes begin.
    begin: Semaphore,
    /// The number of requests with a complete body.
    complete: AtomicUsize,
}

impl Server {
    /// Starts a server that allows this many streams on a connection. `None`: it speaks HTTP/1.1 only.
    pub(super) async fn start(streams: Option<u32>) -> Self {
        let server = Self::silent(streams).await;
        server.begin();
        server
    }

    /// Starts such a server, whose handshakes do not begin yet.
    pub(super) async fn silent(streams: Option<u32>) -> Self {
        let protocols: &[&str] = if streams.is_some() { &["h2"] } else { &["http/1.1"] };
        let (tls, certificate) = acceptor(protocols);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (end, ends) = watch::channel((0, End::Not));
        let (begin, [accepted, complete]) = (Semaphore::new(0), [0, 0].map(AtomicUsize::new));
        let known = Arc::new(Known { tls, streams, accepted, begin, complete });
        let server = Self { address: listener.local_addr().unwrap(), certificate, known: Arc::clone(&known), end };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                known.accepted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(Arc::clone(&known), stream, ends.clone()));
            }
        });
        server
    }

    pub(super) fn begin(&self) {
        self.known.begin.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    pub(super) fn config(&self) -> Config {
        let mut config = Config::new(format!("https://{}", self.address).parse().unwrap());
        config.root_cert = Some(vec![self.certificate.clone()]);
        config
    }

    pub(super) fn client(&self) -> Client {
        configured(self.config(), "test").unwrap()
    }

    /// Ends all connections that are open now.
    pub(super) fn end(&self, how: End) {
        self.end.send_modify(|(times, end)| (*times, *end) = (*times + 1, how));
    }

    pub(super) fn accepted(&self) -> usize {
        self.known.accepted.load(Ordering::SeqCst)
    }

    pub(super) fn complete(&self) -> usize {
        self.known.complete.load(Ordering::SeqCst)
    }
}

async fn serve(known: Arc<Known>, stream: TcpStream, mut ends: watch::Receiver<(u32, End)>) {
    ends.mark_unchanged();
    drop(known.begin.acquire().await.unwrap());
    let Ok(stream) = known.tls.accept(stream).await else { return };
    let io = TokioIo::new(stream);
    let respond = |request| respond(Arc::clone(&known), request);
    let Some(streams) = known.streams else {
        let _ = http1::Builder::new().serve_connection(io, service_fn(respond)).await;
        return;
    };
    let mut builder = http2::Builder::new(TokioExecutor::new());
    let mut running = pin!(builder.max_concurrent_streams(streams).serve_connection(io, service_fn(respond)));
    let ended = pin!(async move {
        let _ = ends.changed().await;
        ends.borrow().1
    });
    // An error is a client that has closed the connection.
    if let Either::Right((End::Gracefully, _)) = select(running.as_mut(), ended).await {
        running.as_mut().graceful_shutdown();
        let _ = running.await;
    }
}

async fn respond(known: Arc<Known>, request: Request<Incoming>) -> Result<Response<Forever>, hyper::Error> {
    let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
    let mut body = request.into_body();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        frame?;
    }
    known.complete.fetch_add(1, Ordering::SeqCst);
    Ok(Response::new(Forever { first: Some(Bytes::from_static(b"{}")), is_watch }))
}

/// A body with `{}` in it, and no end if it is that of a watch.
struct Forever {
    first: Option<Bytes>,
    is_watch: bool,
}

impl Body for Forever {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.first.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None if self.is_watch => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

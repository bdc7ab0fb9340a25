//! An API server with bad manners, on a thread of its own.

use std::sync::{Arc, Mutex};
use std::thread;

use kube::Config;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::client::test_tls::acceptor;

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/// What the server does with its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// It begins the handshake when it is released.
    SlowHandshake,
    /// It is an HTTP proxy, which responds to the CONNECT when it is released.
    #[cfg(feature = "proxy")]
    SlowProxy,
    /// It closes the first connection after a response, and begins the second handshake when it is released.
    ClosesAfterResponse,
    /// It closes the first connection after the head of a request, and begins the second handshake when it is released.
    ClosesAfterHead,
    /// It reads, and never responds.
    Silent,
}

pub(super) struct Server {
    manner: Manner,
    tls: TlsAcceptor,
    /// Counts the accepted connections.
    pub(super) accepted: Semaphore,
    /// Counts the connections that have ended.
    pub(super) closed: Semaphore,
    /// Releases a connection.
    pub(super) released: Semaphore,
    complete: Mutex<Vec<String>>,
}

/// Stops the server when it is dropped.
pub(super) struct Running(#[expect(dead_code, reason = "its drop ends the thread")] oneshot::Sender<()>);

impl Server {
    /// Starts a server, and returns the configuration of its clients.
    pub(super) fn start(manner: Manner) -> (Arc<Self>, Config, Running) {
        let (tls, certificate) = acceptor(&[]);
        let server = Arc::new(Self {
            manner,
            tls,
            accepted: Semaphore::new(0),
            closed: Semaphore::new(0),
            released: Semaphore::new(0),
            complete: Mutex::default(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let accepting = Arc::clone(&server).accept(listener);
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! { () = accepting => {}, _ = stopped => {} }
            });
        });
        let mut config = Config::new(format!("https://{address}").parse().unwrap());
        config.root_cert = Some(vec![certificate]);
        #[cfg(feature = "proxy")]
        if manner == Manner::SlowProxy {
            config.proxy_url = Some(format!("http://{address}").parse().unwrap());
        }
        (server, config, Running(stop))
    }

    async fn accept(self: Arc<Self>, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let server = Arc::clone(&self);
            let is_first = connections.is_empty();
            connections.spawn(async move {
                // A client that closes the connection is no error.
                let _ = server.serve(stream, is_first).await;
                server.closed.add_permits(1);
            });
            self.accepted.add_permits(1);
        }
    }

    async fn serve(
        &self,
        #[cfg_attr(not(feature = "proxy"), allow(unused_mut))] mut stream: TcpStream,
        is_first: bool,
    ) -> std::io::Result<()> {
        let closes_first = matches!(self.manner, Manner::ClosesAfterResponse | Manner::ClosesAfterHead);
        if self.manner != Manner::Silent && !(closes_first && is_first) {
            self.released.acquire().await.unwrap().forget();
        }
        #[cfg(feature = "proxy")]
        if self.manner == Manner::SlowProxy {
            head(&mut stream).await?;
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        }
        let mut stream = self.tls.accept(stream).await?;
        if self.manner == Manner::ClosesAfterHead && is_first {
            head(&mut stream).await?;
            return Ok(());
        }
        loop {
            self.read(&mut stream).await?;
            if self.manner == Manner::Silent {
                stream.read_u8().await?;
            }
            stream.write_all(ANSWER.as_bytes()).await?;
            if closes_first && is_first {
                return Ok(());
            }
        }
    }

    /// Reads a complete request.
    async fn read(&self, stream: &mut (impl AsyncRead + Unpin)) -> std::io::Result<()> {
        let head = head(stream).await?;
        let lengths =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; lengths.unwrap_or(0)];
        stream.read_exact(&mut body).await?;
        self.complete.lock().unwrap().push(head);
        Ok(())
    }

    /// The heads of the complete requests that have arrived.
    pub(super) fn complete(&self) -> Vec<String> {
        self.complete.lock().unwrap().clone()
    }
}

/// Reads up to the end of a head.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// Waits until the count is at least this.
pub(super) async fn reaches(count: &Semaphore, wanted: u32) {
    drop(count.acquire_many(wanted).await.unwrap());
}

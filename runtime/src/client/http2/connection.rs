//! One HTTP/2 connection, and how many streams of it are in use.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::{Read, Write};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;
use tower::BoxError;

use crate::client::fence::Fenced;

/// How often a connection that receives nothing is checked, and how long its server may take to respond. As client-go's: a connection that was
/// lost without notice would otherwise hold its watches until the read timeout.
const PING: Duration = Duration::from_secs(30);
const PONG: Duration = Duration::from_secs(15);

/// How many bytes of a stream may wait for their reader.
const STREAM_WINDOW: u32 = 512 * 1024;

/// How many bytes of all streams may wait. It suffices for 128 streams, so a watch that is read slowly does not hold up the others.
const CONNECTION_WINDOW: u32 = 128 * STREAM_WINDOW;

/// The most streams of a connection. API servers allow 100 by default.
const MOST_STREAMS: usize = 128;

/// The number of streams that a server allows, until its first settings have arrived. No settings contain it.
const UNKNOWN: usize = usize::MAX - 1;

/// How often is checked whether they have arrived.
const LOOK: Duration = Duration::from_millis(1);

/// A connection that is open.
pub(super) struct Connection {
    sender: SendRequest<Fenced>,
    streams: Arc<Streams>,
}

#[derive(Debug)]
struct Streams {
    used: AtomicUsize,
    /// How many the server allows; it may change its mind.
    most: AtomicUsize,
}

/// A stream in use. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Stream(Arc<Streams>);

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.used.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Connection {
    /// Opens an HTTP/2 connection over this stream of bytes, and waits for the settings of the server. Requests beyond the streams that it allows
    /// would wait in the connection, behind watches that do not end.
    ///
    /// # Errors
    /// The connection breaks.
    pub(super) async fn over<T>(io: T) -> Result<Self, BoxError>
    where
        T: Read + Write + Send + Unpin + 'static,
    {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PONG);
        builder.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        builder.initial_max_send_streams(UNKNOWN);
        let (sender, mut running) = builder.handshake(io).await?;
        // hyper reads them in a task of its own, which does not wake this one.
        let most = loop {
            match timeout(LOOK, &mut running).await {
                Ok(Ok(())) => return Err("the server closed the connection at once".into()),
                Ok(Err(error)) => return Err(error.into()),
                Err(_) if running.current_max_send_streams() == UNKNOWN => (),
                Err(_) => break running.current_max_send_streams(),
            }
        };
        let streams = Arc::new(Streams { used: AtomicUsize::new(0), most: AtomicUsize::new(most) });
        let known = Arc::clone(&streams);
        // Its requests and bodies report how it ends.
        tokio::spawn(poll_fn(move |cx| {
            let polled = Pin::new(&mut running).poll(cx).map(drop);
            known.most.store(running.current_max_send_streams(), Ordering::Release);
            polled
        }));
        Ok(Self { sender, streams })
    }

    /// Whether it accepts no more requests. Streams in use may still end in order.
    pub(super) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Takes a stream, unless all are in use.
    pub(super) fn stream(&self) -> Option<(SendRequest<Fenced>, Stream)> {
        let most = self.streams.most.load(Ordering::Acquire).clamp(1, MOST_STREAMS);
        let taken = |used| (used < most).then_some(used + 1);
        self.streams.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, taken).ok()?;
        Some((self.sender.clone(), Stream(Arc::clone(&self.streams))))
    }
}

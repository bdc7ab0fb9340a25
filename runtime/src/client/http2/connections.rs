//! The HTTP/2 connections to one API server.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use http::Uri;
use hyper::client::conn::http2::SendRequest;
use hyper::rt::{Read, Write};
use hyper_util::client::legacy::connect::Connection as Connected;
use tower::{BoxError, Service, ServiceExt};

use super::connection::{Connection, Stream};
use crate::client::fence::Fenced;
use crate::lock::{Mutex, MutexGuard};

/// Makes the connections.
pub(in crate::client) trait Connector:
    Service<Uri, Error: Into<BoxError>, Future: Send> + Clone + Send + Sync + 'static
{
}

impl<C: Service<Uri, Error: Into<BoxError>, Future: Send> + Clone + Send + Sync + 'static> Connector for C {}

/// The open connections to an API server. Each has as many streams as the server allows; one more is opened when all are in use.
pub(super) struct Connections<C>(Arc<Known<C>>);

struct Known<C> {
    connector: C,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Vec<Connection>,
    /// The connection that is being opened. All requests without a stream wait for it.
    opening: Option<Opening>,
    /// The server has chosen HTTP/1.1.
    is_http1: bool,
}

type Opening = Shared<BoxFuture<'static, Result<(), Refused>>>;

/// What a request gets.
enum Found {
    Stream(SendRequest<Fenced>, Stream),
    Http1,
    Opening(Opening),
}

impl<C> Clone for Connections<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> Connections<C>
where
    C: Connector,
    C::Response: Connected + Read + Write + Send + Unpin + 'static,
{
    pub(super) fn new(connector: C) -> Self {
        Self(Arc::new(Known { connector, state: Mutex::default() }))
    }

    /// Takes a stream of an open connection, or opens one. `None`: the server speaks HTTP/1.1.
    ///
    /// # Errors
    /// The connection cannot be opened.
    pub(super) async fn stream(&self, uri: &Uri) -> Result<Option<(SendRequest<Fenced>, Stream)>, BoxError> {
        loop {
            // Of many requests that waited for a connection, some may find all of its streams in use, and wait for the next one.
            match self.find(uri) {
                Found::Stream(sender, stream) => return Ok(Some((sender, stream))),
                Found::Http1 => return Ok(None),
                Found::Opening(opening) => opening.await?,
            }
        }
    }

    fn find(&self, uri: &Uri) -> Found {
        let mut state = self.0.state();
        state.open.retain(|connection| !connection.is_closed());
        if let Some((sender, stream)) = state.open.iter().find_map(Connection::stream) {
            return Found::Stream(sender, stream);
        }
        if state.is_http1 || uri.scheme_str() != Some("https") {
            return Found::Http1;
        }
        let opening = state.opening.get_or_insert_with(|| Arc::clone(&self.0).open(uri.clone()).boxed().shared());
        Found::Opening(opening.clone())
    }
}

impl<C> Known<C>
where
    C: Connector,
    C::Response: Connected + Read + Write + Send + Unpin + 'static,
{
    /// Opens a connection, and adds it to the open ones.
    async fn open(self: Arc<Self>, uri: Uri) -> Result<(), Refused> {
        let opened = self.connection(uri).await;
        let mut state = self.state();
        state.opening = None;
        match opened {
            Ok(Some(connection)) => state.open.push(connection),
            Ok(None) => state.is_http1 = true,
            Err(error) => return Err(Refused(error.into())),
        }
        Ok(())
    }

    /// Opens a connection. `None`: the server has chosen HTTP/1.1.
    async fn connection(&self, uri: Uri) -> Result<Option<Connection>, BoxError> {
        let io = self.connector.clone().oneshot(uri).await.map_err(Into::into)?;
        if !io.connected().is_negotiated_h2() {
            return Ok(None);
        }
        Connection::over(io).await.map(Some)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Why a connection was not opened; all requests that waited for it get the same error.
#[derive(Clone, Debug)]
struct Refused(Arc<dyn std::error::Error + Send + Sync>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot connect to the API server")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

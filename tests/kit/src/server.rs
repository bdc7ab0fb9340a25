//! The server: its state, and the one function that answers a request.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use tokio::sync::watch;

use crate::call::Call;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::cluster::Options;
use crate::failure::Failure;
use crate::respond::Reply;
use crate::route::Route;
use crate::store::{Pages, Store};
use crate::{meta, verbs};

/// The state all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) pages: Pages,
    pub(crate) catalog: watch::Sender<Arc<Catalog>>,
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    /// Counts the calls of `drop_watches`.
    pub(crate) drops: watch::Sender<u64>,
}

impl Server {
    pub(crate) fn new(options: Options) -> Self {
        Server {
            store: Store::new(options.history),
            pages: Pages::default(),
            catalog: watch::Sender::new(Arc::new(Catalog::builtin())),
            options,
            clock: Clock::start(),
            drops: watch::Sender::new(0),
        }
    }

    /// What is served now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.borrow())
    }
}

/// Answers one request. Both transports end here.
pub(crate) async fn handle(server: Arc<Server>, request: Request<Bytes>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let answer = match Route::parse(parts.uri.path()) {
        Route::Other => return meta::answer(&server, &parts),
        Route::Resource(target) => match Call::new(&server, target, parts, body) {
            Ok(call) => verbs::answer(&server, call).await,
            Err(failure) => Err(failure),
        },
    };
    answer.map_or_else(Failure::into_response, Reply::into_response)
}

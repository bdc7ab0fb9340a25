//! The state that all requests share. Verbs depend on it; it does not depend on verbs.

mod identity;
mod options;
mod pod_logs;
mod tokens;

use std::sync::Arc;

use tokio::time::Instant;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::fault::Faults;
use crate::hold::Holds;
use crate::lock::Mutex;
use crate::log::Log;
use crate::service_address::Addresses;
use crate::store::{Pages, Store};
use crate::webhook_backend::Backends;
use crate::webhook_connections::Connections;

pub(crate) use identity::{Local, User};
pub(crate) use options::Options;
pub(crate) use pod_logs::Texts;
pub(crate) use tokens::{Token, Tokens};

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) pages: Pages,
    catalog: Mutex<Arc<Catalog>>,
    pub(crate) addresses: Addresses,
    pub(crate) tokens: Tokens,
    /// The logs of containers.
    pub(crate) texts: Texts,
    /// The services that answer webhooks.
    pub(crate) webhooks: Backends,
    /// To webhooks with a URL.
    pub(crate) connections: Connections,
    /// Locked from reading the CRDs until their kinds are served, so that newer CRDs always replace older ones.
    pub(crate) publishing: Mutex<()>,
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) log: Log,
    pub(crate) faults: Faults,
    /// The callers whose requests are held.
    pub(crate) holds: Holds,
    /// When the server was started.
    pub(crate) began: Instant,
    /// Counts the calls of `drop_watches`.
    pub(crate) drops: tokio::sync::watch::Sender<u64>,
    /// Counts the simulated failures of all connections.
    pub(crate) breaks: tokio::sync::watch::Sender<u64>,
}

impl Server {
    pub(crate) fn new(options: Options) -> Self {
        Server {
            store: Store::new(options.history),
            pages: Pages::default(),
            catalog: Mutex::new(Arc::new(Catalog::builtin())),
            addresses: Addresses::default(),
            tokens: Tokens::default(),
            texts: Texts::default(),
            webhooks: Backends::default(),
            connections: Connections::default(),
            publishing: Mutex::default(),
            options,
            clock: Clock::start(),
            log: Log::default(),
            faults: Faults::default(),
            holds: Holds::default(),
            began: Instant::now(),
            drops: tokio::sync::watch::Sender::new(0),
            breaks: tokio::sync::watch::Sender::new(0),
        }
    }

    /// Returns the currently served kinds.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.lock())
    }

    /// Replaces the served kinds.
    pub(crate) fn serve(&self, catalog: Arc<Catalog>) {
        *self.catalog.lock() = catalog;
    }
}

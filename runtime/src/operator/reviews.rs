//! The registered functions that review writes or answer requests of users, and their server.

use super::webhook_server::WebhookServer;
use crate::admission::{Function, Slot};
#[cfg(feature = "routes")]
use crate::route::Route;

/// The functions that API servers and users call, and where the service of reviews finds the running operator.
#[derive(Default)]
pub(super) struct Reviews {
    pub(super) functions: Vec<Function>,
    pub(super) slot: Slot,
    /// The functions that answer requests of users.
    #[cfg(feature = "routes")]
    pub(super) routes: Vec<Route>,
    /// The server that API servers call, if there is one.
    pub(super) server: Option<WebhookServer>,
}

impl Reviews {
    /// Whether there is no function.
    pub(super) fn is_empty(&self) -> bool {
        #[cfg(feature = "routes")]
        let has_routes = !self.routes.is_empty();
        #[cfg(not(feature = "routes"))]
        let has_routes = false;
        self.functions.is_empty() && !has_routes
    }
}

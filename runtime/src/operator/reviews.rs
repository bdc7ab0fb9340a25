//! The registered functions that API servers and users call, and their server.

use super::webhook_server::WebhookServer;
use crate::admission::{Function, Slot, WebhookTarget};
use crate::conversion::{MeterSlot, RegisteredSpoke};
#[cfg(feature = "routes")]
use crate::route::Route;

/// The functions that API servers and users call, and where their services find the running operator.
#[derive(Default)]
pub(super) struct Reviews {
    /// The functions that review writes.
    pub(super) functions: Vec<Function>,
    pub(super) slot: Slot,
    /// The functions that answer requests of users.
    #[cfg(feature = "routes")]
    pub(super) routes: Vec<Route>,
    /// The versions that are served, but not stored.
    pub(super) spokes: Vec<RegisteredSpoke>,
    /// The metrics of conversions, if there are spokes.
    pub(super) conversions: Option<MeterSlot>,
    /// The server that API servers call, if there is one.
    pub(super) server: Option<WebhookServer>,
    /// Where API servers find it, if a flag of the command line gives it.
    pub(super) target: Option<WebhookTarget>,
}

impl Reviews {
    /// Whether there is no function.
    pub(super) fn is_empty(&self) -> bool {
        #[cfg(feature = "routes")]
        let has_routes = !self.routes.is_empty();
        #[cfg(not(feature = "routes"))]
        let has_routes = false;
        self.functions.is_empty() && self.spokes.is_empty() && !has_routes
    }
}

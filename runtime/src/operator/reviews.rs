//! The registered functions that review writes, and their server.

use super::webhook_server::WebhookServer;
use crate::admission::{Function, Slot};

/// The functions that review writes, and where their service finds the running operator.
#[derive(Default)]
pub(super) struct Reviews {
    pub(super) functions: Vec<Function>,
    pub(super) slot: Slot,
    /// The server that API servers call, if there is one.
    pub(super) server: Option<WebhookServer>,
}

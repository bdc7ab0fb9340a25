//! Requests of users about an object: `#[route]` functions on the webhook server.

mod access;
mod answers;
pub(crate) mod client;
mod objects;
mod requests;
mod server;
mod setup;

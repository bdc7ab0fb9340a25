//! Conversion between the served versions of a kind.

mod bad_input;
mod call;
mod crds;
mod failure;
pub(crate) mod kinds;
mod law;
mod metrics;
mod objects;
pub(crate) mod policy;
mod server;
mod startup;
mod stash;

//! An in-process Kubernetes API server for tests and examples.

#![forbid(unsafe_code)]

pub mod apply;
mod call;
mod catalog;
mod clock;
mod cluster;
pub mod crd;
mod definition;
pub mod discovery;
mod event;
mod eventually;
mod failure;
mod fault;
mod gc;
pub mod kstatus;
mod lens;
mod log;
mod meta;
mod names;
pub mod patch;
mod query;
pub mod registry;
mod respond;
mod route;
pub mod schema;
mod selector;
mod server;
mod shape;
mod store;
mod strategy;
mod strict;
mod transport;
mod verbs;
mod watch;

pub use cluster::{Builder, Cluster, Serving};
pub use eventually::eventually;
pub use fault::{Effect, Fault, Faults};
pub use log::{Entry, Log};
pub use registry::Verb;

#[cfg(test)]
mod tests;

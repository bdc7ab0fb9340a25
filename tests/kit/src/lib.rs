//! An in-process Kubernetes API server for tests and examples.
//!
//! [`Cluster::start`] gives a server with the rules of a real one: resource versions, watches that resume, expire and
//! send bookmarks, server-side apply with field owners, custom resources with their schemas, finalizers, garbage
//! collection, namespaces. Its rules were compared with conversations recorded on real servers.
//!
//! ```
//! use evenkeel_testkit::{Cluster, Effect, Fault, Verb};
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::Api;
//! use kube::api::{Patch, PatchParams};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> kube::Result<()> {
//! let cluster = Cluster::start().await;
//! let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
//!
//! // The next write of a ConfigMap finds the server busy.
//! cluster.faults().add(Fault::new(Effect::TooManyRequests(1)).verb(Verb::Patch).resource("configmaps"));
//!
//! let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
//! let params = PatchParams::apply("me");
//! assert!(maps.patch("a", &params, &Patch::Apply(&map)).await.is_err());
//! assert!(maps.patch("a", &params, &Patch::Apply(&map)).await.is_ok());
//!
//! let codes: Vec<u16> = cluster.log().writes().iter().map(|entry| entry.code).collect();
//! assert_eq!(codes, [429, 201]);
//! # Ok(())
//! # }
//! ```
//!
//! Everything runs inside the calling tokio runtime and by its clock: under `tokio::time::pause()` bookmarks, timeouts,
//! latencies and even creation timestamps are virtual. [`Cluster::serve`] offers the same server over HTTP, for
//! `kubectl` and for processes of their own.
//!
//! # Limits
//!
//! What is not done answers 501 or 405 with a text that says so, never a plausible 200:
//!
//! - no users and rights: everyone may do everything (use a [`Fault`] for a 403);
//! - no kubelet, no scheduler, no controllers of Deployments, Jobs or Services, no default ServiceAccounts: objects stay
//!   as they were written, and status is what a test writes;
//! - built-in kinds are checked by type, and beyond that in few places (names, labels, ConfigMap keys, Leases, Events,
//!   role references); of the defaults a cluster sets, few are set;
//! - of built-in kinds server-side apply shares the lists it has facts about (pods, services, conditions); others are
//!   atomic, see [`mod@apply`];
//! - protobuf, webhooks, rules in CEL (stored, not run), eviction, logs and exec.

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
mod generated;
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
mod table;
mod transport;
mod verbs;
mod watch;

pub use cluster::{Builder, Cluster, Serving};
pub use eventually::eventually;
pub use fault::{Effect, Fault, Faults};
pub use generated::assert_generated;
pub use log::{Entry, Log};
pub use registry::Verb;

#[cfg(test)]
mod tests;

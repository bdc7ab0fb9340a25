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
//! What a test needs around it, for operators of plain kube-rs as well as of evenkeel:
//!
//! - [`Cluster::seed`]: the objects at the start, in YAML or typed
//! - [`Row`]: table tests; given these objects, a pass or a step makes these writes and events, and no others
//! - [`Sweep`]: the scenario again and again, with a fault of each sort and a crash at each call and each await; it must always end the
//!   same
//! - [`Fault`]: the API server fails as one rule says; [`Requests`]: what was asked, and assertions on it
//! - [`Snapshot`]: what the cluster holds, with all that is volatile redacted, for golden files and insta
//! - [`Coverage`]: which declared conditions and reasons no test has reached
//! - [`eventually`], [`eventually_eq`], [`until`]: waits; [`mod@kstatus`]: whether observers read a status as it was meant
//!
//! The feature `evenkeel` adds what knows reconcilers and steps of evenkeel: `Row::pass`, `Row::step`,
//! `Coverage::declare_reconciler`. It is off by default, so that users of plain kube-rs do not build evenkeel.
//!
//! Everything runs inside the calling tokio runtime and by its clock: under `tokio::time::pause()` bookmarks, timeouts,
//! latencies and even creation timestamps are virtual. `tokio::time::sleep` in a test with `#[tokio::test(start_paused = true)]` moves the
//! clock as far as that, and all that waits meanwhile happens in order. That costs what happens: a week of a watch at
//! rest, which kube renews each 290 s, takes 20 ms (`cargo run --release -p evenkeel-testkit --example start`), and a week of an operator with two
//! watches and 1,200 passes three seconds in a debug build.
//! [`Cluster::serve`] offers the same server over HTTP, for `kubectl` and for processes of their own.
//!
//! # Limits
//!
//! What is not done answers 501 or 405 with a text that says so, never a plausible 200:
//!
//! - rights are checked only in a cluster built with [`Builder::rbac`];
//! - no kubelet, no scheduler, no controllers of Deployments, Jobs or Services, no default ServiceAccounts: objects stay
//!   as they were written, and status is what a test writes;
//! - built-in kinds are checked by type, and beyond that in few places (names, labels, ConfigMap keys, selectors of workloads,
//!   Leases, Events, role references, services, priority classes, what of pods, jobs and claims may change); the defaults of a cluster are set for pods, workloads, services and
//!   priority classes; services get addresses of 10.96.0.0/16 and ports of 30000-32767, and nothing listens there;
//! - rules of definitions (CEL) run as on a cluster, with its limits of cost; that a cluster forgets what a set had when a rule
//!   adds to it twice is not copied;
//! - the published schemas (OpenAPI v3, which `kubectl explain` reads) have all fields and types of built-in kinds, and none of their
//!   descriptions; OpenAPI v2 is not served;
//! - of protobuf only what `kubectl create` sends is read, and nothing is answered in it; an object that would keep more than
//!   127 levels of JSON is refused (501; a cluster stores 9,990, which no client of kube could read: its decoder ends at 127, too);
//! - the built-in kinds are those that operators write most (`kubectl api-resources` lists them); others, such as ReplicationControllers,
//!   PodTemplates and the configurations of webhooks, are as unknown as a misspelt one (404);
//! - the past is forgotten all at once: a list of an old version fails when a watch from there does, and not later;
//! - budgets of evictions are what the status of their PodDisruptionBudget says, which nobody counts here;
//! - logs are the texts that a test has put there ([`Cluster::set_log`]), told as a whole or from their end: not followed, nor since a time;
//! - tokens of service accounts ([`Builder::rbac`], [`Builder::bearer`]) are texts without meaning of their own, and TokenReviews are
//!   not answered;
//! - webhooks and exec.
//!
//! What shows each rule of the server, and which few nothing shows, stands in `tests/rules.txt` of this crate.
//!
#![doc = include_str!("../fakes.md")]
#![forbid(unsafe_code)]

mod admission;
mod api_error;
pub mod apply;
mod backup;
mod catalog;
mod cel;
mod clock;
mod cluster;
mod content_negotiation;
mod counters;
mod coverage;
pub mod crd;
mod crd_write;
mod depth_limit;
mod diff;
pub mod discovery;
mod effect;
mod event;
mod eventually;
mod fault;
mod fault_sweep;
mod gc;
mod golden_file;
pub mod kstatus;
mod log;
mod names;
mod non_resource;
pub mod patch;
mod proto;
mod query;
#[cfg(test)]
mod random_cases;
mod rbac;
pub mod registry;
mod request_context;
mod response;
mod route;
pub mod schema;
mod seed;
mod selector;
mod served_version;
mod server;
mod service_address;
mod snapshot;
mod state;
mod store;
mod strategic_merge;
mod strategy;
mod strict;
mod table;
mod table_test;
mod transport;
mod verbs;
mod watch;
mod yaml;

pub use backup::Backup;
pub use cluster::{Builder, Cluster, Serving};
pub use counters::Work;
pub use coverage::Coverage;
pub use effect::Effect;
pub use eventually::{eventually, eventually_eq, until};
pub use fault::{Fault, Faults};
pub use fault_sweep::{Crash, Outside, Refused, Report, Sweep, Trial, Trouble, Visit};
pub use golden_file::assert_generated;
pub use log::{Entry, Log, Requests};
pub use registry::Verb;
pub use seed::{Seed, SeedError};
pub use snapshot::Snapshot;
pub use table_test::{Row, Seen};

#[cfg(test)]
mod tests;

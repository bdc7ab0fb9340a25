//! An in-process Kubernetes API server for tests and examples.
//!
//! [`Cluster::start`] starts a server that follows the rules of a real API server: resource versions, watches that
//! resume, expire and send bookmarks, server-side apply with field owners, custom resources with their schemas,
//! finalizers, garbage collection and namespaces. The rules are checked against requests and responses that were
//! recorded on real API servers.
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
//! // The API server rejects the next patch of a ConfigMap with 429.
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
//! The crate also contains test utilities, for operators of plain kube-rs as well as of evenkeel:
//!
//! - [`Cluster::seed`]: initial objects, in YAML or typed
//! - [`Settler`]: makes workloads ready after a delay, as the controllers of a cluster do
//! - [`Row`]: table tests; for the given objects, a pass or a step makes exactly the listed writes and events
//! - [`Sweep`]: repeats a scenario with each type of fault and a crash at each call and each await; the final state
//!   must always be the same
//! - [`Fault`]: a rule by which requests fail
//! - [`Requests`]: recorded requests, with assertions on them
//! - [`Snapshot`]: the content of the cluster with all volatile values redacted, for golden files and insta
//! - [`Coverage`]: the declared conditions and reasons that no test has reached
//! - [`eventually`], [`eventually_eq`], [`until`]: wait for a condition
//! - [`mod@kstatus`]: checks that observers interpret a status as intended
//!
//! The feature `manifests` adds `rights`, which proves that the roles that `manifests` prints are enough for an operator, and no more.
//!
//! The feature `evenkeel` adds support for reconcilers and steps of evenkeel: `Row::pass`, `Row::step`,
//! `Coverage::declare_reconciler`, `rules`, which compares rules with their CEL, and `conversion`, which checks that conversions lose nothing.
//! It is off by default, so that users of plain kube-rs do not build evenkeel.
//!
//! Everything runs in the calling tokio runtime and uses its clock. Under `tokio::time::pause()`, bookmarks, timeouts,
//! latencies and even creation timestamps are virtual. In a test with `#[tokio::test(start_paused = true)]`,
//! `tokio::time::sleep` advances the clock by that duration, and everything that is due in the meantime happens in
//! order.
//!
//! The cost depends on the number of events, not on the duration:
//!
//! - A week of an idle watch, which kube renews every 290 s, takes 20 ms
//!   (`cargo run --release -p evenkeel-testkit --example start`).
//! - A week of an operator with two watches and 1,200 passes takes three seconds in a debug build.
//!
//! [`Cluster::serve`] serves the same API over HTTP, for `kubectl` and for separate processes.
//!
//! # Limits
//!
//! Unsupported requests are answered with 501 or 405 and an explanation, never with a plausible 200. The limits are:
//!
//! - RBAC rules are checked only in a cluster that is built with [`Builder::rbac`].
//! - Shard selectors are ignored except in a cluster that is built with [`Builder::sharding`].
//! - There is no kubelet, no scheduler, no default ServiceAccount, and no controller of Deployments, Jobs or Services.
//!   Objects stay as they were written. A test writes their status itself, or starts a [`Settler`], which writes it.
//! - Built-in kinds are checked against their types. Further validation is limited to names, labels, ConfigMap keys,
//!   selectors of workloads, Leases, Events, role references, services, priority classes, and the mutable fields of
//!   pods, jobs and claims.
//! - Defaults are set for pods, workloads, services and priority classes.
//! - Services get addresses in 10.96.0.0/16 and ports in 30000-32767, on which nothing listens.
//! - CEL validation rules run with the cost limits of a real cluster. One detail is not reproduced: a real cluster
//!   loses the earlier elements of a set if a rule adds to it twice.
//! - The published schemas (OpenAPI v3, which `kubectl explain` reads) contain all fields and types of built-in kinds,
//!   but no descriptions. OpenAPI v2 is not served.
//! - Protobuf is decoded only in the requests of `kubectl create`, and is never sent in responses.
//! - An object with more than 127 levels of JSON is rejected (501). A real cluster stores up to 9,990 levels, but a
//!   client of kube cannot read them, since its decoder has a limit of 127, too.
//! - The built-in kinds are those that operators write most often (`kubectl api-resources` lists them). Other kinds are
//!   unknown (404), including ReplicationControllers and PodTemplates.
//! - Admission webhooks ([`Cluster::webhook_service`]) review creates, updates and deletions of objects, and evictions.
//!   They do not review tokens, access reviews, and the updates by which the garbage collector removes owner references
//!   and finalizers. A changed configuration has an effect at once; a real cluster needs about a second.
//! - Validating admission policies are enforced with their bindings, parameters and variables. Expressions cannot read
//!   `authorizer` (501), the audit log is not kept, and no controller checks the types of expressions against schemas.
//! - Conversion webhooks are called for each object that is read or written in another version than the stored one, with
//!   one object per call. A real cluster calls them more often, since it converts each write for its caches. If a
//!   conversion fails, lists and watches fail at once; Kubernetes 1.36 sends nothing until it works again. Garbage
//!   collection and the deletion of namespaces work without conversions; on a real cluster they wait, too.
//! - The watches of a custom kind end at once if the spec of its CRD changes; a real cluster needs about a second.
//! - APIServices and RuntimeClasses are stored, and have no effect: an APIService gets no condition `Available` unless a
//!   test writes it.
//! - Old resource versions expire all at once: a list of an old version fails exactly when a watch from that version
//!   does.
//! - Eviction budgets are read from the status of their PodDisruptionBudget, which no controller updates.
//! - Logs are texts that a test has set ([`Cluster::set_log`]). They are returned as a whole or from the end; following
//!   them, or reading them since a given time, is not supported.
//! - ServiceAccount tokens ([`Builder::rbac`], [`Builder::bearer`]) are opaque strings. A TokenReview knows them and the
//!   tokens of [`Builder::bearer`].
//! - Exec is not supported.
//!
//! `tests/rules.txt` in this crate lists each rule of the server with the tests that prove it, and the few rules
//! without a test.
//!
#![doc = include_str!("../fakes.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod api_error;
pub mod apply;
mod backup;
mod catalog;
mod cel;
mod clock;
mod cluster;
mod content_negotiation;
mod conversion;
#[cfg(feature = "evenkeel")]
mod conversion_law;
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
mod hold;
mod is_ready;
pub mod kstatus;
mod lock;
mod log;
mod names;
mod non_resource;
pub mod patch;
mod proto;
mod query;
mod rbac;
pub mod registry;
mod request_context;
mod response;
#[cfg(feature = "manifests")]
mod rights;
mod route;
#[cfg(feature = "evenkeel")]
mod rule_law;
pub mod schema;
mod seed;
mod selector;
mod served_version;
mod server;
mod service_address;
mod settler;
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
mod webhook_address;
mod webhook_backend;
mod webhook_client;
mod webhook_connections;
mod yaml;

pub use backup::Backup;
pub use cluster::{Builder, Cluster, Serving};
#[cfg(feature = "evenkeel")]
pub use conversion_law::{conversion, conversion_with_rules};
pub use counters::Work;
pub use coverage::Coverage;
pub use effect::Effect;
pub use eventually::{eventually, eventually_eq, until};
pub use fault::{Fault, Faults};
pub use fault_sweep::{Crash, Disruption, ExternalState, Refused, Report, SdkCalls, Sweep, Trial, Visit};
pub use golden_file::assert_generated;
pub use is_ready::is_ready;
pub use log::{Entry, Log, Requests};
pub use registry::Verb;
#[cfg(feature = "manifests")]
pub use rights::{Rights, Scene, rights};
#[cfg(feature = "evenkeel")]
pub use rule_law::rules;
pub use seed::{Seed, SeedError};
pub use settler::{Settler, Settling};
pub use snapshot::Snapshot;
pub use table_test::{Row, Seen};
pub use transport::inprocess::ClusterService;

#[cfg(test)]
mod tests;

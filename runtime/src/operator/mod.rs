//! The operator: reconcilers with one name, one client and one shutdown.

mod app;
mod builder;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "doctor")]
mod cluster_command;
#[cfg(feature = "cli")]
mod command;
#[cfg(feature = "config")]
mod config_file;
#[cfg(feature = "config")]
mod config_keys;
#[cfg(feature = "config")]
mod config_load;
#[cfg(all(feature = "config", feature = "metrics"))]
mod config_metrics;
mod conflicts;
mod context;
mod contract;
#[cfg(feature = "cli")]
mod contract_check;
mod controller;
#[cfg(all(feature = "metrics", feature = "webhooks"))]
mod conversion_metrics;
mod crd_check;
mod crd_watch;
mod describe;
#[cfg(feature = "doctor")]
mod doctor;
#[cfg(feature = "dry-run")]
mod dry_run;
#[cfg(feature = "lease")]
mod election;
#[cfg(feature = "cli")]
mod env;
mod error;
#[cfg(feature = "doctor")]
mod explain;
mod feature_gates;
mod identity;
mod index_names;
mod instrument;
#[cfg(feature = "cli")]
mod json_line;
pub mod kube_controller;
#[cfg(all(feature = "doctor", feature = "lease"))]
mod leader;
mod lease_name;
#[cfg(feature = "lease")]
mod lease_role;
mod limits;
#[cfg(feature = "metrics")]
mod listen;
#[cfg(all(feature = "cli", feature = "metrics"))]
mod listen_args;
#[cfg(feature = "cli")]
mod log;
#[cfg(feature = "cli")]
mod log_line;
#[cfg(feature = "manifests")]
mod manifest_args;
#[cfg(feature = "manifests")]
mod manifest_command;
#[cfg(feature = "manifests")]
mod manifest_parts;
#[cfg(feature = "doctor")]
mod migrate;
#[cfg(feature = "manifests")]
mod monitoring;
#[cfg(feature = "doctor")]
mod object_pages;
mod policy_check;
#[cfg(feature = "cli")]
mod print;
mod reconciled_kind;
mod registration;
#[cfg(feature = "cli")]
mod renamed_flags;
#[cfg(all(feature = "cli", feature = "dependents"))]
mod render;
#[cfg(all(feature = "cli", feature = "lease"))]
mod replica_args;
#[cfg(feature = "lease")]
mod replicas;
#[cfg(all(feature = "lease", feature = "metrics"))]
mod replicas_metrics;
#[cfg(feature = "webhooks")]
mod reviews;
mod role;
#[cfg(feature = "routes")]
mod routes;
mod rule_check;
mod run;
#[cfg(feature = "webhooks")]
mod served_versions;
mod settings;
mod settings_change;
mod shard_caches;
#[cfg(all(feature = "lease", feature = "metrics"))]
mod shard_metrics;
mod shutdown;
mod signal;
#[cfg(feature = "webhooks")]
mod spoke_check;
mod startup;
mod status_check;
#[cfg(all(feature = "doctor", feature = "lease"))]
mod step_down;
mod terms;
mod trigger;
#[cfg(all(feature = "cli", feature = "webhooks"))]
mod webhook_args;
#[cfg(all(feature = "metrics", feature = "webhooks"))]
mod webhook_metrics;
#[cfg(feature = "webhooks")]
mod webhook_roles;
#[cfg(feature = "webhooks")]
mod webhook_server;
#[cfg(feature = "webhooks")]
mod webhook_start;
#[cfg(feature = "webhooks")]
mod webhooks;
mod wiring_check;

// A glob, so that the public path is `operator::Operator`.
pub use self::builder::*;
pub use self::error::{Error, Reason, Result};
pub use self::feature_gates::{FeatureGate, FeatureGates, Stage};
pub use self::lease_name::leader_id;
#[doc(inline)]
pub use self::reconciled_kind::ReconciledKind;
#[cfg(feature = "lease")]
#[doc(inline)]
pub use self::replicas::{Replicas, ShardMode};
#[cfg(feature = "webhooks")]
#[doc(inline)]
pub use self::webhook_server::WebhookServer;

//! A framework for Kubernetes operators, based on attribute macros and kube-rs.
//!
//! The author of an operator declares:
//!
//! - the conditions of a kind: [`ConditionSet`](derive@ConditionSet)
//! - the errors, and how each one is handled: [`ReconcileError`](derive@ReconcileError)
//! - the steps that reconcile an object: [`sub_reconciler`](macro@sub_reconciler)
//! - the pipeline that calls the steps: [`reconciler`](macro@reconciler)
//!
//! The macros generate the reconcile entry point, the short-circuit, the classification of errors, the conditions with their summary, and the
//! status write. The [`Operator`] runs the watches, the queue and the reconcilers. Declarations that contradict each other do not compile.
//!
//! Where to start:
//!
//! - [`prelude`]: the imports of an operator
//! - [`Cx`]: the context of a step, with everything that a step can do
//! - [`Pass`]: the context of a pass, which a pipeline hands to its steps
//! - [`guide`]: the stages of a pass, its outcomes and costs, and the differences from other frameworks
//!
//! Without the feature `operator`, which the default feature `cli` enables, the crate contains only types. This is enough to type-check an operator, and it builds much faster.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "operator"), allow(dead_code, reason = "types only: what the engine uses waits for it"))]

#[cfg(feature = "admission")]
pub mod admission;
mod api;
mod backoff;
#[cfg(any(feature = "metrics", feature = "routes"))]
mod caller;
#[cfg(feature = "operator")]
mod client;
mod clock;
pub mod condition;
#[cfg(feature = "operator")]
mod config;
mod const_str;
#[cfg(feature = "conversion")]
pub mod conversion;
pub mod dependency;
#[cfg(feature = "dependents")]
#[doc(hidden)]
pub mod dependent_rules;
#[cfg(feature = "dependents")]
pub mod dependents;
#[cfg(feature = "dry-run")]
mod dry_run;
#[cfg(feature = "admission")]
mod field_macro;
#[cfg(feature = "flux")]
pub mod flux;
pub mod guide;
mod interval;
pub mod introspection;
mod json_scan;
mod kind;
#[cfg(feature = "operator")]
mod leadership;
#[cfg(feature = "lease")]
mod lease;
#[cfg(any(feature = "metrics", feature = "webhooks"))]
mod listen;
mod lock;
#[cfg(test)]
mod logged;
#[cfg(feature = "manifests")]
pub mod manifests;
#[cfg(feature = "manifests")]
pub mod monitoring;
mod object_status;
#[cfg(feature = "operator")]
pub mod operator;
mod outcome;
#[cfg(feature = "operator")]
mod pass;
mod pipeline;
pub mod prelude;
#[cfg(feature = "operator")]
mod queue;
#[cfg(feature = "operator")]
mod random;
#[cfg(all(feature = "cli", feature = "dependents"))]
mod render;
#[cfg(feature = "operator")]
mod resource_version;
#[cfg(feature = "route")]
mod route;
mod rule;
#[cfg(feature = "operator")]
mod schema;
#[cfg(any(feature = "dependents", feature = "operator"))]
mod sha256;
#[cfg(any(feature = "config", feature = "manifests", all(feature = "cli", feature = "dependents")))]
mod sorted_json;
mod stable_hash;
mod status;
#[cfg(feature = "operator")]
mod task;
#[cfg(any(feature = "metrics", feature = "otlp"))]
mod telemetry;
#[cfg(feature = "operator")]
pub mod testing;
#[cfg(feature = "operator")]
mod trigger;
#[cfg(feature = "operator")]
mod uid_shard;
#[cfg(feature = "operator")]
mod watch;
#[cfg(feature = "webhooks")]
mod webhook;
pub mod wiring;

// The bounds that macros check; public so that compiler messages can name them. Not part of the API.
#[doc(hidden)]
pub mod bounds {
    pub use crate::kind::TriggeredBy;
    #[cfg(feature = "admission")]
    pub use crate::pipeline::admission::{DependencyList, ReviewOutput, is_kind, returned};
    #[cfg(feature = "route")]
    pub use crate::pipeline::route::{RouteOutput, answered};
    pub use crate::pipeline::step::{HasCleanup, Undo};
    pub use crate::pipeline::{
        IsSet, StepFn, StepOf, StepOutput, claim_handler, daemon_handler, has_cleanup, hook_handler, is_primary,
        is_set, may_own, observe_handler, place, step_of, triggered_by, wiring_of,
    };
    pub use crate::status::{StatusField, field_schema};
}

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use api::{ApiError, ErrorDetail};
#[cfg(feature = "conversion")]
#[doc(inline)]
pub use evenkeel_macros::convert;
#[cfg(feature = "route")]
#[doc(inline)]
pub use evenkeel_macros::route;
#[cfg(feature = "dependents")]
#[doc(inline)]
pub use evenkeel_macros::templates;
#[doc(inline)]
pub use evenkeel_macros::{
    ConditionSet, ReconcileError, check, claim, cleanup, daemon, hook, observe, postcondition, precondition,
    reconciler, rule, status, sub_reconciler, watcher,
};
#[cfg(feature = "admission")]
#[doc(inline)]
pub use evenkeel_macros::{mutate, validate};
pub use outcome::reporting::{Actions, EventLevel, LogLevel, Until, VariantInfo, WatchedKind};

pub use condition::{Condition, ConditionSet};
#[cfg(feature = "config")]
pub use config::Live;
pub use interval::{Interval, IntoInterval, Jitter, ParseIntervalError};
pub use introspection::crd;
#[cfg(feature = "webhooks")]
pub use operator::WebhookServer;
#[cfg(feature = "operator")]
pub use operator::{Error, FeatureGate, FeatureGates, Operator, ReconciledKind, Result};
#[cfg(feature = "lease")]
pub use operator::{Replicas, ShardMode};
pub use outcome::retry::Retry;
pub use outcome::{Class, Outcome, PassError, PassResult, ReconcileError, Requeue};
#[cfg(feature = "admission")]
pub use pipeline::admission::{AdmissionFunction, Denial, Review};
pub use pipeline::bare::{Bare, Metadata};
pub use pipeline::context::{Cx, Pass, StatusOf};
pub use pipeline::daemon::{Daemon, DaemonOf};
pub use pipeline::dynamic::Dynamic;
#[doc(inline)]
pub use pipeline::hook;
pub use pipeline::object::{Primary, is_deleted};
pub use pipeline::reconciler::Reconciler;
pub use pipeline::restricted_field::{Restricted, WrittenBy, with_cx_write};
pub use pipeline::step::{Absent, Claim, Hooked, Observe, Provides, SubReconciler};
pub use pipeline::watcher::Watcher;
pub use pipeline::watcher::event::Event;
pub use pipeline::watcher::handled::{Handled, handled};
#[cfg(feature = "metrics")]
pub use prometheus_client;
pub use status::bare::BareStatus;
pub use status::observed::ObservedBy;
pub use status::operation::RemoteOperation;
pub use status::request;
pub use status::{ObservedInputs, StatusContract};
#[cfg(feature = "otlp")]
pub use telemetry::otlp;
#[cfg(all(feature = "operator", feature = "__test-hooks"))]
#[doc(hidden)]
pub use testing::fault as __test_hooks;
pub use wiring::index::Index;
#[doc(inline)]
pub use wiring::{index, policy, suspend, triggers};

// Public for the signatures of hidden items; not part of the API.
#[doc(hidden)]
pub mod backend {
    pub use crate::api::*;
}

/// Permissions that a step declares, as trait bounds.
///
/// Use them in steps that are generic over a kind or a condition.
pub mod permission {
    pub use crate::pipeline::permission::{
        CachedBy, ClearedBy, IndexedBy, ListedBy, MappedBy, OwnCalls, OwnedAnywhereBy, OwnedBy, ReadBy, SentBy, SetBy,
        WatchedBy,
    };
    // Compiler messages name the lists of a step's attribute by these types.
    #[doc(hidden)]
    pub use crate::pipeline::permission::dependents;
    pub use crate::pipeline::permission::{
        anywhere, cached, clears, indexes, labels, mapped, owns, reads, sets, uses, watches,
    };
}

/// Requests of users about an object: what a `#[route]` function gets and returns.
///
/// The [guide](crate::guide::routes) has an example.
#[cfg(feature = "route")]
pub mod routes {
    #[cfg(feature = "routes")]
    #[doc(hidden)]
    pub use crate::route::RouteSet;
    pub use crate::route::{Call, Method, Reply, RouteFunction, RouteWiring};
}

/// The request that a rule of a policy reads, and what an operator and its tests do with rules.
///
/// The [guide](crate::guide::rules) has examples.
pub mod rules {
    #[cfg(feature = "operator")]
    pub use crate::rule::AdmissionPolicy;
    #[cfg(feature = "operator")]
    #[doc(hidden)]
    pub use crate::rule::RuleError;
    #[doc(hidden)]
    pub use crate::rule::{Declared, Form, Registered, expression};
    pub use crate::rule::{Operation, Request, Rule, Rules, User};
}

/// The futures that the methods of [`Cx`] return.
pub mod future {
    pub use crate::pipeline::context::{Apply, Delete, Get, List, Require, RequireReady};
}

/// The assignment of objects to one of several operators in a cluster, and of owned objects to their owners in other namespaces.
pub mod ownership {
    pub use crate::wiring::annotations::{DEPENDENT_OF, OPERATOR_NAMESPACE, OWNER};
}

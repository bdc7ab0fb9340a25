//! A DSL of attribute macros for Kubernetes operators.
//!
//! The author declares what a kind's conditions are ([`ConditionSet`](derive@ConditionSet)), what can go wrong and what is done about it
//! ([`ReconcileError`](derive@ReconcileError)), the [steps](macro@sub_reconciler) that bring an object about, and the
//! [pipeline](macro@reconciler) of steps. The macros write the reconcile entry point, the short-circuit, the classification of errors,
//! the conditions with their summary and the status write; the [`Operator`] watches, queues and runs. What does not fit together does
//! not compile.
//!
//! - [`prelude`]: what a file of an operator imports
//! - [`Cx`]: what a step can do; [`Pass`]: what a pipeline hands on
//! - [`guide`]: how a pass ends, what happens in it, what it costs, and where this differs from its sources
//!
//! Without the feature `operator` (in `default`) the crate is types only: enough to check an operator, a fraction to build.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "operator"), allow(dead_code, reason = "types only: what the engine uses waits for it"))]

mod api;
#[cfg(feature = "operator")]
mod client;
mod clock;
pub mod condition;
mod const_str;
pub mod dependency;
#[cfg(feature = "flux")]
pub mod flux;
pub mod guide;
mod interval;
pub mod introspection;
mod kind;
#[cfg(feature = "operator")]
mod leadership;
#[cfg(test)]
mod logged;
#[cfg(feature = "operator")]
pub mod operator;
mod outcome;
#[cfg(feature = "operator")]
mod pass;
pub mod pipeline;
pub mod prelude;
#[cfg(feature = "operator")]
mod queue;
#[cfg(feature = "operator")]
mod resource_version;
#[cfg(feature = "operator")]
mod schema;
mod status;
#[cfg(any(feature = "metrics", feature = "otlp"))]
mod telemetry;
#[cfg(feature = "operator")]
pub mod testing;
#[cfg(feature = "operator")]
mod trigger;
#[cfg(feature = "operator")]
mod watch;
pub mod wiring;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use api::ApiError;
#[doc(inline)]
pub use evenkeel_macros::{
    ConditionSet, ReconcileError, check, claim, cleanup, hook, observe, reconciler, status, sub_reconciler,
};
pub use outcome::reporting::{Actions, EventLevel, LogLevel, Until, VariantInfo, WatchedKind};

pub use condition::{Condition, ConditionSet};
pub use interval::{Interval, IntoInterval, Jitter, ParseIntervalError};
pub use introspection::crd;
#[cfg(feature = "operator")]
pub use operator::{Error, Operator, Result};
pub use outcome::retry::Retry;
pub use outcome::{Class, Outcome, PassError, PassResult, ReconcileError, Requeue};
pub use pipeline::context::{Cx, Pass, StatusOf};
#[doc(inline)]
pub use pipeline::hook;
pub use pipeline::object::{Primary, is_deleted};
pub use pipeline::reconciler::Reconciler;
pub use pipeline::restricted_field::{Restricted, WrittenBy, with_cx_write};
pub use pipeline::state::DesiredStatus;
pub use pipeline::step::{Absent, Claim, Hooked, Observe, Provides, SubReconciler};
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

/// The port between a pass and the API server: every call of a step goes through it, so it can be counted, traced and failed.
pub mod backend {
    pub use crate::api::*;
}

/// What a step declares, as bounds for steps that are generic over a kind or a condition.
pub mod permission {
    pub use crate::pipeline::permission::{ClearedBy, IndexedBy, KeptBy, ListedBy, OwnedBy, ReadBy, SetBy, WatchedBy};
}

/// The futures that the methods of [`Cx`] return.
pub mod future {
    pub use crate::pipeline::context::{Apply, Delete, Get, List, Require, RequireReady};
}

/// Ownership: which of several operators of one cluster an object belongs to.
pub mod ownership {
    pub use crate::wiring::annotations::OPERATOR_NAMESPACE;
}

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

mod action;
#[cfg(feature = "operator")]
mod adoption;
pub mod backend;
#[cfg(feature = "operator")]
mod cause;
mod check;
pub mod classic;
#[cfg(feature = "operator")]
mod client;
pub mod condition;
mod cx;
#[cfg(feature = "operator")]
mod decode;
mod deletion;
pub mod depend;
mod draft;
#[cfg(feature = "operator")]
mod gate;
pub mod guide;
pub mod hook;
pub mod index;
mod interval;
pub mod knowledge;
#[cfg(test)]
mod logged;
#[cfg(feature = "operator")]
mod meter;
#[cfg(feature = "metrics")]
mod metrics;
mod moment;
mod observed;
mod operation;
#[cfg(feature = "operator")]
pub mod operator;
#[cfg(feature = "otlp")]
pub mod otlp;
mod outcome;
pub mod ownership;
#[cfg(feature = "operator")]
mod pass;
#[cfg(feature = "operator")]
mod pause;
pub mod pipeline;
mod poison;
pub mod policy;
pub mod prelude;
#[cfg(feature = "operator")]
mod queue;
#[cfg(feature = "operator")]
mod quote;
#[cfg(feature = "operator")]
mod rbac;
mod reconciler;
mod relation;
pub mod request;
mod restricted;
mod retry;
mod right;
#[cfg(all(feature = "operator", feature = "sabotage"))]
#[doc(hidden)]
pub mod sabotage;
#[cfg(feature = "operator")]
mod schema;
mod sentence;
mod shape;
mod status;
mod step;
pub mod suspend;
#[cfg(feature = "operator")]
pub mod trial;
pub mod triggers;
#[cfg(feature = "operator")]
mod version;
#[cfg(feature = "operator")]
mod watch;
pub mod wiring;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use action::{Actions, EventLevel, LogLevel, Until, VariantInfo, WatchedKind};
pub use backend::ApiError;
#[doc(inline)]
pub use evenkeel_macros::{
    ConditionSet, ReconcileError, check, claim, cleanup, hook, observe, reconciler, status, sub_reconciler,
};

pub use condition::{Condition, ConditionSet};
pub use cx::{Apply, Cx, Delete, Get, List, Pass, Require, RequireReady, StatusOf};
pub use deletion::is_deleted;
pub use draft::StatusIntent;
pub use index::Index;
pub use interval::{Interval, IntoInterval, Jitter};
pub use knowledge::crd;
pub use observed::ObservedBy;
pub use operation::Operation;
#[cfg(feature = "operator")]
pub use operator::{Error, Operator, Result};
pub use outcome::{Class, Flow, Halt, Outcome, ReconcileError};
pub use reconciler::{Primary, Reconciler};
pub use restricted::{OnlyWrittenBy, WrittenBy, with_cx_write};
pub use retry::Retry;
pub use right::{ClearedBy, IndexedBy, KeptBy, ListedBy, OwnedBy, ReadBy, SetBy, WatchedBy};
pub use status::{ObservedInputs, StatusContract};
pub use step::{Absent, Claim, Hooked, Observe, Provides, SubReconciler};

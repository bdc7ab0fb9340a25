//! A DSL of attribute macros for Kubernetes operators.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "operator"), allow(dead_code, reason = "types only: what the engine uses waits for it"))]

pub mod backend;
#[cfg(feature = "operator")]
mod client;
pub mod condition;
mod cx;
mod draft;
#[cfg(feature = "operator")]
mod gate;
pub mod guide;
mod interval;
#[cfg(feature = "operator")]
pub mod operator;
mod outcome;
#[cfg(feature = "operator")]
mod pass;
pub mod pipeline;
mod poison;
pub mod prelude;
#[cfg(feature = "operator")]
mod queue;
mod reconciler;
mod status;
mod step;
#[cfg(feature = "operator")]
mod watch;
pub mod wiring;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use backend::ApiError;
#[doc(inline)]
pub use evenkeel_macros::{ConditionSet, ReconcileError, cleanup, reconciler, status, sub_reconciler};

pub use condition::{Condition, ConditionSet};
pub use cx::{Apply, Cx, Delete, Get, Pass, Require};
pub use draft::StatusIntent;
pub use interval::{Interval, IntoInterval};
#[cfg(feature = "operator")]
pub use operator::{Error, Operator, Result};
pub use outcome::{Class, Flow, Halt, Outcome, ReconcileError};
pub use reconciler::{Primary, Reconciler};
pub use status::{ObservedInputs, StatusContract};
pub use step::{Absent, ClearedBy, OwnedBy, Provides, ReadBy, SetBy, SubReconciler, WatchedBy};

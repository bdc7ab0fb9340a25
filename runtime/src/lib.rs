//! A DSL of attribute macros for Kubernetes operators.

pub mod backend;
pub mod condition;
mod cx;
mod draft;
mod interval;
mod outcome;
mod reconciler;
mod status;
mod step;
pub mod wiring;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use backend::ApiError;
pub use cx::{Apply, Cx, Delete, Get, Pass, Require};
pub use draft::StatusIntent;
pub use interval::{Interval, IntoInterval};
pub use outcome::{Class, Flow, Halt, Outcome, ReconcileError};
pub use reconciler::{Primary, Reconciler};
pub use status::{ObservedInputs, StatusContract};
pub use step::{Absent, Clears, Owns, Provides, Reads, Sets, SubReconciler, Watches};

//! The classic form of the result model, for ports from Go: results, typed errors, and what is made of them at the end of a run.
//!
//! A controller that was written around Flux's `reconcile`, `error`, `summarize` and `patch` packages finds their parts here, with the
//! same rules and the same order of steps. Conditions are those of [`condition`](crate::condition), ranked as Flux does
//! ([`Ranking::Flux`](crate::condition::Ranking)). A ported step can also run in a modern pipeline: [`Error`] is a
//! [`ReconcileError`](trait@crate::ReconcileError).

mod action;
mod builder;
mod convert;
mod entry;
mod error;
mod object;
mod result;

pub use action::{ErrorActions, Event, EventType, ResultProcessor, Told};
pub use builder::{AlwaysRequeue, ResultBuilder};
pub use entry::{Entry, Read, State, add_finalizer, end_cleanup};
pub use error::{Config, Error, FAILED, Kind};
pub use object::{Keeps, Kept, Object, REQUESTED_AT, record_reconcile_request};
pub use result::{ReconcileResult, Reconciled, RuntimeResult};

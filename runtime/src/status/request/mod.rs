//! Requests for a reconcile by annotation, and the handled token in the status.
//!
//! The value of the annotation is an opaque token. A new or changed value is a request; a removal is not. The handled token is an exact
//! copy of the token of the last pass that ended. A request is handled if the two are equal, also after a restart.
//!
//! A request may ask for one-shot actions as well: `#[sub_reconciler(.., actions(force))]` declares one, the annotation
//! `evenkeel.dev/forceAt` requests it with the token of the request, and `cx.requested("force")` returns true in that one pass.

mod action;
mod handled;

pub use self::action::{Action, annotation, fires};
pub use self::handled::Receipts;
pub use crate::wiring::annotations::REQUESTED_AT;

/// Whether a change of the annotation is a request: it is set, and differs from the previous value.
#[must_use]
pub fn is_requested(before: Option<&str>, now: Option<&str>) -> bool {
    now.is_some() && now != before
}

//! Requests: "reconcile now", asked for by an annotation, and the receipt that the status keeps.
//!
//! The value of the annotation is an opaque token: a new or changed one is a request, its removal is none. The receipt is the token of
//! the last pass that ended, word for word; so a request is handled if the two are equal, before and after a restart.
//!
//! A request may ask for one-shot actions as well: `#[sub_reconciler(.., actions(force))]` declares one, the annotation
//! `evenkeel.dev/forceAt` asks for it with the token of the request, and `cx.requested("force")` tells the step in that one pass.

mod action;
mod handled;

pub use self::action::{Action, annotation, fires};
pub use self::handled::Receipts;
pub use crate::wiring::annotations::REQUESTED_AT;

/// Whether a change of the annotation is a request: it is there, and was not or was another one.
#[must_use]
pub fn is_requested(before: Option<&str>, now: Option<&str>) -> bool {
    now.is_some() && now != before
}

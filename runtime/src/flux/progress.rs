//! The start of a run: marks progress, and decides whether to patch it immediately.

use super::Object;
use crate::condition::{Drift, mark_progress};
use crate::status::request::is_requested;

/// The reason while a run is in progress.
pub const PROGRESSING: &str = "Progressing";
/// The reason after a run that is going to be retried.
pub const PROGRESSING_WITH_RETRY: &str = "ProgressingWithRetry";

/// Whether to patch before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announce {
    /// No: the patch at the end of the run is enough.
    Later,
    /// Yes: there is a new generation or a request, and the status should show that the run has started.
    AtOnce,
}

/// Marks progress on the object. Returns whether to patch before the first step.
///
/// Removing the annotation is not a request (in Flux each later run would send another write).
pub fn begin<K: Object>(object: &mut K) -> Announce {
    let stamp = object.stamp();
    let (old, new) = (object.observed_generation(), object.generation());
    let is_requested = is_requested(object.last_handled_reconcile_at(), object.requested_at());
    let message = match old == new {
        true => "reconciliation in progress".to_owned(),
        false => format!("processing object: new generation {old} -> {new}"),
    };
    mark_progress(&mut object.flux_status_mut().conditions, Drift::Unseen, PROGRESSING, &message, &stamp);
    if old != new || is_requested { Announce::AtOnce } else { Announce::Later }
}

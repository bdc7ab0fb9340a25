//! The beginning of a run: it says that it is at work, and whether observers are to hear of it at once.

use super::Object;
use crate::condition::{Drift, mark_progress};
use crate::status::request::is_requested;

/// The reason while a run is at work.
pub const PROGRESSING: &str = "Progressing";
/// The reason once a run has ended and is to be tried again.
pub const PROGRESSING_WITH_RETRY: &str = "ProgressingWithRetry";

/// Whether the beginning is worth a write of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announce {
    /// A run like any other: the patch at its end is enough.
    Later,
    /// There is a new generation or a request: patch before the first step, so that people see it was taken up.
    AtOnce,
}

/// Marks progress on the object, and says whether to patch before the first step.
///
/// The annotation being taken off is no request (in Flux each later run would write once more).
pub fn begin<K: Object>(object: &mut K) -> Announce {
    let stamp = object.stamp();
    let (old, new) = (object.observed_generation(), object.generation());
    let is_requested = is_requested(object.last_handled_reconcile_at(), object.requested_at());
    let message = match old == new {
        true => "reconciliation in progress".to_owned(),
        false => format!("processing object: new generation {old} -> {new}"),
    };
    mark_progress(&mut object.kept_mut().conditions, Drift::Unseen, PROGRESSING, &message, &stamp);
    if old != new || is_requested { Announce::AtOnce } else { Announce::Later }
}

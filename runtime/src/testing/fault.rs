//! For our own tests: operators with a hole in the list of triggers, to show that each cause is needed, and the queue and what is kept of
//! objects by themselves, to count what they cost. The feature `__test_hooks` is no part of the API.

pub use crate::queue::{Bare, Taken, requeued};
use crate::trigger::EnabledTriggers;
use crate::watch::hold;
use crate::wiring::Cache;

/// The words of all triggers, in the order of the list.
pub fn triggers() -> impl Iterator<Item = &'static str> {
    EnabledTriggers::words()
}

/// What is kept of objects that a watch delivers in these words.
///
/// # Panics
/// When one of them is no object.
pub fn kept(cache: Cache, texts: &[String]) -> impl Send + use<> {
    hold(cache, texts)
}

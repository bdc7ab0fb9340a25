//! For our own tests: operators with a hole in the list of causes, to show that each cause is needed, and the queue and what is kept of
//! objects by themselves, to count what they cost. The feature `sabotage` is no part of the API.

pub use crate::queue::{Bare, Taken, requeued};
use crate::trigger::List;
use crate::watch::hold;
use crate::wiring::Cache;

/// The words of all causes, in the order of the list.
pub fn causes() -> impl Iterator<Item = &'static str> {
    List::words()
}

/// What is kept of objects that a watch delivers in these words.
///
/// # Panics
/// When one of them is no object.
pub fn kept(cache: Cache, texts: &[String]) -> impl Send + use<> {
    hold(cache, texts)
}

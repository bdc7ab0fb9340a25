//! Hooks for evenkeel's own tests and benchmarks, behind the feature `__test-hooks`, which is not part of the API.
//!
//! Tests run operators with a trigger disabled, to show that each trigger is necessary. Benchmarks measure the cost of
//! the queue and of cached objects in isolation.

pub use crate::pass::block_here;
pub use crate::queue::{Bare, Taken, requeued};
use crate::trigger::EnabledTriggers;
use crate::watch::hold;
pub use crate::watch::shard_hook::{ShardedCache, offers_sharding, selector, shard_of};
use crate::wiring::Cache;

/// The names of all triggers, in the order of the list.
pub fn triggers() -> impl Iterator<Item = &'static str> {
    EnabledTriggers::words()
}

/// Caches these objects as a watch would, and returns the cached form.
///
/// # Panics
/// Panics if one of the texts is not an object.
pub fn kept(cache: Cache, texts: &[String]) -> impl Send + use<> {
    hold(cache, texts)
}

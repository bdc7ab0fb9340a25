//! A list in progress, and the cache changes to enqueue.

use std::collections::{HashMap, HashSet};

use super::rollback::Newest;
use crate::queue::Key;
use crate::trigger::TriggerSet;

/// The effect of an event on the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CacheChange {
    pub(super) key: Key,
    pub(super) triggers: TriggerSet,
}

/// A list in progress.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) seen: HashSet<Key>,
    pub(super) changes: Vec<CacheChange>,
    /// The versions of the writes that had returned when the list began.
    pub(super) wrote: HashMap<Key, String>,
    pub(super) newest: Newest,
}

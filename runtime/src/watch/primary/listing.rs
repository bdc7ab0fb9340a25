//! A list on its way, and what its objects mean for the queue.

use std::collections::{HashMap, HashSet};

use super::rollback::Newest;
use crate::queue::Key;
use crate::trigger::TriggerSet;

/// What an event means.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CacheChange {
    pub(super) key: Key,
    pub(super) triggers: TriggerSet,
}

/// A list on its way.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) seen: HashSet<Key>,
    pub(super) changes: Vec<CacheChange>,
    /// The versions of our writes that had returned when it began.
    pub(super) wrote: HashMap<Key, String>,
    pub(super) newest: Newest,
}

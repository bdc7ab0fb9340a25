//! The part of a cache that one watch fills.

use std::sync::Arc;

use crate::queue::Key;
use crate::uid_shard::UidShard;
use crate::watch::watch_target::WatchTarget;

/// The part of the cache that one watch fills.
#[derive(Clone, Debug, Default)]
pub(super) struct Area {
    pub(super) namespace: Option<Arc<str>>,
    pub(super) shard: Option<UidShard>,
}

impl Area {
    pub(super) fn of(place: &WatchTarget) -> Self {
        Self { namespace: place.namespace.clone(), shard: place.shard }
    }

    /// Whether the name is in the namespace of the area.
    pub(super) fn has_name(&self, key: &Key) -> bool {
        self.namespace.is_none() || key.namespace.as_deref() == self.namespace.as_deref()
    }

    /// Whether the object with this name and UID is in the area.
    pub(super) fn contains(&self, key: &Key, uid: &str) -> bool {
        self.has_name(key) && self.shard.is_none_or(|shard| shard.contains(uid))
    }
}

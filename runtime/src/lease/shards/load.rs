//! The objects of a shard in the caches of this replica.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::uid_shard::UidShard;

/// Loads the objects of a shard. The result comes when all are listed.
pub(crate) type LoadShard = Arc<dyn Fn(UidShard) -> BoxFuture<'static, Box<dyn LoadedShard>> + Send + Sync>;

/// A loaded shard. Dropping it removes its objects from the caches, without an event.
pub(crate) trait LoadedShard: Send {
    /// Waits until a watch of the shard ends, which is a bug. Returns its name and the reason.
    fn ended(&mut self) -> BoxFuture<'_, (String, String)>;
}

/// What the caches hold of a shard.
pub(super) enum Content {
    /// They hold all objects of all shards.
    All,
    Nothing,
    Loading,
    Loaded(Box<dyn LoadedShard>),
}

impl Content {
    pub(super) fn is_complete(&self) -> bool {
        matches!(self, Self::All | Self::Loaded(_))
    }

    /// Waits until a watch ends.
    pub(super) async fn ended(&mut self) -> (String, String) {
        match self {
            Self::Loaded(loaded) => loaded.ended().await,
            _ => std::future::pending().await,
        }
    }
}

//! The caches of an operator whose API server selects shards: they hold the objects of a shard while this replica has it.

use std::sync::Arc;

#[cfg(feature = "lease")]
use futures::FutureExt;
#[cfg(feature = "lease")]
use futures::future::{BoxFuture, join_all, select_all};

use crate::leadership::{Leadership, ShardGates};
#[cfg(feature = "lease")]
use crate::lease::{LoadShard, LoadedShard};
use crate::lock::Mutex;
use crate::uid_shard::UidShard;
use crate::watch::JoinedShard;

/// Starts the watches of a shard for one reconciler.
type Join = Box<dyn Fn(UidShard) -> JoinedShard + Send>;

/// The caches of all reconcilers. Clones share them.
#[derive(Clone, Default)]
pub(super) struct ShardCaches(Option<Arc<Mutex<Vec<Join>>>>);

/// The part of this replica: which objects it reconciles, and which ones it caches.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) gates: ShardGates,
    pub(super) caches: ShardCaches,
}

impl Part {
    /// All objects, always.
    pub(super) fn all() -> Self {
        Self { gates: ShardGates::one(Leadership::open()), caches: ShardCaches::default() }
    }
}

impl ShardCaches {
    /// Caches that hold single shards.
    #[cfg(feature = "lease")]
    pub(super) fn of_shards() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether the caches hold single shards, instead of all objects.
    pub(super) fn are_divided(&self) -> bool {
        self.0.is_some()
    }

    /// Adds the cache of a reconciler.
    pub(super) fn add(&self, join: impl Fn(UidShard) -> JoinedShard + Send + 'static) {
        if let Some(all) = &self.0 {
            all.lock().push(Box::new(join));
        }
    }

    /// Loads a shard into all caches; `None`: they hold all objects.
    #[cfg(feature = "lease")]
    pub(super) fn loader(&self) -> Option<LoadShard> {
        let all = self.0.clone()?;
        Some(Arc::new(move |shard| {
            let joins = all.lock();
            let joined: Vec<JoinedShard> = joins.iter().map(|join| join(shard)).collect();
            drop(joins);
            async move {
                join_all(joined.iter().map(JoinedShard::listed)).await;
                Box::new(Loaded(joined)) as Box<dyn LoadedShard>
            }
            .boxed()
        }))
    }
}

/// A shard in the caches of all reconcilers.
#[cfg(feature = "lease")]
struct Loaded(Vec<JoinedShard>);

#[cfg(feature = "lease")]
impl LoadedShard for Loaded {
    fn ended(&mut self) -> BoxFuture<'_, (String, String)> {
        if self.0.is_empty() {
            return std::future::pending().boxed();
        }
        select_all(self.0.iter_mut().map(|joined| joined.ended().boxed())).map(|(ended, ..)| ended).boxed()
    }
}

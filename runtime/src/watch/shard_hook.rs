//! Test hooks: a cache of ConfigMaps that joins and leaves shards, without an operator.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, Error};

use super::dependency_map::Dependents;
use super::health::Health;
use super::primary::{JoinedShard, Primary, PrimaryPredicate};
use super::scope::Scope;
use super::shared::SharedWatches;
use super::streaming_list::Streaming;
use super::watch_target::WatchTarget;
use crate::client::decode::Decoder;
use crate::leadership::{Leadership, ShardGates};
use crate::pipeline::bare::Bare;
use crate::queue::Queue;
use crate::trigger::EnabledTriggers;
use crate::uid_shard::UidShard;
use crate::wiring::KindInfo;
use crate::wiring::triggers::Triggers;

/// The ConfigMaps of a namespace in the shards of one replica.
pub struct ShardedCache {
    watches: SharedWatches,
    health: Health,
    primary: Primary,
    filter: Arc<PrimaryPredicate>,
    queue: Queue,
    place: WatchTarget,
    of: NonZeroU16,
    joined: BTreeMap<u16, JoinedShard>,
}

impl ShardedCache {
    /// An empty cache. `streams`: its lists are streams.
    pub fn new(client: Client, namespace: &str, of: NonZeroU16, streams: bool) -> Self {
        let health = Health::default();
        let filter = PrimaryPredicate {
            enabled_triggers: EnabledTriggers::default(),
            finalizers: Vec::new(),
            watcher: None,
            request_annotation: "",
            policy: None,
            triggers: Triggers::ALL,
            claimed: Box::new(|_| Vec::new()),
            is_suspended: Box::new(|_| false),
            is_selected: None,
            dependents: Dependents::default(),
            shard_gates: ShardGates::one(Leadership::open()),
        };
        Self {
            watches: SharedWatches::new(client, health.clone(), Streaming::wanted(streams)),
            health,
            primary: Primary::new(Decoder::of::<Bare<ConfigMap>>()),
            filter: Arc::new(filter),
            queue: Queue::default(),
            place: maps(namespace),
            of,
            joined: BTreeMap::new(),
        }
    }

    /// Joins a shard and waits until it is listed.
    pub async fn join(&mut self, index: u16) {
        let (shard, places) = (UidShard { index, of: self.of }, std::slice::from_ref(&self.place));
        let joined = self.primary.join_shard(&self.watches, (shard, places), &self.filter, &self.queue);
        joined.listed().await;
        self.joined.insert(index, joined);
    }

    /// Leaves a shard.
    pub fn leave(&mut self, index: u16) {
        self.joined.remove(&index);
    }

    /// The names of the cached objects.
    pub fn names(&self) -> BTreeSet<String> {
        self.primary.keys().into_iter().map(|key| key.name.to_string()).collect()
    }

    /// How many times an object without pending triggers was enqueued.
    pub fn added(&self) -> u64 {
        self.queue.figures().added
    }

    /// The number of objects of other shards that were received.
    pub fn foreign(&self) -> Option<u64> {
        self.health.foreign_objects()
    }
}

/// The shard of an object.
pub fn shard_of(uid: &str, of: NonZeroU16) -> u16 {
    UidShard::of(uid, of).index
}

/// The selector of a shard.
pub fn selector(index: u16, of: NonZeroU16) -> String {
    UidShard { index, of }.selector()
}

/// Whether the API server selects shards of the ConfigMaps of a namespace.
///
/// # Errors
/// They cannot be listed.
pub async fn offers_sharding(client: &Client, namespace: &str) -> Result<bool, Error> {
    super::offers_sharding(client, &maps(namespace)).await
}

fn maps(namespace: &str) -> WatchTarget {
    Scope::default().place(&KindInfo::of::<ConfigMap>(), Some(namespace.into()))
}

//! Replicas that share the shards of an operator, and what their Leases report.

use std::collections::BTreeMap;

use super::*;

/// Replicas of one operator in virtual time.
pub(super) struct Fleet {
    pub(super) world: World,
    pub(super) replicas: Vec<Replica>,
    pub(super) shards: u16,
    pub(super) mode: ShardMode,
}

/// A replica with a wire and a lab of its own.
pub(super) struct Replica {
    pub(super) wire: Wire,
    pub(super) lab: Arc<Lab>,
    pub(super) running: Running,
}

impl Replica {
    pub(super) fn start(world: &World, shards: Option<u16>) -> Self {
        Self::start_as(world, shards, |operator| operator)
    }

    pub(super) fn start_as(world: &World, shards: Option<u16>, change: impl FnOnce(Operator) -> Operator) -> Self {
        let (wire, lab) = (Wire::default(), Lab::at("a"));
        let (namespace, shards) = (Some(world.namespace.clone()), shards.and_then(NonZeroU16::new));
        let operator = Operator::new("shop")
            .test_client(wire.client(&world.client))
            .namespaces([&world.namespace])
            .reconciler::<widget>(lab.clone())
            .replicas_with(Replicas { namespace, shards, ..Replicas::default() });
        Self { wire, lab, running: Running::start(change(operator)) }
    }

    /// The writes of other objects than Leases and events that it sent.
    pub(super) fn writes(&self) -> usize {
        self.wire.count(|call| call.is_write() && !call.is_event() && !call.path.contains("/leases"))
    }
}

impl Fleet {
    /// Starts this many replicas with 16 shards, and waits until they share them.
    pub(super) async fn of(replicas: usize) -> Self {
        Self::on(Cluster::start().await, ShardMode::Here, replicas).await
    }

    /// The same on this cluster, in this mode.
    pub(super) async fn on(cluster: Cluster, mode: ShardMode, replicas: usize) -> Self {
        let world = World::within(cluster);
        world.install(&definition()).await;
        let mut fleet = Self { world, replicas: Vec::new(), shards: 16, mode };
        fleet.scale(replicas).await;
        // Who makes a Lease waits for the end of any earlier term.
        sleep(20 * SECOND).await;
        fleet
    }

    /// Starts or stops replicas, and waits until the shards are shared evenly. Returns how long that took.
    pub(super) async fn scale(&mut self, replicas: usize) -> Duration {
        let began = Instant::now();
        while self.replicas.len() < replicas {
            self.replicas.push(self.replica());
        }
        let mut stopping = tokio::task::JoinSet::new();
        for replica in self.replicas.drain(replicas.min(self.replicas.len())..) {
            stopping.spawn(replica.running.stop());
        }
        stopping.join_all().await.into_iter().for_each(|ended| ended.unwrap());
        self.until_fair().await;
        began.elapsed()
    }

    /// Starts a replica. It runs passes of all objects at the same time.
    pub(super) fn replica(&self) -> Replica {
        let (namespace, shards) = (Some(self.world.namespace.clone()), NonZeroU16::new(self.shards));
        let replicas = Replicas { namespace, shards, shard_mode: self.mode, ..Replicas::default() };
        let concurrency = NonZeroUsize::new(1000).unwrap();
        Replica::start_as(&self.world, None, |operator| operator.replicas_with(replicas).concurrency(concurrency))
    }

    pub(super) async fn until_fair(&self) {
        eventually(SOON, || async { self.is_fair().await.then_some(()) }).await;
    }

    /// Whether each replica has its share.
    pub(super) async fn is_fair(&self) -> bool {
        let held = held(&self.world).await;
        let (least, all) = (usize::from(self.shards) / self.replicas.len(), held.values().sum::<usize>());
        let is_even = held.values().all(|shards| (least..=least + 1).contains(shards));
        held.len() == self.replicas.len() && all == usize::from(self.shards) && is_even
    }

    /// Creates this many objects, and waits until each is reconciled.
    pub(super) async fn create(&self, objects: usize) {
        for at in 0..objects {
            self.world.create::<Widget>(a_widget(&format!("w{at}"), json!({}))).await;
        }
        self.until_ready(objects).await;
    }

    pub(super) async fn until_ready(&self, objects: usize) {
        for at in 0..objects {
            self.world.until::<Widget>(&format!("w{at}"), "reconciled", is_ready).await;
        }
    }

    /// How many steps have run in each replica.
    pub(super) fn passes(&self) -> Vec<usize> {
        self.replicas.iter().map(|replica| replica.lab.passes()).collect()
    }

    /// Stops all replicas.
    pub(super) async fn stop(self) -> World {
        for replica in self.replicas {
            replica.running.stop().await.unwrap();
        }
        self.world
    }
}

/// The number of shards of each holder.
pub(super) async fn held(world: &World) -> BTreeMap<String, usize> {
    let leases = world.api::<Lease>().list(&ListParams::default()).await.unwrap();
    let mut held = BTreeMap::new();
    for lease in leases.items.iter().filter(|lease| lease.name_any().starts_with("shop-")) {
        if let Some(holder) =
            lease.spec.as_ref().and_then(|spec| spec.holder_identity.clone()).filter(|h| !h.is_empty())
        {
            *held.entry(holder).or_default() += 1;
        }
    }
    held
}

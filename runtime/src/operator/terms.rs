//! The terms of this replica: its objects are enqueued when one begins, and those of a shard are forgotten when it ends.

use std::convert::Infallible;
use std::sync::Arc;

use futures::future::join_all;

use crate::leadership::{Leadership, ShardGates};
use crate::pass::PassContext;
use crate::queue::{Key, Queue, TriggerSet};
use crate::uid_shard::UidShard;
use crate::watch::Primary;

/// Enqueues the cached objects at the beginning of each term, since another replica may have written some of them last. At the end of the
/// term of a shard, forgets its objects. This is no event for them.
pub(super) async fn follow(gates: ShardGates, primary: Primary, queue: Queue, worker: Arc<PassContext>) -> Infallible {
    if gates.is_leased() {
        let shard =
            |(index, gate)| follow_one(gate, Shard { index, gates: &gates, primary: &primary }, &queue, &worker);
        join_all(gates.each().iter().enumerate().map(shard)).await;
    }
    std::future::pending().await
}

/// The cached objects of one gate.
struct Shard<'g> {
    index: usize,
    gates: &'g ShardGates,
    primary: &'g Primary,
}

impl Shard<'_> {
    fn keys(&self) -> Vec<Key> {
        match self.gates.number() {
            None => self.primary.keys(),
            Some(of) => self.primary.keys_of(|uid| usize::from(UidShard::of(uid, of).index) == self.index),
        }
    }
}

async fn follow_one(gate: &Leadership, shard: Shard<'_>, queue: &Queue, worker: &PassContext) -> Infallible {
    let mut permit = gate.no_permit();
    loop {
        permit = gate.opened_after(&permit).await;
        shard.keys().iter().for_each(|key| queue.add(key, TriggerSet::APPEARED));
        if shard.gates.number().is_some() {
            permit.expired().await;
            // Their timers are dropped when they are due.
            shard.keys().iter().for_each(|key| drop(worker.hand_over(key)));
        }
    }
}

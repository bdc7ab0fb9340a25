//! Shards: each has a Lease of its own, and the replicas share them evenly.
//!
//! That only one replica works in a shard is the fence of its Lease. The share of a replica is a hint: who has more than its share ends the
//! passes of a shard and gives it back, and who has less takes a free one.

mod group;
mod members;
mod share;
mod status;

use std::time::Duration;

use futures::future::select_all;
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use self::group::{Ends, Group, Reports};
use self::share::{Plan, ShardView};
use super::election::{Election, Order, Orders};
use super::protocol::{Names, Times};
use super::requests::{LeaseName, Requests};
use super::status::Status;
use crate::leadership::{Leadership, ShardGates, Term};

pub(crate) use self::group::shard_lease;
#[cfg(feature = "doctor")]
pub(crate) use self::members::replicas;
pub(crate) use self::status::GroupStatus;

/// How long the passes of a shard may run on before it moves. What blocks a thread is waited for.
pub(crate) const DRAIN: Duration = Duration::from_secs(5);

/// What the election of shards needs.
pub(crate) struct ShardElection {
    /// A client that no one else uses.
    pub(crate) client: Client,
    /// The common Lease. Those of the shards have its name with a number.
    pub(crate) lease: LeaseName,
    pub(crate) names: Names,
    pub(crate) times: Times,
    /// The gate of each shard.
    pub(crate) gates: ShardGates,
    /// The state of each shard here.
    pub(crate) shards: Vec<watch::Sender<Status>>,
    pub(crate) group: watch::Sender<GroupStatus>,
    /// No shard is taken from then on.
    pub(crate) stop: CancellationToken,
    /// The shards are given back.
    pub(crate) release: CancellationToken,
}

/// A shard in this replica.
struct Shard {
    gate: Leadership,
    order: watch::Sender<Order>,
    status: watch::Receiver<Status>,
    is_leaving: bool,
}

impl ShardElection {
    /// Takes a fair share of the shards, until they have been given back.
    pub(crate) async fn run(self) {
        let Self { client, lease, names, times, gates, shards: statuses, group, stop, release } = self;
        let (limit, limited) = watch::channel(None);
        let ends = Ends { stop: stop.clone(), leave: CancellationToken::new() };
        let requests = Requests { client: client.clone(), lease: lease.clone().into() };
        let reports = Reports { status: group.clone(), limit };
        let common = Group::new(requests, names.clone(), times, statuses.len(), ends.clone(), reports);
        let mut shards = Vec::new();
        let (mut elections, mut groups) = (JoinSet::new(), JoinSet::new());
        groups.spawn(common.run().in_current_span());
        for ((index, status), gate) in statuses.into_iter().enumerate().zip(gates.each()) {
            let (order, orders) = watch::channel(Order::Rest);
            shards.push(Shard { gate: gate.clone(), order, status: status.subscribe(), is_leaving: false });
            let election = Election {
                client: client.clone(),
                lease: shard_lease(&lease, index),
                names: names.clone(),
                times,
                gate: gate.clone(),
                status,
                orders: orders_of(orders, &limited),
                stop: stop.clone(),
                release: release.clone(),
            };
            elections.spawn(election.run().in_current_span());
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            // A task that ends early is a bug, which the caller reports.
            _ = elections.join_next() => return,
            _ = groups.join_next() => return,
            () = share_out(&mut shards, group.subscribe()) => {}
        }
        while elections.join_next().await.is_some() {}
        ends.leave.cancel();
        while groups.join_next().await.is_some() {}
    }
}

fn orders_of(order: watch::Receiver<Order>, limit: &watch::Receiver<Option<Term>>) -> Orders {
    Orders { order, limit: Some(limit.clone()) }
}

/// Takes and gives back shards for ever.
async fn share_out(shards: &mut [Shard], mut group: watch::Receiver<GroupStatus>) {
    let mut drains = JoinSet::new();
    loop {
        let status = group.borrow_and_update().clone();
        let views: Vec<_> = shards.iter_mut().map(Shard::view).collect();
        let plan = match status {
            GroupStatus { blocked: Some(_), .. } | GroupStatus { rests: true, .. } => {
                Plan { give: all_held(&views), ..Plan::default() }
            }
            GroupStatus { works: false, .. } => Plan::default(),
            GroupStatus { rank: (rank, replicas), .. } => share::plan(rank, replicas, &views),
        };
        for (at, shard) in shards.iter_mut().enumerate().filter(|(_, shard)| !shard.is_leaving) {
            if plan.give.contains(&at) {
                shard.is_leaving = true;
                let (gate, order, status) = (shard.gate.clone(), shard.order.clone(), shard.status.clone());
                drains.spawn(give_back(at, gate, order, status).in_current_span());
            } else {
                let wanted = if plan.contend.contains(&at) { Order::Contend } else { Order::Rest };
                shard.order.send_if_modified(|order| std::mem::replace(order, wanted) != wanted);
            }
        }
        let given_back = tokio::select! {
            Some(Ok(at)) = drains.join_next(), if !drains.is_empty() => Some(at),
            _ = select_all(shards.iter_mut().map(|shard| Box::pin(shard.status.changed()))) => None,
            Ok(()) = group.changed() => None,
        };
        given_back.into_iter().for_each(|at: usize| shards[at].is_leaving = false);
    }
}

fn all_held(views: &[ShardView]) -> Vec<usize> {
    (0..views.len()).filter(|at| views[*at] == ShardView::Held).collect()
}

impl Shard {
    fn view(&mut self) -> ShardView {
        let status = self.status.borrow_and_update();
        match () {
            () if self.is_leaving => ShardView::Leaving,
            () if status.holds => ShardView::Held,
            () if status.free && status.foreign.is_none() => ShardView::Free,
            () => ShardView::Other,
        }
    }
}

/// Ends the passes of a shard and gives its lease back. Returns its number.
async fn give_back(
    at: usize,
    gate: Leadership,
    order: watch::Sender<Order>,
    mut status: watch::Receiver<Status>,
) -> usize {
    gate.drain(DRAIN).await;
    order.send_replace(Order::Yield);
    // The sender lives as long as the election.
    let _ = status.wait_for(|status| !status.holds).await;
    order.send_replace(Order::Rest);
    at
}

//! Shards: each has a Lease of its own, and the replicas share them evenly.
//!
//! That only one replica works in a shard is the fence of its Lease. The share of a replica is a hint: who has more than its share ends the
//! passes of a shard and gives it back, and who has less takes a free one.

mod group;
mod load;
mod members;
mod share;
mod status;

use std::num::NonZeroU16;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, select_all};
use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::group::{Ends, Group, Reports};
use self::load::Content;
use self::share::{Plan, ShardView};
use super::election::{Election, Order, Orders};
use super::protocol::{Names, Times};
use super::requests::{LeaseName, Requests};
use super::status::Status;
use crate::leadership::{Leadership, ShardGates, Term};
use crate::task::task;
use crate::uid_shard::UidShard;

pub(crate) use self::group::shard_lease;
pub(crate) use self::load::{LoadShard, LoadedShard};
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
    /// Loads the objects of a shard before this replica contends for it; `None`: the caches hold all objects.
    pub(crate) load: Option<LoadShard>,
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
    content: Content,
}

/// Starts the election of shards. An operator that cannot have shards has no pointer to it, and so contains no code for them.
pub(crate) type StartShards = fn(ShardElection) -> BoxFuture<'static, ()>;

impl ShardElection {
    /// Boxes [`run`](Self::run).
    pub(crate) fn start(self) -> BoxFuture<'static, ()> {
        self.run().boxed()
    }

    /// Takes a fair share of the shards, until they have been given back.
    async fn run(self) {
        let Self { client, lease, names, times, gates, shards: statuses, group, load, stop, release } = self;
        let (limit, limited) = watch::channel(None);
        let ends = Ends { stop: stop.clone(), leave: CancellationToken::new() };
        let requests = Requests { client: client.clone(), lease: lease.clone().into() };
        let reports = Reports { status: group.clone(), limit };
        let common = Group::new(requests, names.clone(), times, statuses.len(), ends.clone(), reports);
        let mut shards = Vec::new();
        let (mut elections, mut groups) = (JoinSet::new(), JoinSet::new());
        groups.spawn(task(common.run()));
        for ((index, status), gate) in statuses.into_iter().enumerate().zip(gates.each()) {
            let (order, orders) = watch::channel(Order::Rest);
            let content = if load.is_some() { Content::Nothing } else { Content::All };
            shards.push(Shard { gate: gate.clone(), order, status: status.subscribe(), is_leaving: false, content });
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
            elections.spawn(task(election.run()));
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            // A task that ends early is a bug, which the caller reports.
            _ = elections.join_next() => return,
            _ = groups.join_next() => return,
            (watch, why) = share_out(&mut shards, group.subscribe(), load) => {
                return tracing::error!(watch, why, "the watch of a shard has ended");
            }
        }
        while elections.join_next().await.is_some() {}
        ends.leave.cancel();
        while groups.join_next().await.is_some() {}
    }
}

fn orders_of(order: watch::Receiver<Order>, limit: &watch::Receiver<Option<Term>>) -> Orders {
    Orders { order, limit: Some(limit.clone()) }
}

/// Takes and gives back shards, until a watch ends, which is a bug. Returns its name and the reason.
async fn share_out(
    shards: &mut [Shard],
    mut group: watch::Receiver<GroupStatus>,
    load: Option<LoadShard>,
) -> (String, String) {
    let mut moves = JoinSet::new();
    let of = u16::try_from(shards.len()).ok().and_then(NonZeroU16::new).unwrap_or(NonZeroU16::MIN);
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
                moves.spawn(task(give_back(at, gate, order, status)));
                continue;
            }
            let contends = plan.contend.contains(&at);
            if let (Content::Nothing, Some(load)) =
                (&shard.content, load.as_ref().filter(|_| contends || shard.holds()))
            {
                shard.content = Content::Loading;
                // A shard has a number below their count, which is a `u16`.
                let loading = load(UidShard { index: u16::try_from(at).unwrap_or_default(), of });
                moves.spawn(task(async move { Next::Loaded(at, loading.await) }));
            } else if matches!(shard.content, Content::Loaded(_)) && !contends && !shard.holds() {
                shard.content = Content::Nothing;
            }
            let is_ready = contends && shard.content.is_complete();
            shard.orders(if is_ready { Order::Contend } else { Order::Rest });
        }
        let next = tokio::select! {
            Some(Ok(next)) = moves.join_next(), if !moves.is_empty() => next,
            (next, ..) = select_all(shards.iter_mut().map(|shard| Box::pin(shard.changed()))) => next,
            Ok(()) = group.changed() => Next::Changed,
        };
        match next {
            Next::Given(at) => shards[at].is_leaving = false,
            Next::Loaded(at, loaded) => shards[at].content = Content::Loaded(loaded),
            Next::Ended(ended) => return ended,
            Next::Changed => {}
        }
    }
}

fn all_held(views: &[ShardView]) -> Vec<usize> {
    (0..views.len()).filter(|at| views[*at] == ShardView::Held).collect()
}

/// What the sharing waits for.
enum Next {
    /// A shard was given back.
    Given(usize),
    /// The objects of a shard are in the caches.
    Loaded(usize, Box<dyn LoadedShard>),
    /// A watch has ended.
    Ended((String, String)),
    Changed,
}

impl Shard {
    fn holds(&self) -> bool {
        self.status.borrow().holds
    }

    fn orders(&self, wanted: Order) {
        self.order.send_if_modified(|order| std::mem::replace(order, wanted) != wanted);
    }

    /// Waits for a change of the election, or for the end of a watch.
    async fn changed(&mut self) -> Next {
        tokio::select! {
            _ = self.status.changed() => Next::Changed,
            ended = self.content.ended() => Next::Ended(ended),
        }
    }

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

/// Ends the passes of a shard and gives its lease back.
async fn give_back(
    at: usize,
    gate: Leadership,
    order: watch::Sender<Order>,
    mut status: watch::Receiver<Status>,
) -> Next {
    gate.drain(DRAIN).await;
    order.send_replace(Order::Yield);
    // The sender lives as long as the election.
    let _ = status.wait_for(|status| !status.holds).await;
    order.send_replace(Order::Rest);
    Next::Given(at)
}

//! For what the replicas of an operator contend: one lease for all objects, or a lease for each shard and a common one.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::builder::Operator;
use super::election::Terms;
use super::error::{Error, Reason, Result};
use super::replicas::{Replicas, ShardMode};
use super::shard_caches::{Part, ShardCaches};
use crate::leadership::{Leadership, ShardGates};
use crate::lease::{Election, GroupStatus, LeaseName, Order, Orders, ShardElection, Status, follow_requests};

/// Contends from now on, until the leases have been given back. No lease is taken after the first token, and the second one releases them.
pub(super) type Contest = Box<dyn FnOnce(Terms, CancellationToken, CancellationToken) -> BoxFuture<'static, ()> + Send>;

/// Makes the contest and the part of this replica. A pointer, so that an operator that cannot have shards does not contain their code.
pub(super) type MakeContest = fn(&mut Operator, &Replicas, &LeaseName) -> Result<(Contest, Part)>;

/// The contest for one lease.
pub(super) fn leader(operator: &mut Operator, _replicas: &Replicas, lease: &LeaseName) -> Result<(Contest, Part)> {
    let status = watch::Sender::default();
    #[cfg(feature = "metrics")]
    super::replicas_metrics::register(operator, &status, &lease.name);
    #[cfg(not(feature = "metrics"))]
    let _ = (operator, lease);
    let gate = Leadership::closed();
    let part = Part { gates: ShardGates::one(gate.clone()), caches: ShardCaches::default() };
    Ok((Box::new(move |terms, stop, release| lead(terms, gate, status, stop, release).boxed()), part))
}

async fn lead(
    terms: Terms,
    gate: Leadership,
    status: watch::Sender<Status>,
    stop: CancellationToken,
    release: CancellationToken,
) {
    let Terms { client, lease, names, times, grace } = terms;
    let (order, orders) = watch::channel(Order::Contend);
    let requests = follow_requests(gate.clone(), order, status.subscribe(), grace);
    let orders = Orders { order: orders, limit: None };
    let election = Election { client, lease, names, times, gate, status, orders, stop, release };
    let mut election = std::pin::pin!(election.run());
    tokio::select! {
        () = &mut election => {}
        () = requests => election.await,
    }
}

/// The contest for the shards, if there are any.
///
/// # Errors
/// The operator needs all objects in each replica.
pub(super) fn any(operator: &mut Operator, replicas: &Replicas, lease: &LeaseName) -> Result<(Contest, Part)> {
    let Some(of) = replicas.shards else { return leader(operator, replicas, lease) };
    let caches = shard_caches(operator, replicas.shard_mode)?;
    let group: watch::Sender<GroupStatus> = watch::Sender::default();
    let shards: Vec<watch::Sender<Status>> = (0..of.get()).map(|_| watch::Sender::default()).collect();
    #[cfg(feature = "metrics")]
    super::shard_metrics::register(operator, &group, &shards, lease);
    #[cfg(not(feature = "metrics"))]
    let _ = lease;
    let (gates, load) = (ShardGates::shards(of), caches.loader());
    let part = Part { gates: gates.clone(), caches };
    let share = move |terms, stop, release| {
        let Terms { client, lease, names, times, grace: _ } = terms;
        ShardElection { client, lease, names, times, gates, shards, group, load, stop, release }.run().boxed()
    };
    Ok((Box::new(share), part))
}

/// The caches of the mode of the shards.
///
/// # Errors
/// The operator needs all objects in each replica.
fn shard_caches(operator: &Operator, mode: ShardMode) -> Result<ShardCaches> {
    if mode == ShardMode::Here {
        return Ok(ShardCaches::default());
    }
    let waits = operator.introspect().into_iter().find(|known| known.wiring.depends_on);
    let needs = match waits {
        Some(known) => Some(format!("the reconciler `{}` has `depends_on`", known.wiring.name)),
        None => has_routes(operator).then(|| "the operator has routes".to_owned()),
    };
    match needs {
        None => Ok(ShardCaches::of_shards()),
        Some(needs) => {
            let headline = format!("{needs}, so each replica needs all objects");
            Err(Error::new(Reason::Setup, headline, "use `--shard-mode here`, or leave it out"))
        }
    }
}

#[cfg(feature = "routes")]
fn has_routes(operator: &Operator) -> bool {
    !operator.reviews.routes.is_empty()
}

#[cfg(not(feature = "routes"))]
fn has_routes(_operator: &Operator) -> bool {
    false
}

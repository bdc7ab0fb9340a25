//! The election of a leader among the replicas of an operator: its start, its end and the release.

use std::num::NonZeroU16;
use std::time::Duration;

use kube::{Client, Config};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::builder::Operator;
use super::context::agent;
use super::error::{Error, Reason, Result};
use super::lease_role::lease_at;
use super::replicas::{Replicas, ShardMode};
use super::settings;
use super::shard_caches::{Part, ShardCaches};
use crate::client;
use crate::leadership::{Leadership, ShardGates};
use crate::lease::{
    Election, GroupStatus, LeaseName, Names, Order, Orders, ShardElection, StartShards, Status, Times, follow_requests,
    identity,
};
use crate::task::task;

/// How long a connection for the lease may take: renewals must not wait for a dead one.
const CONNECT: Duration = Duration::from_secs(2);

/// An election that is about to start.
pub(super) struct Prepared {
    pub(super) part: Part,
    client: Client,
    lease: LeaseName,
    names: Names,
    times: Times,
    contest: Contest,
    /// How long passes may run on when the lease is given back on request.
    grace: Duration,
}

/// For what the replicas contend.
enum Contest {
    /// One lease for all objects.
    Leader(watch::Sender<Status>),
    /// A lease for each shard, and a common one.
    Shards(StartShards, watch::Sender<GroupStatus>, Vec<watch::Sender<Status>>),
}

/// Checks the settings, and registers the checks and metrics before the listener of the probes starts.
///
/// # Errors
/// The settings contradict each other, or no cluster is configured.
pub(super) async fn prepare(operator: &mut Operator) -> Result<Option<Prepared>> {
    let Some(replicas) = operator.replicas.clone() else { return Ok(None) };
    replicas.check()?;
    let client = client(operator).await?;
    let lease = lease_at(operator, &replicas, &client);
    let former = operator.previously.iter().map(|name| name.as_str().into());
    let names = Names { identity: identity(), operator: [operator.name.clone()].into_iter().chain(former).collect() };
    let Replicas { lease: duration, deadline, renew, .. } = replicas;
    let caches = shard_caches(operator, &replicas)?;
    let (contest, gates) = contest(operator, replicas.shards, &lease);
    let part = Part { gates, caches };
    let (times, grace) = (Times { lease: duration, deadline, renew }, operator.shutdown_timeout);
    Ok(Some(Prepared { part, client, lease, names, times, contest, grace }))
}

/// The caches of the mode of the shards.
///
/// # Errors
/// The operator needs all objects in each replica.
fn shard_caches(operator: &Operator, replicas: &Replicas) -> Result<ShardCaches> {
    if replicas.shards.is_none() || replicas.shard_mode == ShardMode::Here {
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

fn contest(operator: &mut Operator, shards: Option<NonZeroU16>, lease: &LeaseName) -> (Contest, ShardGates) {
    #[cfg(not(feature = "metrics"))]
    let _ = lease;
    let Some((shards, start)) = shards.zip(operator.start_shards) else {
        let status = watch::Sender::default();
        #[cfg(feature = "metrics")]
        super::replicas_metrics::register(operator, &status, &lease.name);
        return (Contest::Leader(status), ShardGates::one(Leadership::closed()));
    };
    let group = watch::Sender::default();
    let statuses: Vec<watch::Sender<Status>> = (0..shards.get()).map(|_| watch::Sender::default()).collect();
    #[cfg(feature = "metrics")]
    super::shard_metrics::register(operator, &group, &statuses, lease);
    (Contest::Shards(start, group, statuses), ShardGates::shards(shards))
}

/// A client for the lease alone, so that renewals wait for nothing else.
async fn client(operator: &mut Operator) -> Result<Client> {
    if let Some(client) = &operator.client {
        if operator.sends_at_once {
            return Ok(client::named(client, &agent(operator)));
        }
        let headline = "an operator with replicas cannot use a finished client, which may hold a write back";
        let help = "give it the configuration with `Operator::config(..)`; a test gives its client with `Operator::test_client(..)`";
        return Err(Error::new(Reason::Setup, headline, help));
    }
    let mut config = match operator.config.take() {
        Some(config) => config,
        None => settings::infer().await?,
    };
    operator.config = Some(config.clone());
    config.connect_timeout = Some(CONNECT);
    of_config(config, operator)
}

fn of_config(config: Config, operator: &Operator) -> Result<Client> {
    client::configured(config, &agent(operator)).map_err(settings::unusable)
}

/// A running election. It ends when this is dropped.
pub(super) struct Elected {
    /// `None`: it has ended.
    task: Option<AbortOnDropHandle<()>>,
    stop: CancellationToken,
    release: CancellationToken,
    patience: Duration,
}

impl Prepared {
    /// Contends for the lease from now on.
    pub(super) fn start(self, stop: CancellationToken) -> Elected {
        let (release, patience) = (CancellationToken::new(), self.times.deadline - self.times.renew);
        let run = self.run(stop.clone(), release.clone());
        let task = AbortOnDropHandle::new(tokio::spawn(task(run)));
        Elected { task: Some(task), stop, release, patience }
    }

    async fn run(self, stop: CancellationToken, release: CancellationToken) {
        let Self { part: Part { gates, caches }, client, lease, names, times, contest, grace } = self;
        match contest {
            Contest::Shards(start, group, shards) => {
                let load = caches.loader();
                start(ShardElection { client, lease, names, times, gates, shards, group, load, stop, release }).await;
            }
            Contest::Leader(status) => {
                let (gate, (order, orders)) = (gates.each()[0].clone(), watch::channel(Order::Contend));
                let requests = follow_requests(gate.clone(), order, status.subscribe(), grace);
                let orders = Orders { order: orders, limit: None };
                let election = Election { client, lease, names, times, gate, status, orders, stop, release };
                let mut election = std::pin::pin!(election.run());
                tokio::select! {
                    () = &mut election => {}
                    () = requests => election.await,
                }
            }
        }
    }
}

impl Elected {
    /// Waits until the task of the election ends, which is a bug before the stop.
    pub(super) async fn ended(&mut self) -> Error {
        let Some(task) = &mut self.task else { return std::future::pending().await };
        let why = match task.await {
            Ok(()) => "it returned".to_owned(),
            Err(error) => error.to_string(),
        };
        self.task = None;
        if self.stop.is_cancelled() {
            // A replica that does not hold the lease has nothing to give back.
            return std::future::pending().await;
        }
        let headline = format!("the leader election has ended: {why}");
        Error::new(Reason::Ended, headline, "restart the operator, and report this as a bug: an election must not end")
    }

    /// Gives the lease back, so that another replica takes over at once.
    pub(super) async fn release(self) {
        self.release.cancel();
        let Some(task) = self.task else { return };
        if tokio::time::timeout(self.patience, task).await.is_err() {
            tracing::warn!("the lease could not be given back in time; another replica takes it when it expires");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_finished_client_is_rejected_with_the_fix() {
        let service = tower::service_fn(async |_: http::Request<kube::client::Body>| {
            Ok::<_, std::convert::Infallible>(http::Response::new(kube::client::Body::empty()))
        });
        let client = Client::new(service, "default");
        let mut operator = Operator::new("shop").client(client.clone()).replicas();
        let error = prepare(&mut operator).await.err().unwrap().to_string();
        assert!(error.contains("`Operator::config(..)`") && error.contains("`Operator::test_client(..)`"), "{error}");
        let mut operator = Operator::new("shop").label_selector("team=a").test_client(client).replicas();
        let prepared = prepare(&mut operator).await.unwrap().unwrap();
        assert!(prepared.lease.name.starts_with("shop-") && !prepared.part.gates.may_start());
    }
}

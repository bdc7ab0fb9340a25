//! The election of a leader among the replicas of an operator: its start, its end and the release.

use std::time::Duration;

use kube::{Client, Config};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::builder::Operator;
use super::contest::Contest;
use super::context::agent;
use super::error::{Error, Reason, Result};
use super::lease_role::lease_at;
use super::replicas::Replicas;
use super::settings;
use super::shard_caches::Part;
use crate::client;
use crate::lease::{LeaseName, Names, Times, identity};

/// How long a connection for the lease may take: renewals must not wait for a dead one.
const CONNECT: Duration = Duration::from_secs(2);

/// An election that is about to start.
pub(super) struct Prepared {
    pub(super) part: Part,
    terms: Terms,
    contest: Contest,
}

/// On which terms this replica contends.
pub(super) struct Terms {
    /// A client for the leases alone, so that renewals wait for nothing else.
    pub(super) client: Client,
    pub(super) lease: LeaseName,
    pub(super) names: Names,
    pub(super) times: Times,
    /// How long passes may run on when the lease is given back on request.
    pub(super) grace: Duration,
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
    let (contest, part) = (operator.contest)(operator, &replicas, &lease)?;
    let (times, grace) = (Times { lease: duration, deadline, renew }, operator.shutdown_timeout);
    Ok(Some(Prepared { part, terms: Terms { client, lease, names, times, grace }, contest }))
}

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
        let Self { part: _, terms, contest } = self;
        let (release, patience) = (CancellationToken::new(), terms.times.deadline - terms.times.renew);
        let run = contest(terms, stop.clone(), release.clone());
        let task = AbortOnDropHandle::new(tokio::spawn(run.in_current_span()));
        Elected { task: Some(task), stop, release, patience }
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
        assert!(prepared.terms.lease.name.starts_with("shop-") && !prepared.part.gates.may_start());
    }
}

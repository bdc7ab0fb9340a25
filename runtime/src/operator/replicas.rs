//! Several replicas of an operator, of which one works.

use std::time::Duration;

use kube::{Client, Config};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::builder::Operator;
use super::context::agent;
use super::error::{Error, Reason, Result};
use super::lease_name::leader_id;
use super::settings;
use crate::client;
use crate::interval::Interval;
use crate::leadership::Leadership;
use crate::lease::{Election, LeaseName, Names, Status, Times, identity};

/// How long a connection for the lease may take: renewals must not wait for a dead one.
const CONNECT: Duration = Duration::from_secs(2);
/// The shortest and the longest lease.
const LEASES: std::ops::RangeInclusive<Duration> = Duration::from_secs(5)..=Duration::from_secs(300);
/// Where Kubernetes puts the namespace of a pod.
const NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// How replicas elect their leader, for [`Operator::replicas_with`].
///
/// Times are whole seconds. A lease has 5 to 300 seconds, is at least 1.5 times as long as the deadline, and the deadline is at least three
/// times as long as the interval of renewals. The ratio of lease and deadline is by how much clocks may run at different speeds.
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel::{Operator, Replicas};
///
/// let slow = Replicas {
///     lease: Duration::from_secs(60),
///     deadline: Duration::from_secs(40),
///     renew: Duration::from_secs(10),
///     ..Replicas::default()
/// };
/// let operator = Operator::new("source-controller").replicas_with(slow);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replicas {
    /// How long the other replicas wait for a renewal before they take the lease; 15 s by default.
    pub lease: Duration,
    /// How long the leader works without a renewal; 10 s by default.
    pub deadline: Duration,
    /// The interval between renewals; 3 s by default.
    pub renew: Duration,
    /// The namespace of the Lease. Default: `$POD_NAMESPACE`, then that of the service account, then that of the kubeconfig.
    pub namespace: Option<String>,
    /// The name of the Lease. Default: [`leader_id`](crate::operator::leader_id) of the operator's name and its label selector.
    pub name: Option<String>,
}

impl Default for Replicas {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { lease: seconds(15), deadline: seconds(10), renew: seconds(3), namespace: None, name: None }
    }
}

impl Replicas {
    /// Checks the times and the names.
    fn check(&self) -> Result {
        let Self { lease, deadline, renew, namespace, name } = self;
        let setup = |headline: String, help: &str| Err(Error::new(Reason::Setup, headline, help));
        let show = |time: &Duration| Interval::from(*time).to_string();
        for (field, time) in [("lease", lease), ("deadline", deadline), ("renew", renew)] {
            if time.subsec_nanos() != 0 || time.is_zero() {
                return setup(
                    format!("the `{field}` of the replicas is {time:?}"),
                    "write whole seconds, at least one",
                );
            }
        }
        if !LEASES.contains(lease) {
            return setup(format!("the `lease` of the replicas is {}", show(lease)), "use 5s to 300s");
        }
        if *deadline * 3 > *lease * 2 {
            let headline = format!("the `deadline` {} is too long for a `lease` of {}", show(deadline), show(lease));
            return setup(
                headline,
                "make the lease at least 1.5 times as long as the deadline, for example 15s and 10s",
            );
        }
        if *renew * 3 > *deadline {
            let headline = format!("`renew` {} is too long for a `deadline` of {}", show(renew), show(deadline));
            return setup(headline, "make the deadline at least three times as long, for example 10s and 3s");
        }
        let is_name = |text: &str| {
            let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
            let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            text.len() <= 253 && text.chars().all(fine) && ends(text.chars().next()) && ends(text.chars().last())
        };
        for (what, text) in [("namespace", namespace), ("name", name)] {
            if let Some(text) = text.as_deref().filter(|text| !is_name(text)) {
                let help = "use a-z, 0-9, - and ., as for other objects";
                return setup(format!("`{text}` cannot be the {what} of the lease"), help);
            }
        }
        Ok(())
    }

    /// The name of the Lease.
    fn name(&self, operator: &Operator) -> String {
        let selectors: Vec<&str> = operator.label_selector.iter().map(|selector| &**selector).collect();
        self.name.clone().unwrap_or_else(|| leader_id(&operator.name, &selectors))
    }

    /// The namespace of the Lease, if it is known without a cluster.
    fn namespace(&self) -> Option<String> {
        let variable = || std::env::var("POD_NAMESPACE").ok();
        let of_account = || std::fs::read_to_string(NAMESPACE).ok();
        let found = self.namespace.clone().or_else(variable).or_else(of_account)?;
        Some(found.trim().to_owned()).filter(|namespace| !namespace.is_empty())
    }
}

/// The lease of an operator that is installed in this namespace, whether it has replicas already or not.
#[cfg(feature = "manifests")]
pub(super) fn lease_in(operator: &Operator, namespace: &str) -> LeaseName {
    let replicas = operator.replicas.clone().unwrap_or_default();
    let name = replicas.name(operator);
    LeaseName { namespace: replicas.namespace.unwrap_or_else(|| namespace.to_owned()), name }
}

/// The lease of an operator with replicas, for its RBAC rules. The namespace is `None` if only the cluster knows it.
pub(super) fn lease_of(operator: &Operator) -> Option<(Option<String>, String)> {
    let replicas = operator.replicas.as_ref()?;
    Some((replicas.namespace(), replicas.name(operator)))
}

/// An election that is about to start.
pub(super) struct Prepared {
    pub(super) gate: Leadership,
    client: Client,
    lease: LeaseName,
    names: Names,
    times: Times,
    status: watch::Sender<Status>,
}

/// Checks the settings, and registers the checks and metrics before the listener of the probes starts.
///
/// # Errors
/// The settings contradict each other, or no cluster is configured.
pub(super) async fn prepare(operator: &mut Operator) -> Result<Option<Prepared>> {
    let Some(replicas) = operator.replicas.clone() else { return Ok(None) };
    replicas.check()?;
    let client = client(operator).await?;
    let namespace = replicas.namespace().unwrap_or_else(|| client.default_namespace().to_owned());
    let lease = LeaseName { namespace, name: replicas.name(operator) };
    let former = operator.previously.iter().map(|name| name.as_str().into());
    let names = Names { identity: identity(), operator: [operator.name.clone()].into_iter().chain(former).collect() };
    let Replicas { lease: duration, deadline, renew, .. } = replicas;
    let (status, _) = watch::channel(Status::default());
    #[cfg(feature = "metrics")]
    super::replicas_metrics::register(operator, &status, &lease.name);
    let times = Times { lease: duration, deadline, renew };
    Ok(Some(Prepared { gate: Leadership::closed(), client, lease, names, times, status }))
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
        let Self { gate, client, lease, names, times, status } = self;
        let (release, patience) = (CancellationToken::new(), times.deadline - times.renew);
        let tokens = (stop.clone(), release.clone());
        let election = Election { client, lease, names, times, gate, status, stop: tokens.0, release: tokens.1 };
        let task = AbortOnDropHandle::new(tokio::spawn(election.run().in_current_span()));
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

    fn seconds(lease: u64, deadline: u64, renew: u64) -> Replicas {
        let of = Duration::from_secs;
        Replicas { lease: of(lease), deadline: of(deadline), renew: of(renew), ..Replicas::default() }
    }

    #[test]
    fn times_that_could_make_two_leaders_are_rejected() {
        for (lease, deadline, renew) in [(15, 10, 3), (5, 3, 1), (300, 200, 60)] {
            assert_eq!(seconds(lease, deadline, renew).check(), Ok(()), "{lease} {deadline} {renew}");
        }
        for (replicas, word) in [
            (seconds(4, 2, 1), "`lease` of the replicas is 4s"),
            (seconds(301, 100, 1), "use 5s to 300s"),
            (seconds(15, 11, 3), "`deadline` 11s is too long"),
            (seconds(15, 10, 4), "`renew` 4s is too long"),
            (seconds(15, 10, 0), "whole seconds"),
            (Replicas { renew: Duration::from_millis(2500), ..seconds(15, 10, 3) }, "`renew` of the replicas is 2.5s"),
            (Replicas { name: Some("Shop".into()), ..seconds(15, 10, 3) }, "`Shop` cannot be the name"),
            (Replicas { namespace: Some("a/b".into()), ..seconds(15, 10, 3) }, "`a/b` cannot be the namespace"),
        ] {
            let error = replicas.check().unwrap_err();
            assert!(error.to_string().contains(word) && error.reason() == Reason::Setup, "{error}");
        }
    }

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
        assert!(prepared.lease.name.starts_with("shop-") && !prepared.gate.is_open());
    }
}

//! One run of a scenario, with all rules or without one of them.

use std::future::{Future, pending};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use evenkeel::Operator;
use futures::{FutureExt, TryFutureExt};
use kube::Client;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::RecvError;
use tokio_util::task::AbortOnDropHandle;

use super::grant::Grant;
use super::install::Installation;
use crate::cluster::Cluster;
use crate::effect::Effect;
use crate::fault::Fault;
use crate::log::Entry;
use crate::registry::Verb;

/// How long the operator may take after its restart, in virtual time.
const SETTLES: Duration = Duration::from_secs(60);
/// How long the first replica may take until it has the lease.
const HEAD_START: Duration = Duration::from_secs(1);
/// How many writes of a verb to a resource end with a conflict. After two, the operator reads the object.
const CONFLICTS: usize = 4;
/// How often the log is searched for a forbidden request.
const LOOKS: Duration = Duration::from_millis(100);

/// The cluster of a running scenario.
#[derive(Clone)]
pub struct Scene {
    cluster: Cluster,
}

impl Scene {
    /// The cluster, to cause faults or to look at its log.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A client that may do everything.
    #[must_use]
    pub fn client(&self) -> Client {
        self.cluster.client()
    }
}

type Running = Pin<Box<dyn Future<Output = ()>>>;

/// What happens in the cluster while the operator runs.
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) run: Box<dyn Fn(Scene) -> Running>,
}

/// What others do in the meantime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weather {
    /// Nothing.
    Fair,
    /// They change each object before the operator does, at first.
    Conflicts,
}

impl Weather {
    pub(super) const ALL: [Self; 2] = [Self::Fair, Self::Conflicts];
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// As with all rules.
    Complete,
    /// A request of the operator was forbidden.
    Forbidden,
    /// The scenario panicked, or the operator ended.
    Failed(String),
}

/// What was seen in a run.
pub(super) struct Ran {
    pub(super) ending: Ending,
    /// The requests of the operator.
    pub(super) requests: Vec<Entry>,
}

/// Runs a scenario, and a restart of the operator after it; with a lease, the end of two leaders. Without one of the rules, it ends at the first
/// forbidden request.
pub(super) async fn trial(
    operator: &dyn Fn() -> Operator,
    installation: &Installation,
    scenario: &Scenario,
    missing: Option<&Grant>,
    weather: Weather,
) -> Ran {
    let cluster = Cluster::builder().rbac().start().await;
    installation.apply(&cluster.client(), missing).await;
    if weather == Weather::Conflicts {
        add_conflicts(&cluster, installation);
    }
    let site = Site { operator, installation, cluster: &cluster, is_complete: missing.is_none() };
    let ending = site.endure(scenario).await.err().unwrap_or(Ending::Complete);
    Ran { ending, requests: requests(&cluster, installation) }
}

/// The operator in its cluster.
struct Site<'a> {
    operator: &'a dyn Fn() -> Operator,
    installation: &'a Installation,
    cluster: &'a Cluster,
    /// Whether the operator has all rules.
    is_complete: bool,
}

impl Site<'_> {
    async fn endure(&self, scenario: &Scenario) -> Result<(), Ending> {
        let first = self.start();
        let standby = if self.installation.elects() { Some(self.standby().await?) } else { None };
        let life = AssertUnwindSafe((scenario.run)(Scene { cluster: self.cluster.clone() })).catch_unwind();
        let lived = self.unless_forbidden(life).await;
        let term = self.installation.term(self.cluster).await;
        let crashed = first.crash().await;
        let lived = lived?;
        // An operator that has ended explains a scenario that fails.
        crashed?;
        lived.map_err(|_| Ending::Failed("it panicked".to_owned()))?;
        match standby {
            Some(standby) => self.replace_leaders(term, standby).await,
            None => {
                let second = self.start();
                self.settle().await?;
                second.crash().await
            }
        }
    }

    fn start(&self) -> Process {
        let operator = self.installation.started((self.operator)(), self.cluster).paged_lists();
        self.installation.serve(self.cluster, &operator);
        Process::start(operator)
    }

    /// Starts a second replica, when the first one has the lease.
    async fn standby(&self) -> Result<Process, Ending> {
        self.unless_forbidden(tokio::time::sleep(HEAD_START)).await?;
        Ok(self.start())
    }

    /// The leader of this term has crashed, and the standby takes over. Another replica takes over when that one stops.
    async fn replace_leaders(&self, term: i32, standby: Process) -> Result<(), Ending> {
        let term = self.next_term(term, "crashed").await?;
        let third = self.start();
        self.settle().await?;
        standby.stop().await?;
        self.next_term(term, "stopped").await?;
        self.settle().await?;
        third.crash().await
    }

    /// Waits until another replica leads. Returns its term.
    async fn next_term(&self, term: i32, fate: &str) -> Result<i32, Ending> {
        let next = async {
            loop {
                match self.installation.term(self.cluster).await {
                    next if next > term => return next,
                    _ => tokio::time::sleep(LOOKS).await,
                }
            }
        };
        let next = self.unless_forbidden(tokio::time::timeout(SETTLES, next)).await?;
        next.map_err(|_| Ending::Failed(format!("no replica took over from the leader that {fate}")))
    }

    /// Gives the operator time.
    async fn settle(&self) -> Result<(), Ending> {
        self.unless_forbidden(tokio::time::sleep(SETTLES)).await
    }

    /// Runs something until, without one of the rules, a request is forbidden.
    async fn unless_forbidden<T>(&self, work: impl Future<Output = T>) -> Result<T, Ending> {
        tokio::select! {
            done = work => Ok(done),
            () = forbidden(self.cluster, self.installation), if !self.is_complete => Err(Ending::Forbidden),
        }
    }
}

/// A process of the operator. It ends when this value is dropped.
struct Process {
    stop: oneshot::Sender<()>,
    task: AbortOnDropHandle<evenkeel::Result>,
}

impl Process {
    fn start(operator: Operator) -> Self {
        let (stop, stopped) = oneshot::channel();
        // A dropped sender is no stop.
        let stopped = stopped.or_else(|_| pending::<Result<(), RecvError>>());
        let task = AbortOnDropHandle::new(tokio::spawn(operator.run_until(stopped.map(drop))));
        Self { stop, task }
    }

    /// Ends it as a crash does.
    ///
    /// # Errors
    /// Why it has ended before.
    async fn crash(self) -> Result<(), Ending> {
        self.task.abort();
        match self.task.await {
            Ok(ended) => Err(Ending::Failed(format!("the operator ended: {ended:?}"))),
            Err(error) if error.is_cancelled() => Ok(()),
            Err(error) => Err(Ending::Failed(error.to_string())),
        }
    }

    /// Stops it, as a cluster does.
    ///
    /// # Errors
    /// It has ended before, or it did not stop.
    async fn stop(self) -> Result<(), Ending> {
        let is_running = self.stop.send(()).is_ok();
        match self.task.await {
            Ok(Ok(())) if is_running => Ok(()),
            ended => Err(Ending::Failed(format!("the operator ended: {ended:?}"))),
        }
    }
}

/// The first patches and deletions of the operator end with a conflict, on each resource.
fn add_conflicts(cluster: &Cluster, installation: &Installation) {
    for grant in installation.grants() {
        let verb = match &*grant.verb {
            "patch" => Verb::Patch,
            "delete" => Verb::Delete,
            _ => continue,
        };
        let (resource, subresource) = grant.resource.split_once('/').unwrap_or((&grant.resource, ""));
        let fault = Fault::new(Effect::Conflict).verb(verb).group(&grant.group).resource(resource);
        cluster.faults().add(fault.subresource(subresource).caller(&installation.caller).times(CONFLICTS));
    }
}

fn requests(cluster: &Cluster, installation: &Installation) -> Vec<Entry> {
    cluster.log().filter(|entry| entry.impersonated.as_ref() == Some(&installation.user) && !entry.resource.is_empty())
}

/// Waits for the first forbidden request.
async fn forbidden(cluster: &Cluster, installation: &Installation) {
    while requests(cluster, installation).iter().all(|entry| entry.code != 403) {
        tokio::time::sleep(LOOKS).await;
    }
}

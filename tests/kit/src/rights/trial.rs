//! One run of a scenario, with all rules or without one of them.

use std::future::{Future, pending};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use evenkeel::Operator;
use futures::FutureExt;
use kube::Client;
use tokio::task::JoinHandle;

use super::grant::Grant;
use super::install::Installation;
use crate::cluster::Cluster;
use crate::effect::Effect;
use crate::fault::Fault;
use crate::log::Entry;
use crate::registry::Verb;

/// How long the operator may take after its restart, in virtual time.
const SETTLES: Duration = Duration::from_secs(60);
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

/// Runs a scenario, and a restart of the operator after it. Without one of the rules, it ends at the first forbidden request.
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
    let start = || {
        let operator = operator().client(cluster.client_as(&installation.user)).paged_lists();
        installation.serve(&cluster, &operator);
        operator.run_until(pending())
    };
    let first = tokio::spawn(start());
    let life = AssertUnwindSafe((scenario.run)(Scene { cluster: cluster.clone() })).catch_unwind();
    let mut ending = tokio::select! {
        ended = life => ended.map_or_else(|_| Ending::Failed("it panicked".to_owned()), |()| Ending::Complete),
        () = forbidden(&cluster, installation), if missing.is_some() => Ending::Forbidden,
    };
    if let Some(why) = ended(first).await {
        ending = Ending::Failed(why);
    }
    if ending == Ending::Complete {
        let second = tokio::spawn(start());
        tokio::select! {
            () = tokio::time::sleep(SETTLES) => {}
            () = forbidden(&cluster, installation), if missing.is_some() => ending = Ending::Forbidden,
        }
        if let Some(why) = ended(second).await {
            ending = Ending::Failed(why);
        }
    }
    Ran { ending, requests: requests(&cluster, installation) }
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

/// Ends the operator, as a crash does; or why it has ended before.
async fn ended(operator: JoinHandle<evenkeel::Result>) -> Option<String> {
    operator.abort();
    match operator.await {
        Ok(ended) => Some(format!("the operator ended: {ended:?}")),
        Err(error) if error.is_cancelled() => None,
        Err(error) => Some(error.to_string()),
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

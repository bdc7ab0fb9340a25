//! What a pass knows of the dependents of its object.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::Event;
use tokio::time::Instant;

use super::calls::Calls;
use super::rolled_out::RolledOut;
use super::seen_dependents::SeenDependents;
use crate::api::{StepSite, WantedSets};
use crate::client::StepClient;
use crate::lock::{Mutex, MutexGuard};
use crate::queue::Key;
use crate::watch::clusters::{Cluster, Clusters};
use crate::watch::dependents::DependentCache;

/// The calls for the dependents of one component in one pass.
pub(in crate::pass) struct ComponentCalls {
    pub(in crate::pass) cache: DependentCache,
    pub(in crate::pass) clusters: Clusters,
    /// The name of the operator, which each dependent has as a label.
    pub(in crate::pass) operator: Arc<str>,
    /// What has changed since the sets were last as wanted.
    pub(in crate::pass) rolled_out: RolledOut,
    /// The sets of this pass.
    pub(in crate::pass) wanted: WantedSets,
    /// The dependents that the pass has looked at.
    pub(in crate::pass) seen: SeenDependents,
    time: Mutex<TimeLimit>,
    /// Events on dependents, with the dependents that they are about.
    events: Mutex<Vec<(Event, ObjectReference)>>,
    /// The sites of steps.
    sites: Mutex<HashMap<&'static str, KnownSite>>,
}

/// When the calls for a set have to end, so that the pass is not cut off.
#[derive(Default)]
struct TimeLimit {
    /// The end of the pass.
    pass: Option<Instant>,
    /// The end of the calls.
    calls: Option<Instant>,
}

/// The site of a step.
#[derive(Clone)]
struct KnownSite {
    client: Arc<StepClient>,
    /// `None`: that of the operator.
    cluster: Option<Arc<Cluster>>,
    /// Why its calls are not sent.
    problem: Option<String>,
    /// Whether the operator deletes what the user may not delete any more.
    last_resort: bool,
}

impl ComponentCalls {
    /// The calls of a pass that finds this sum over its dependents.
    pub(in crate::pass) fn new(
        (cache, clusters): (DependentCache, Clusters),
        operator: Arc<str>,
        rolled_out: RolledOut,
        seen: SeenDependents,
    ) -> Self {
        let (wanted, time) = (WantedSets::default(), Mutex::default());
        Self {
            cache,
            clusters,
            operator,
            rolled_out,
            wanted,
            seen,
            time,
            events: Mutex::default(),
            sites: Mutex::default(),
        }
    }

    fn time(&self) -> MutexGuard<'_, TimeLimit> {
        self.time.lock()
    }

    /// Sets the time after which the pass is cut off.
    pub(in crate::pass) fn end_pass_after(&self, limit: Duration) {
        self.time().pass = Some(Instant::now() + limit);
    }

    /// Limits the calls for the set of a step with this timeout to half of the time that is left.
    pub(in crate::pass) fn limit_calls(&self, timeout: Option<Duration>) {
        let (mut time, now) = (self.time(), Instant::now());
        let left = time.pass.map(|end| end.saturating_duration_since(now)).into_iter().chain(timeout).min();
        time.calls = left.map(|left| now + left / 2);
    }

    /// Whether that time is over.
    pub(in crate::pass) fn is_late(&self) -> bool {
        self.time().calls.is_some_and(|end| end <= Instant::now())
    }

    /// Queues an event on a dependent.
    pub(in crate::pass) fn record(&self, event: Event, about: ObjectReference) {
        self.events.lock().push((event, about));
    }

    /// Removes the events, in order.
    pub(in crate::pass) fn take_events(&self) -> Vec<(Event, ObjectReference)> {
        std::mem::take(&mut *self.events.lock())
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<&'static str, KnownSite>> {
        self.sites.lock()
    }

    /// Lets the calls of a step act at this site; `own` is the client of the operator.
    pub(in crate::pass) async fn act_at(
        &self,
        (component, step): (&Key, &'static str),
        site: Result<StepSite, String>,
        own: &Arc<StepClient>,
    ) {
        let found = match site {
            Ok(StepSite::Elsewhere(kubeconfig)) => {
                let entered = self.clusters.enter((component, step), &kubeconfig, own).await;
                let invalid = |why| format!("the kubeconfig of the site of the step `{step}` is refused: {why}");
                entered.map_err(invalid).map(|cluster| KnownSite {
                    client: cluster.client.clone(),
                    cluster: Some(cluster),
                    problem: None,
                    last_resort: false,
                })
            }
            Ok(StepSite::HereAs { user, last_resort }) => {
                let site = self.leave((component, step), Arc::new(own.acting_as(&user)));
                Ok(KnownSite { last_resort, ..site })
            }
            Ok(StepSite::Here) => Ok(self.leave((component, step), own.clone())),
            Err(why) => Err(why),
        };
        let site = found.unwrap_or_else(|why| KnownSite {
            client: Arc::new(own.refusing(&why)),
            cluster: None,
            problem: Some(why),
            last_resort: false,
        });
        self.sites().insert(step, site);
    }

    fn leave(&self, (component, step): (&Key, &str), client: Arc<StepClient>) -> KnownSite {
        self.clusters.leave(component, step);
        KnownSite { client, cluster: None, problem: None, last_resort: false }
    }

    /// Lets the calls of a step, which has no site of its own, be sent by this client.
    pub(in crate::pass) fn act_by(&self, step: &'static str, client: Arc<StepClient>) {
        self.sites().insert(step, KnownSite { client, cluster: None, problem: None, last_resort: false });
    }

    /// Whether it was said where and as whom the calls of the step act.
    pub(in crate::pass) fn has_site(&self, step: &str) -> bool {
        self.sites().contains_key(step)
    }

    /// Why the calls of the step are not sent.
    pub(in crate::pass) fn problem(&self, step: &str) -> Option<String> {
        self.sites().get(step)?.problem.clone()
    }

    /// Whether the operator deletes what the user of the step may not delete any more.
    pub(in crate::pass) fn has_last_resort(&self, step: &str) -> bool {
        self.sites().get(step).is_some_and(|site| site.last_resort)
    }

    /// The other cluster in which the step acts.
    pub(in crate::pass) fn cluster(&self, step: &str) -> Option<Arc<Cluster>> {
        self.sites().get(step)?.cluster.clone()
    }

    /// The steps that act in other clusters.
    pub(in crate::pass) fn elsewhere(&self) -> Vec<(&'static str, Arc<Cluster>)> {
        let of = |(step, site): (&&'static str, &KnownSite)| Some((*step, site.cluster.clone()?));
        self.sites().iter().filter_map(of).collect()
    }

    /// The same calls with the client of their step.
    pub(in crate::pass) fn at_their_site(&self, mut calls: Calls) -> Calls {
        if let Some(site) = self.sites().get(calls.sender.step) {
            calls.sender.client = site.client.clone();
        }
        calls
    }
}

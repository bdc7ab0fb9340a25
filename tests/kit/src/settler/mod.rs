//! A stand-in for the controllers of a cluster: workloads become ready after a delay, or never.

mod rule;
mod single;
mod status;
mod tend;
mod workload;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kube::Resource;
use tokio_util::task::AbortOnDropHandle;

use crate::cluster::Cluster;
use crate::lock::Mutex;
use rule::RULES;
use tend::{Tending, tend};

/// Makes workloads ready after a delay, as the controllers and the kubelet of a cluster do.
///
/// It writes the status of Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs, Pods and PersistentVolumeClaims:
///
/// - At once, the status reports the generation of the object and that its pods start.
/// - After the delay, all replicas are ready, a Job has completed, and a claim is bound. Without a delay, this is the
///   only write.
/// - An object that [`never`](Self::never) names remains in the first state.
///
/// A change of the spec has the same effect as a new object. The delay is that of tokio's clock, so under paused time
/// it takes no real time. It begins again if the generation of the object changes.
///
/// The writes obey the rules of the server. They are not in the request log, and fault rules do not apply to them. Their
/// field manager is `kube-controller-manager`.
///
/// There are no pods behind the counts, a DaemonSet has one node, a suspended Job does not run, and only the status
/// changes.
///
/// ```
/// use std::time::Duration;
/// use evenkeel_testkit::{Cluster, Settler, until};
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube::Api;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let cluster = Cluster::start().await;
/// let settling = Settler::new().after(Duration::from_secs(20)).never::<Deployment>("stuck").start(&cluster);
/// for name in ["web", "stuck"] {
///     let pods = "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";
///     let spec = format!("{{replicas: 2, selector: {{matchLabels: {{a: b}}}}, template: {pods}}}");
///     cluster.seed(&*format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {spec}}}")).await.unwrap();
/// }
/// let deployments: Api<Deployment> = Api::default_namespaced(cluster.client());
/// let available = |one: &Deployment| one.status.as_ref().and_then(|status| status.available_replicas);
/// until(&deployments, "web", Duration::from_secs(60), |web| available(web) == Some(2)).await;
/// assert_eq!(available(&deployments.get("stuck").await.unwrap()), None);
/// assert_eq!(settling.settled::<Deployment>(), ["default/web"]);
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a settler does nothing until it is started"]
pub struct Settler {
    delay: Duration,
    never: BTreeSet<(String, String)>,
}

impl Settler {
    /// Creates a settler without a delay.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time until an object is ready.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Adds the name of an object that never becomes ready, in any namespace.
    pub fn never<K: Resource<DynamicType = ()>>(mut self, name: &str) -> Self {
        self.never.insert((K::plural(&()).into_owned(), name.to_owned()));
        self
    }

    /// Starts the settler for all existing and future objects of the cluster.
    ///
    /// Call this inside the tokio runtime of the cluster.
    pub fn start(self, cluster: &Cluster) -> Settling {
        let settled = Settled::default();
        let tasks = RULES.iter().map(|rule| {
            let held = self.never.iter().filter(|(plural, _)| plural == rule.plural);
            let held = held.map(|(_, name)| name.clone()).collect();
            let record = settled.clone();
            let ready = move |name: String| record.add(rule.plural, name);
            let tending = Tending::new(Arc::clone(cluster.server()), rule, self.delay, held, ready);
            AbortOnDropHandle::new(tokio::spawn(tend(tending)))
        });
        Settling { _tasks: tasks.collect(), settled }
    }
}

/// A running [`Settler`]. Dropping it stops the writes.
#[derive(Debug)]
#[must_use = "the settler stops when this is dropped"]
pub struct Settling {
    _tasks: Vec<AbortOnDropHandle<()>>,
    settled: Settled,
}

impl Settling {
    /// Returns the objects of a kind that became ready so far, such as `default/web`, in this order.
    ///
    /// An object that was changed or recreated is listed again.
    #[must_use]
    pub fn settled<K: Resource<DynamicType = ()>>(&self) -> Vec<String> {
        let plural = K::plural(&());
        let all = self.settled.0.lock();
        all.iter().filter(|(of, _)| *of == plural).map(|(_, name)| name.clone()).collect()
    }
}

/// The plural and the name of each object that became ready.
#[derive(Clone, Debug, Default)]
struct Settled(Arc<Mutex<Vec<(&'static str, String)>>>);

impl Settled {
    fn add(&self, plural: &'static str, name: String) {
        self.0.lock().push((plural, name));
    }
}

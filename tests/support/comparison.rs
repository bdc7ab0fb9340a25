//! A comparison: one operator, written with evenkeel and hand-written in two ways, over the wire to the in-process server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_bench::hand::{self, Work};
use evenkeel_bench::kind::{NAMESPACE, Release, release};
use evenkeel_bench::ours::{self, Lab};
use evenkeel_testkit::{Cluster, Effect, Fault, Seed};
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::ApiResource;
use kube::{Api, CustomResourceExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::recording_client::{Call, Wire};

/// The compared operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Written with evenkeel.
    Ours,
    /// The naive baseline, as in the examples of kube.
    B0,
    /// The tuned baseline.
    B1,
}

/// All three.
pub const ALL: [Who; 3] = [Who::Ours, Who::B0, Who::B1];

/// The work of the operator per object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A status.
    Plain,
    /// A finalizer and a status.
    Finalized,
    /// A finalizer, a child and a status.
    Parent,
    /// The same, with an hourly resync of evenkeel.
    Hourly,
}

/// The shapes that evenkeel reconciles only on a change.
pub const SHAPES: [Shape; 3] = [Shape::Plain, Shape::Finalized, Shape::Parent];

/// The resync interval of the hand-written ones, as in the examples of kube.
const RESYNC: Duration = Duration::from_secs(300);
/// Long enough for everything that is due, shorter than every interval.
const SETTLED: Duration = Duration::from_secs(20);

/// The cost of one step of a life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Writes of objects and children.
    pub writes: usize,
    /// Sent Kubernetes events.
    pub events: usize,
    /// Reads of single objects or children.
    pub reads: usize,
    /// Bodies of evenkeel, passes of the others.
    pub passes: usize,
}

/// One of the three operators with its server.
pub struct Contest {
    /// The server.
    pub cluster: Cluster,
    /// The wire between the operator and the server.
    pub wire: Wire,
    /// The concurrency of a hand-written one; 0 is its default.
    pub limit: u16,
    who: Who,
    shape: Shape,
    lab: Arc<Lab>,
    passes: Arc<AtomicUsize>,
    times: Arc<Mutex<Vec<(Instant, Call)>>>,
    running: Option<JoinHandle<()>>,
}

impl Contest {
    /// Creates it with the CRD and without objects; the operator is not started.
    ///
    /// # Panics
    /// The server rejects the CRD.
    pub async fn new(who: Who, shape: Shape) -> Self {
        Self::with(who, shape, Lab::default()).await
    }

    /// The same, with a deliberate mistake.
    ///
    /// # Panics
    /// The server rejects the CRD.
    pub async fn with(who: Who, shape: Shape, lab: Lab) -> Self {
        let cluster = Cluster::start().await;
        cluster.seed(&Release::crd()).await.expect("the definition");
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        cluster.seed(namespace).await.expect("the namespace");
        let (wire, times) = (Wire::default(), Arc::<Mutex<Vec<_>>>::default());
        let (passes, lab) = (Arc::default(), Arc::new(lab));
        Self { cluster, wire, limit: 0, who, shape, lab, passes, times, running: None }
    }

    /// Creates this many objects, from `release-0` on.
    ///
    /// # Panics
    /// The server rejects them.
    pub async fn create(&self, count: usize) {
        let mut object = release("release");
        object["metadata"]["namespace"] = json!(NAMESPACE);
        self.cluster.seed(Seed::from(object).times(count)).await.expect("the objects are taken");
    }

    fn api(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.cluster.client(), NAMESPACE, &ApiResource::erase::<Release>(&()))
    }

    /// Starts the operator.
    pub fn start(&mut self) {
        let client = self.wire.client(&self.cluster.client());
        let work = Work {
            idle: false,
            finalizer: self.shape != Shape::Plain,
            children: usize::from(matches!(self.shape, Shape::Parent | Shape::Hourly)),
            stamps: self.lab.stamps,
            every: Some(RESYNC),
            limit: self.limit,
            ..Work::default()
        };
        self.running = Some(match self.who {
            Who::B0 => tokio::spawn(hand::b0(client, work, self.passes.clone())),
            Who::B1 => tokio::spawn(hand::b1(client, work, self.passes.clone())),
            Who::Ours => {
                let (operator, lab) = (Operator::new("ours").client(client), self.lab.clone());
                let operator = match self.shape {
                    Shape::Plain => operator.reconciler::<ours::plain>(lab),
                    Shape::Finalized => operator.reconciler::<ours::finalized>(lab),
                    Shape::Parent => operator.reconciler::<ours::parent>(lab),
                    Shape::Hourly => operator.reconciler::<ours::hourly>(lab),
                };
                tokio::spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") })
            }
        });
    }

    /// Stops it at once.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            let _ = running.await;
        }
    }

    /// Merges a patch into this many objects, from `release-0` on.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn patch(&self, count: usize, patch: &Value) {
        for at in 0..count {
            self.change(&format!("release-{at}"), patch).await;
        }
    }

    /// Merges a patch into one object.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn change(&self, name: &str, patch: &Value) {
        let patched = Patch::Merge(patch);
        self.api().patch(name, &PatchParams::default(), &patched).await.expect("the patch is taken");
    }

    /// Deletes this many objects, from `release-0` on.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn delete(&self, count: usize) {
        for at in 0..count {
            self.api().delete(&format!("release-{at}"), &DeleteParams::default()).await.expect("it may go");
        }
    }

    /// Drops the history of the server and ends the watches, so that they list again.
    ///
    /// # Panics
    /// The server rejects a write.
    pub async fn forget(&self) {
        let map =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "aside", "namespace": "default" } });
        self.cluster.seed(map).await.expect("a change elsewhere");
        self.cluster.compact();
        self.cluster.drop_watches();
    }

    /// The cost within a time, from now on.
    pub async fn cost_within(&self, time: Duration) -> Cost {
        self.wire.clear();
        let before = self.passes();
        sleep(time).await;
        self.cost_since(before)
    }

    /// The cost of a step and of everything that follows.
    pub async fn cost_of(&self, step: impl Future<Output = ()>) -> Cost {
        self.wire.clear();
        let before = self.passes();
        step.await;
        sleep(SETTLED).await;
        self.cost_since(before)
    }

    fn cost_since(&self, before: usize) -> Cost {
        let calls = self.wire.calls();
        let count = |like: fn(&Call) -> bool| calls.iter().filter(|call| like(call)).count();
        Cost {
            writes: count(|call| call.is_write() && !call.is_event()),
            events: count(|call| call.is_write() && call.is_event()),
            reads: count(|call| {
                !call.is_write() && (call.path.contains("/releases/") || call.path.contains("/configmaps/"))
            }),
            passes: self.passes() - before,
        }
    }

    /// The passes so far; for evenkeel only those that ran the body.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.lab.bodies() + self.passes.load(Ordering::Relaxed)
    }

    /// Adds this latency to each call from now on.
    pub fn wait_each(&self, time: Duration) {
        self.cluster.faults().add(Fault::new(Effect::Latency(time)).always());
    }

    /// Records the time of each call from now on.
    pub fn clock(&self) {
        let times = self.times.clone();
        self.wire.fault(move |call| {
            times.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), call.clone()));
            None
        });
    }

    /// The times of the matching calls.
    #[must_use]
    pub fn times(&self, like: impl Fn(&Call) -> bool) -> Vec<Instant> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.iter().filter(|(_, call)| like(call)).map(|(at, _)| *at).collect()
    }
}

//! A cluster, and the operator of the cases.

use std::time::Duration;

use evenkeel::{Operator, ReconciledKind, Watcher};
use evenkeel_testkit::Cluster;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, World};
use kube::core::NamespaceResourceScope;
use kube::{CustomResourceExt, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::kinds::{Foreign, Record, Texted};
use super::plot::{Plot, long, short};

/// The namespace of the objects.
pub(super) const NAMESPACE: &str = "ns";

/// Long enough for everything that is due now, and shorter than every pause before a retry.
const NOW: Duration = Duration::from_millis(500);

/// A kind whose objects the cases create.
pub(super) trait Kept:
    Texted + Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + std::fmt::Debug
{
}

impl<K> Kept for K where
    K: Texted + Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + std::fmt::Debug
{
}

/// A cluster, the plot of the watchers, and an operator.
pub(super) struct Lab {
    pub(super) world: World,
    pub(super) plot: Plot,
    operator: Option<Running>,
}

impl Lab {
    pub(super) async fn new() -> Self {
        let mut world = World::within(Cluster::start().await);
        world.namespace = NAMESPACE.into();
        world.create_namespace().await;
        for definition in [Record::crd(), Foreign::crd()] {
            world.install(&definition).await;
        }
        let plot = Plot::default();
        let answers = plot.clone();
        world.wire.fault(move |call| answer(&answers, call));
        Self { world, plot, operator: None }
    }

    /// An operator with this watcher.
    pub(super) fn prepare<W: Watcher<Object: ReconciledKind>>(&self, deps: impl Into<W::Deps>) -> Operator {
        self.world.wire.observers().know::<W>();
        let plot = self.plot.clone();
        let operator = Operator::new("tester").client(self.world.wire.client(&self.world.client));
        operator.namespaces([NAMESPACE]).on_pass_end(move |report| plot.reported(report)).watcher::<W>(deps)
    }

    /// Starts an operator with this watcher.
    pub(super) fn operate<W: Watcher<Object: ReconciledKind>>(&mut self, deps: impl Into<W::Deps>) {
        let operator = self.prepare::<W>(deps);
        self.run(operator);
    }

    pub(super) fn run(&mut self, operator: Operator) {
        self.operator = Some(Running::start(operator));
    }

    pub(super) async fn stop(&mut self) {
        self.operator.take().unwrap().stop().await.unwrap();
    }

    /// Waits for everything that is due now.
    pub(super) async fn settle(&self) {
        tokio::time::sleep(NOW).await;
    }

    /// Creates an object.
    pub(super) async fn create<K: Kept>(&self, name: &str) {
        self.world.create::<K>(K::object(name, "one")).await;
    }

    /// Creates the object of the case with finalizers under the names of the cases.
    pub(super) async fn create_held<K: Kept>(&self, finalizers: &Value) {
        let held: Vec<String> =
            finalizers.as_array().into_iter().flatten().filter_map(Value::as_str).map(long).collect();
        let mut object = K::object("x", "one");
        object["metadata"]["finalizers"] = json!(held);
        self.plot.lock().held = held;
        self.world.create::<K>(object).await;
    }

    /// Changes the content of the object of the case.
    pub(super) async fn rewrite<K: Kept>(&self, text: &str) {
        let mut object = K::object("x", text);
        object.as_object_mut().unwrap().retain(|key, _| ["spec", "data"].contains(&key.as_str()));
        self.world.merge::<K>("x", object).await;
    }

    /// Changes a label of the object of the case, which does not change its generation.
    pub(super) async fn label<K: Kept>(&self) {
        self.world.merge::<K>("x", json!({ "metadata": { "labels": { "a": "b" } } })).await;
    }

    pub(super) async fn delete<K: Kept>(&self) {
        self.world.delete::<K>("x").await;
    }

    /// The object of the case; null if it is gone.
    pub(super) async fn object<K: Kept>(&self) -> Value {
        match self.world.api::<K>().get_opt("x").await.unwrap() {
            Some(_) => self.world.raw::<K>("x").await,
            None => Value::Null,
        }
    }

    /// The finalizers of the object of the case, under the names of the cases.
    pub(super) async fn held<K: Kept>(&self) -> Vec<String> {
        let object = self.object::<K>().await;
        let held = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        held.iter().filter_map(Value::as_str).map(|one| short(one).to_owned()).collect()
    }

    /// Forgets what has happened.
    pub(super) fn begin(&self) {
        self.plot.clear();
        self.world.wire.clear();
    }

    /// How often the operator read the object of the case.
    pub(super) fn reads(&self) -> usize {
        self.world.wire.count(|call| call.method == "GET" && call.path.ends_with("/x"))
    }

    /// How often the operator wrote the status of the object of the case.
    pub(super) fn status_writes(&self) -> usize {
        self.world.wire.count(|call| call.is_status_write() && call.path.ends_with("/x/status"))
    }

    /// Runs the operator with a listener, and returns how often each result of `action` was counted.
    pub(super) async fn counted(
        &mut self,
        operator: Operator,
        metric: &str,
        action: impl AsyncFnOnce(&Self),
    ) -> Vec<(String, f64)> {
        let (operator, address) = listening(operator);
        self.run(operator);
        self.settle().await;
        let before = samples(address).await;
        action(self).await;
        let after = samples(address).await;
        let is_it = |name: &str| name.split('{').next() == Some(metric);
        let grown = after.into_iter().filter(|(name, _)| is_it(name));
        let grown = grown.map(|(name, value)| {
            let earlier = before.get(&name).copied().unwrap_or_default();
            (name, value - earlier)
        });
        grown.filter(|(_, more)| *more > 0.0).collect()
    }
}

/// The answer of the wire to a call; `None`: that of the server.
fn answer(plot: &Plot, call: &Call) -> Option<Fault> {
    let refused = |code| Fault::Answer(code, None);
    let mut state = plot.lock();
    if state.is_down && call.method == "GET" && ["/records", "/foreigns"].iter().any(|end| call.path.ends_with(end)) {
        return Some(refused(503));
    }
    if state.fails_status && call.is_status_write() {
        return Some(refused(500));
    }
    let is_object = ["/records/x", "/foreigns/x", "/configmaps/x"].iter().any(|end| call.path.ends_with(end));
    if !call.is_write() || !is_object || !call.body.contains("finalizers") {
        return None;
    }
    let body: Value = serde_json::from_str(&call.body).unwrap();
    let list = match body.as_array() {
        Some(operations) => {
            operations.iter().find(|one| one["path"] == "/metadata/finalizers").map(|one| &one["value"])
        }
        None => Some(&body["metadata"]["finalizers"]),
    };
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let finalizers = list.filter_map(Value::as_str).map(ToOwned::to_owned).collect();
    state.attempted(body.clone(), finalizers).map(refused)
}

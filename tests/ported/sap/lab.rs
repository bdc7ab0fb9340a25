//! A cluster with components, and the operator of the cases.

use std::time::Duration;

use evenkeel::policy::POLICY;
use evenkeel_testkit::Cluster;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::condition;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::CustomResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::reflector::ObjectRef;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::component::{Baz, Component, Foo, Plot, component};

/// The namespace of the components.
pub(super) const NAMESPACE: &str = "ns";
/// Long enough for everything that is due now.
const NOW: Duration = Duration::from_secs(2);

/// A cluster, the script of the author's functions, and an operator.
pub(super) struct Lab {
    pub(super) world: World,
    pub(super) plot: Plot,
    trigger: Option<UnboundedSender<ObjectRef<Component>>>,
    operator: Option<Running>,
}

impl Lab {
    /// A cluster without an operator.
    pub(super) async fn new() -> Self {
        let mut world = World::within(Cluster::start().await);
        world.namespace = NAMESPACE.into();
        world.create_namespace().await;
        for definition in [Component::crd(), Foo::crd()] {
            world.install(&definition).await;
        }
        let plot = Plot::default();
        plot.lock().wire = world.wire.clone();
        Self { world, plot, trigger: None, operator: None }
    }

    /// A cluster with a running operator.
    pub(super) async fn running() -> Self {
        let mut lab = Self::new().await;
        lab.operate();
        lab
    }

    pub(super) fn operate(&mut self) {
        self.operate_in(&[NAMESPACE]);
    }

    pub(super) fn operate_in(&mut self, namespaces: &[&str]) {
        let (trigger, triggered) = unbounded();
        let operator = self.world.prepare_in::<component>(namespaces, self.plot.clone());
        let operator = operator.trigger::<component>(triggered);
        (self.trigger, self.operator) = (Some(trigger), Some(Running::start(operator)));
    }

    pub(super) async fn stop(&mut self) {
        if let Some(operator) = self.operator.take() {
            operator.stop().await.unwrap();
        }
    }

    /// Triggers a pass.
    pub(super) fn trigger(&self, name: &str) {
        let object = ObjectRef::new(name).within(&self.world.namespace);
        self.trigger.as_ref().unwrap().unbounded_send(object).unwrap();
    }

    /// Waits for everything that is due now.
    pub(super) async fn settle(&self) {
        tokio::time::sleep(NOW).await;
    }

    /// Creates a component, and waits for what follows.
    pub(super) async fn open(&self, name: &str, spec: Value) {
        self.create(json!({ "name": name }), spec).await;
        self.settle().await;
    }

    pub(super) async fn create(&self, metadata: Value, spec: Value) {
        let object =
            json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Component", "metadata": metadata, "spec": spec });
        self.world.create::<Component>(object).await;
    }

    /// Creates a component or changes its spec, and waits for what follows.
    pub(super) async fn apply(&self, name: &str, spec: Value) {
        self.apply_at_once(name, spec).await;
        self.settle().await;
    }

    /// Creates a component or changes its spec.
    pub(super) async fn apply_at_once(&self, name: &str, spec: Value) {
        match self.component(name).await {
            Value::Null => self.create(json!({ "name": name }), spec).await,
            _ => _ = self.world.merge::<Component>(name, json!({ "spec": spec })).await,
        }
    }

    /// Removes a component, and leaves its objects as they are.
    pub(super) async fn abandon(&self, name: &str) {
        self.world
            .merge::<Component>(name, json!({ "metadata": { "annotations": { POLICY: "detach-on-delete" } } }))
            .await;
        self.delete(name).await;
        assert!(self.component(name).await.is_null());
    }

    /// Changes a component, and waits for what follows.
    pub(super) async fn change(&self, name: &str, patch: Value) {
        self.world.merge::<Component>(name, patch).await;
        self.settle().await;
    }

    /// Deletes a component, and waits for what follows.
    pub(super) async fn delete(&self, name: &str) {
        self.world.api::<Component>().delete(name, &DeleteParams::default()).await.unwrap();
        self.settle().await;
    }

    /// The component; null if it is gone.
    pub(super) async fn component(&self, name: &str) -> Value {
        match self.world.api::<Component>().get_opt(name).await.unwrap() {
            Some(_) => self.world.raw::<Component>(name).await,
            None => Value::Null,
        }
    }

    /// A condition of a component; null if it has none.
    pub(super) async fn condition(&self, name: &str, type_: &str) -> Value {
        condition(&self.component(name).await, type_).cloned().unwrap_or_default()
    }

    pub(super) async fn reason(&self, name: &str, type_: &str) -> String {
        self.condition(name, type_).await["reason"].as_str().unwrap_or_default().to_owned()
    }

    /// Sets the condition Ready of a Foo, and waits for what follows.
    pub(super) async fn set_ready(&self, name: &str, status: &str) {
        let ready = json!({ "type": "Ready", "status": status, "reason": "Case", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z" });
        let patch = Patch::Merge(json!({ "status": { "conditions": [ready] } }));
        self.world.api::<Foo>().patch_status(name, &PatchParams::default(), &patch).await.unwrap();
        self.settle().await;
    }

    pub(super) async fn is_ready(&self, name: &str) -> bool {
        self.condition(name, "Ready").await["status"] == "True"
    }

    /// The ConfigMap; null if it is gone.
    pub(super) async fn map(&self, name: &str) -> Value {
        match self.world.api::<ConfigMap>().get_opt(name).await.unwrap() {
            Some(_) => self.world.raw::<ConfigMap>(name).await,
            None => Value::Null,
        }
    }

    /// Another client creates an instance of the CRD that the component defines.
    pub(super) async fn create_foreign_instance(&self) {
        self.create_foreign("foreign").await;
    }

    pub(super) async fn create_foreign(&self, name: &str) {
        let meta = json!({ "name": name });
        let instance = json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Baz", "metadata": meta, "spec": {} });
        self.world.create::<Baz>(instance).await;
    }

    /// Changes a ConfigMap under the name of another field manager.
    pub(super) async fn edit(&self, name: &str, manager: &str, patch: Value) {
        let params = PatchParams { field_manager: Some(manager.into()), ..PatchParams::default() };
        self.world.api::<ConfigMap>().patch(name, &params, &Patch::Merge(patch)).await.unwrap();
    }

    /// The calls to the API server that change a dependent.
    pub(super) fn touched(&self) -> usize {
        self.world.wire.count(is_dependent)
    }

    /// How often a function of the author ran.
    pub(super) fn count(&self, name: &str) -> usize {
        self.plot.lock().runs.iter().filter(|run| run.name == name).count()
    }

    /// Waits until a function runs again, and returns the seconds since its last run; 0 if it has not run before.
    pub(super) async fn next_run(&self, name: &str) -> f64 {
        let before = self.count(name);
        let start = Instant::now();
        while self.count(name) <= before {
            assert!(start.elapsed() < Duration::from_secs(86_400), "{name} does not run again");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.pauses(name).last().copied().unwrap_or_default()
    }

    /// The seconds between the runs of a function.
    pub(super) fn pauses(&self, name: &str) -> Vec<f64> {
        let state = self.plot.lock();
        let times: Vec<Instant> = state.runs.iter().filter(|run| run.name == name).map(|run| run.at).collect();
        times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect()
    }

    /// Another client holds the object `foo` with a finalizer.
    pub(super) async fn hold_foo(&self) {
        self.world.merge::<Foo>("foo", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    }

    /// Whether the status of the component was written after its finalizer was removed.
    pub(super) fn is_status_written_after(&self) -> bool {
        let calls = self.world.wire.calls();
        let last = calls.iter().rposition(holds).unwrap();
        calls[last..].iter().any(Call::is_status_write)
    }

    /// Stores the Secret `s`.
    pub(super) async fn store_secret(&self, content: &str) {
        let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "key": content } });
        let params = PatchParams::apply("cases").force();
        self.world.api::<Secret>().patch("s", &params, &Patch::Apply(secret)).await.unwrap();
    }
}

/// Whether the call sets or removes the finalizer of a component.
pub(super) fn holds(call: &Call) -> bool {
    call.path.contains("/components/") && call.body.contains("finalizers")
}

/// Whether the call changes a dependent.
pub(super) fn is_dependent(call: &Call) -> bool {
    call.is_write()
        && ["/configmaps/", "/foos/", "/customresourcedefinitions/"].iter().any(|kind| call.path.contains(kind))
}

/// Whether the object has a finalizer of the operator.
pub(super) fn is_held(component: &Value) -> bool {
    let held = component["metadata"]["finalizers"].as_array().into_iter().flatten();
    held.filter_map(Value::as_str).any(|one| one == FINALIZER)
}

/// The finalizer of the reconciler.
pub(super) const FINALIZER: &str = "systems.evenkeel.dev/tester";

/// A component with one ConfigMap, `c`.
pub(super) fn of_map(content: &str, settings: &Value) -> Value {
    json!({ "objects": [{ "kind": "ConfigMap", "name": "c", "content": content, "settings": settings }] })
}

/// A component with a ConfigMap and a CRD.
pub(super) fn of_definition() -> Value {
    let mut spec = of_map("wanted", &json!({}));
    spec["objects"].as_array_mut().unwrap().push(json!({ "kind": "CRD bazs", "name": "" }));
    spec
}

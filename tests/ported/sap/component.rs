//! The component of the cases: its spec lists its objects, and a script sets the outcomes of the functions of the author.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError, Policies};
use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Wire;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::script::Wrong;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Component", namespaced, status = "ComponentStatus")]
pub(crate) struct ComponentSpec {
    /// The objects of the component.
    #[serde(default)]
    pub(crate) objects: Vec<Part>,
    #[serde(default)]
    pub(crate) policies: Option<Policies>,
    /// A Secret whose content becomes part of all ConfigMaps.
    #[serde(default)]
    pub(crate) reference: Option<String>,
    #[serde(default)]
    pub(crate) suspend: bool,
    /// The time between two passes, in seconds.
    #[serde(default)]
    pub(crate) requeue: Option<u64>,
    /// The time after which the objects are late, in seconds; 10 minutes without it.
    #[serde(default)]
    pub(crate) timeout: Option<u64>,
}

/// An object of a component.
#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Part {
    pub(crate) kind: String,
    pub(crate) name: String,
    /// The namespace; that of the component without it.
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    #[serde(default)]
    pub(crate) content: String,
    /// Annotations without their prefix.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
}

#[status(dependents)]
pub(crate) struct ComponentStatus {}

/// An object that is ready when its condition is True.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Foo", namespaced, status = "FooStatus")]
pub(crate) struct FooSpec {
    #[serde(default)]
    pub(crate) content: String,
}

/// An instance of a CRD that a component may have.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Baz", namespaced)]
pub(crate) struct BazSpec {}

#[derive(KubeSchema, Clone, Debug, Deserialize, Serialize)]
pub(crate) struct FooStatus {
    #[serde(default)]
    pub(crate) conditions: Vec<Condition>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ComponentCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
    /// All objects are ready.
    #[condition(positive)]
    Healthy,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ComponentError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(waiting)]
    Retrying(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(transparent)]
    Scripted(#[from] Wrong),
}

/// The errors of the functions of the author, and a record of their runs. All clones share one state.
#[derive(Clone, Default)]
pub(crate) struct Plot(Arc<Mutex<State>>);

#[derive(Default)]
pub(crate) struct State {
    /// The errors, by the names of the functions.
    pub(crate) errors: BTreeMap<&'static str, Wrong>,
    pub(crate) runs: Vec<Run>,
    /// Counts the calls to the API server.
    pub(crate) wire: Wire,
}

/// One run of a function of the author.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) name: &'static str,
    pub(crate) at: Instant,
    /// The number of calls to the API server before it.
    pub(crate) calls: usize,
}

impl Plot {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Sets the error of a function.
    pub(crate) fn fail(&self, name: &'static str, error: Wrong) {
        self.lock().errors.insert(name, error);
    }

    fn run(&self, name: &'static str) -> Result<(), Wrong> {
        let mut state = self.lock();
        let calls = state.wire.count(|_| true);
        state.runs.push(Run { name, at: Instant::now(), calls });
        state.errors.get(name).cloned().map_or(Ok(()), Err)
    }
}

#[hook(read)]
async fn post_read(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("post-read")
}

#[hook(before_steps)]
async fn pre_reconcile(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("pre-reconcile")
}

#[hook(before_steps)]
async fn pre_reconcile_too(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("pre-reconcile too")
}

#[hook(after_steps)]
async fn post_reconcile(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("post-reconcile")
}

#[hook(before_delete)]
async fn pre_delete(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("pre-delete")
}

#[hook(after_delete)]
async fn post_delete(_: &Component, plot: &Plot) -> Result<(), Wrong> {
    plot.run("post-delete")
}

#[sub_reconciler(
    sets(on::Applied, on::Healthy),
    watches(Secret, by_name),
    dependents(ConfigMap, Foo, Baz, Namespace, CustomResourceDefinition, policies = spec.policies, ready_within = timeout, empty = allow)
)]
async fn install(component: &Component, plot: &Plot, cx: &mut Cx) -> Result<Dependents, ComponentError> {
    plot.run("install")?;
    let referred = match &component.spec.reference {
        Some(name) => json!(cx.require::<Secret>(name).await?.data),
        None => Value::Null,
    };
    let mut wanted = cx.wanted();
    for part in &component.spec.objects {
        let content =
            format!("{}{}", part.content, if referred.is_null() { String::new() } else { referred.to_string() });
        match &*part.kind {
            "ConfigMap" => wanted.add::<ConfigMap>(&part.object(json!({ "data": { "content": content } }))),
            "Foo" => {
                let mut part = part.clone();
                part.settings.insert("status-hint".into(), "has-ready-condition".into());
                wanted.add::<Foo>(&part.object(json!({ "spec": { "content": content } })))
            }
            "Namespace" => wanted.add::<Namespace>(&part.object(json!({}))),
            "Baz" => wanted.add::<Baz>(&part.object(json!({ "spec": {} }))),
            "CRD bazs" => wanted.add::<CustomResourceDefinition>(&part.definition()),
            other => panic!("no component has a {other}"),
        };
    }
    Ok(cx.converge(wanted).await?)
}

impl Part {
    fn object<K: DeserializeOwned>(&self, mut object: Value) -> K {
        object["metadata"] = json!({ "name": self.name, "annotations": self.annotations() });
        if let Some(namespace) = &self.namespace {
            object["metadata"]["namespace"] = json!(namespace);
        }
        serde_json::from_value(object).expect("an object of its kind")
    }

    /// The CRD of Baz.
    fn definition(&self) -> CustomResourceDefinition {
        let mut definition = Baz::crd();
        definition.metadata.annotations = Some(self.annotations());
        definition
    }

    fn annotations(&self) -> BTreeMap<String, String> {
        self.settings.iter().map(|(name, value)| (format!("evenkeel.dev/{name}"), value.clone())).collect()
    }
}

fn requeue(component: &Component) -> Option<Duration> {
    component.spec.requeue.map(Duration::from_secs)
}

fn timeout(component: &Component) -> Duration {
    Duration::from_secs(component.spec.timeout.unwrap_or(600))
}

#[reconciler(
    conditions = ComponentCondition,
    hooks(post_read, pre_reconcile, pre_reconcile_too, post_reconcile, pre_delete, post_delete),
    requeue = requeue,
    suspend(field = spec.suspend)
)]
pub(crate) async fn component(component: &Component, plot: &Plot, cx: &mut Pass<'_>) -> PassResult {
    install(component, plot, cx).await?;
    Ok(())
}

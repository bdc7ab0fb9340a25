//! A stand-in for the nodes of a cluster, and for the controllers of Deployments and Jobs and the garbage collector where they do not run.

use std::fmt::Debug;
use std::time::Duration;

use examples::server::message_of;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The time that a pod takes.
const START: Duration = Duration::from_millis(500);

/// The annotation of a Deployment whose controller runs. It computes the status from the pods.
const CONTROLLED: &str = "deployment.kubernetes.io/revision";

/// The finalizer of an object whose pods are deleted before it.
const FOREGROUND: &str = "foregroundDeletion";

/// Sets the status of Pods, Deployments and Jobs until it is dropped.
///
/// # Errors
/// The API server rejects a write.
pub async fn run(client: Client, namespace: &str) -> Result<(), String> {
    let deployments = follow(Api::<Deployment>::namespaced(client.clone(), namespace), deployed);
    let pods = follow(Api::<Pod>::namespaced(client.clone(), namespace), running);
    let jobs = follow(Api::<Job>::namespaced(client, namespace), succeeded);
    futures::try_join!(deployments, pods, jobs).map(drop)
}

async fn follow<K>(api: Api<K>, status: fn(&K) -> Option<Value>) -> Result<(), String>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let stream = watcher(api.clone(), watcher::Config::default()).default_backoff().applied_objects().boxed();
    let done = stream.map_err(|error| error.to_string()).try_for_each(|object| tend(&api, object, status)).await;
    done.map_err(|error| format!("the stand-in for the controllers: {error}"))
}

async fn tend<K>(api: &Api<K>, object: K, status: fn(&K) -> Option<Value>) -> Result<(), String>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
{
    let (name, params) = (object.name_any(), PatchParams::default());
    // The version excludes another object of the name.
    let version = object.resource_version();
    let done = if object.finalizers().iter().any(|one| one == FOREGROUND) {
        let free = json!({ "metadata": { "resourceVersion": version, "finalizers": null } });
        api.patch(&name, &params, &Patch::Merge(free)).await
    } else if let Some(status) = status(&object) {
        tokio::time::sleep(START).await;
        let patch = json!({ "metadata": { "resourceVersion": version }, "status": status });
        api.patch_status(&name, &params, &Patch::Merge(patch)).await
    } else {
        return Ok(());
    };
    match done {
        // It was deleted or changed meanwhile; an event follows.
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        done => done.map(drop).map_err(|error| message_of(&error)),
    }
}

/// The status of a Deployment whose pods run. `None`: it has that status, or its controller sets it.
fn deployed(deployment: &Deployment) -> Option<Value> {
    let (replicas, generation) = (deployment.spec.replicas.unwrap_or(1), deployment.metadata.generation);
    let status = deployment.status.clone().unwrap_or_default();
    let available = status.available_replicas.unwrap_or_default();
    let is_current = status.observed_generation == generation && available == replicas;
    let is_controlled = deployment.annotations().contains_key(CONTROLLED);
    (!is_current && !is_controlled).then(|| {
        json!({ "observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas, "conditions": [{ "type": "Available", "status": "True" },
                { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable" }] })
    })
}

/// The status of a pod of a Deployment that runs. `None`: it has that status, or is of another kind.
fn running(pod: &Pod) -> Option<Value> {
    let is_of_set = pod.owner_references().iter().any(|owner| owner.kind == "ReplicaSet");
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let is_ready = conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True");
    (is_of_set && !is_ready)
        .then(|| json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] }))
}

/// The status of a Job that has succeeded. `None`: it has that status.
fn succeeded(job: &Job) -> Option<Value> {
    let has_ended = job.status.as_ref().is_some_and(|status| status.succeeded == Some(1));
    let condition = |kind: &str| json!({ "type": kind, "status": "True" });
    (!has_ended).then(|| {
        json!({ "succeeded": 1, "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:00:01Z",
            "conditions": [condition("SuccessCriteriaMet"), condition("Complete")] })
    })
}

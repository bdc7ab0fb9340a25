//! A stand-in for the kubelet, which the API server in this process does not have: it says that Pods run, and ends them.

use std::time::Duration;

use examples::server::said;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::operator::is_ready;

/// How long the start of a container takes.
const START: Duration = Duration::from_millis(500);

/// Starts every Pod that appears, until it is dropped.
///
/// # Errors
/// The API server refuses what it says.
pub async fn run(pods: Api<Pod>) -> Result<(), String> {
    let stream = watcher(pods.clone(), watcher::Config::default()).default_backoff().applied_objects().boxed();
    let done = stream.map_err(|error| error.to_string()).try_for_each(|pod| tend(pods.clone(), pod)).await;
    done.map_err(|error| format!("the stand-in for the kubelet: {error}"))
}

async fn tend(pods: Api<Pod>, pod: Pod) -> Result<(), String> {
    let name = pod.name_any();
    let told = if pod.metadata.deletion_timestamp.is_some() {
        let this = Preconditions { uid: pod.uid(), resource_version: None };
        let now = DeleteParams::default().grace_period(0).preconditions(this);
        pods.delete(&name, &now).await.map(drop)
    } else if is_ready(&pod) {
        Ok(())
    } else {
        tokio::time::sleep(START).await;
        let ready = json!([{ "type": "Ready", "status": "True" }]);
        // With its version it cannot be another Pod of the name, or one that is to go.
        let version = pod.resource_version();
        let status = json!({ "metadata": { "resourceVersion": version }, "status": { "phase": "Running", "conditions": ready } });
        pods.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await.map(drop)
    };
    match told {
        // It has gone or changed meanwhile, which comes as an event.
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        told => told.map_err(|error| said(&error)),
    }
}

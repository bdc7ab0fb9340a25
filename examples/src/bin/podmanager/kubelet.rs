//! A stand-in for the kubelet, which the API server in this process lacks: it reports Pods as running and ends deleted ones.

use std::time::Duration;

use examples::server::message_of;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::operator::is_ready;

/// The start time of a container.
const START: Duration = Duration::from_millis(500);

/// Starts every new Pod until it is dropped.
///
/// # Errors
/// The API server rejects a write.
pub async fn run(pods: Api<Pod>) -> Result<(), String> {
    let stream = watcher(pods.clone(), watcher::Config::default()).default_backoff().applied_objects().boxed();
    let done = stream.map_err(|error| error.to_string()).try_for_each(|pod| tend(pods.clone(), pod)).await;
    done.map_err(|error| format!("the stand-in for the kubelet: {error}"))
}

async fn tend(pods: Api<Pod>, pod: Pod) -> Result<(), String> {
    let name = pod.name_any();
    let reported = if pod.metadata.deletion_timestamp.is_some() {
        let this = Preconditions { uid: pod.uid(), resource_version: None };
        let now = DeleteParams::default().grace_period(0).preconditions(this);
        pods.delete(&name, &now).await.map(drop)
    } else if is_ready(&pod) {
        Ok(())
    } else {
        tokio::time::sleep(START).await;
        let ready = json!([{ "type": "Ready", "status": "True" }]);
        // The version excludes another Pod of the name and one that is being deleted.
        let version = pod.resource_version();
        let status = json!({ "metadata": { "resourceVersion": version }, "status": { "phase": "Running", "conditions": ready } });
        pods.patch_status(&name, &PatchParams::default(), &Patch::Merge(status)).await.map(drop)
    };
    match reported {
        // It was deleted or changed meanwhile; an event follows.
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        reported => reported.map_err(|error| message_of(&error)),
    }
}

//! Deletes Pods with a label that do not run: a reconciler of a built-in kind that sends calls of its own.
//!
//! `cargo run -p examples --bin reaper -- --once` deletes one Pod of an API server in this process.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use evenkeel::prelude::*;
use evenkeel::{Bare, EventLevel};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, DeleteParams, Preconditions};
use kube::{Resource, ResourceExt};

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: done, labels: {demo.evenkeel.dev/reap: 'yes'}}
spec: {automountServiceAccountToken: false, containers: [{name: main, image: example.com/main}]}
";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ReapCondition {
    /// The Pod is deleted.
    #[condition(positive)]
    Reaped,
}

/// Deletes this Pod, and no later one of its name.
#[sub_reconciler(sets(on::Reaped), uses(Pod, delete))]
pub async fn reap(pod: &Bare<Pod>, cx: &mut Cx) -> Result<(), ApiError> {
    let this = Preconditions { uid: pod.meta().uid.clone(), resource_version: None };
    let pods = Api::<Pod>::default_namespaced(cx.client());
    pods.delete(&pod.name_any(), &DeleteParams::default().preconditions(this)).await?;
    cx.event(EventLevel::Normal, "Reaped", "deleted, since it does not run");
    Ok(())
}

/// The Pod of this operator runs, so it is never selected.
fn is_idle(pod: &Bare<Pod>) -> bool {
    pod.status.as_ref().is_none_or(|status| status.phase.as_deref() != Some("Running"))
}

#[reconciler(conditions = ReapCondition, labels = "demo.evenkeel.dev/reap=yes", filter = is_idle)]
pub async fn reaper(pod: &Bare<Pod>, cx: &mut Pass<'_>) -> PassResult {
    reap(pod, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    examples::once::main(Operator::new("reaper").reconciler::<reaper>(()), POD, async |client| {
        let pod = Api::<Pod>::default_namespaced(client.clone()).get_opt("done").await?;
        Ok(pod.is_none().then(|| "pod done was deleted".to_owned()))
    })
    .await
}

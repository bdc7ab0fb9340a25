//! Follows a device outside of the cluster and records its changes: a daemon for each object.
//!
//! `cargo run -p examples --bin follower -- --once` records one change, on an API server in this process.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use evenkeel::{Bare, EventLevel, prelude::*};
use k8s_openapi::api::{core::v1::ConfigMap, events::v1::Event};
use kube::api::{Api, ListParams};

const DEVICE: &str =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: probe, labels: {demo.evenkeel.dev/follow: 'yes'}}}";

/// Stands for the client of a device.
pub type Temperature = tokio::sync::watch::Sender<i32>;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum FollowCondition {
    /// The temperature is recorded.
    #[condition(positive)]
    Recorded,
}

/// Also requests a reconcile at its start, for a change that it may have missed.
#[daemon]
pub async fn follow(_: &Bare<ConfigMap>, temperature: &Temperature, daemon: &Daemon) -> Result<(), ApiError> {
    let mut changes = temperature.subscribe();
    daemon.reconcile();
    while changes.changed().await.is_ok() {
        daemon.reconcile();
    }
    Ok(())
}

#[sub_reconciler(sets(on::Recorded))]
pub async fn record(_: &Bare<ConfigMap>, temperature: &Temperature, cx: &mut Cx) -> Result<(), ApiError> {
    cx.event(EventLevel::Normal, "Measured", format!("{} degrees", *temperature.borrow()));
    Ok(())
}

#[reconciler(conditions = FollowCondition, labels = "demo.evenkeel.dev/follow=yes", daemons(follow))]
pub async fn follower(device: &Bare<ConfigMap>, temperature: &Temperature, cx: &mut Pass<'_>) -> PassResult {
    record(device, temperature, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temperature = Temperature::new(20);
    let operator = Operator::new("follower").reconciler::<follower>(temperature.clone());
    examples::once::main(operator, DEVICE, async |client| {
        let events = Api::<Event>::default_namespaced(client.clone()).list(&ListParams::default()).await?;
        let has = |wanted: &str| events.items.iter().any(|event| event.note.as_deref() == Some(wanted));
        let reached = if has("20 degrees") { 21 } else { 20 };
        temperature.send_if_modified(|now| std::mem::replace(now, reached) != reached);
        Ok(has("21 degrees").then(|| "recorded 21 degrees".to_owned()))
    })
    .await
}

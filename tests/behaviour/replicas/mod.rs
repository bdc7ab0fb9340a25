//! Several replicas of an operator, on the in-process server in virtual time, and on the real ones.

mod configured;
mod crashes;
mod failures;
mod foreign;
mod hand_over;
mod idle;
mod lagging;
mod recorder;
mod server;
mod step_down;
mod stopped_process;
pub(crate) mod storm;
mod term;

use std::sync::Arc;
use std::time::Duration;

use evenkeel::{Operator, Replicas};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::recording_client::Wire;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

/// A replica with a wire and a lab of its own.
struct Replica {
    wire: Wire,
    lab: Arc<Lab>,
    running: Running,
}

impl Replica {
    fn start(world: &World) -> Self {
        Self::start_as(world, |operator| operator)
    }

    fn start_as(world: &World, change: impl FnOnce(Operator) -> Operator) -> Self {
        let (wire, lab) = (Wire::default(), Lab::at("a"));
        let operator = Operator::new("shop")
            .test_client(wire.client(&world.client))
            .namespaces([&world.namespace])
            .reconciler::<widget>(lab.clone())
            .replicas_with(Replicas { namespace: Some(world.namespace.clone()), ..Replicas::default() });
        Self { wire, lab, running: Running::start(change(operator)) }
    }

    /// How many steps have run here.
    fn passes(&self) -> usize {
        self.lab.passes()
    }

    /// The writes of the lease that it sent.
    fn lease_writes(&self) -> usize {
        self.wire.count(|call| call.is_write() && call.path.contains("/leases"))
    }

    /// The writes of other objects that it sent, without events.
    fn writes(&self) -> usize {
        self.wire.count(|call| call.is_write() && !call.is_event() && !call.path.contains("/leases"))
    }
}

async fn world() -> World {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    world
}

/// Changes the widget, and waits until a replica has reconciled it. Returns how long that took.
async fn worked(world: &World, name: &str) -> Duration {
    let began = Instant::now();
    let params = PatchParams::default();
    let spec = json!({ "spec": { "child": format!("{began:?}") } });
    let api = world.api::<Widget>();
    match api.patch(name, &params, &Patch::Merge(&spec)).await {
        Ok(_) => {}
        Err(_) => drop(world.create::<Widget>(a_widget(name, spec["spec"].clone())).await),
    }
    world.until::<Widget>(name, "reconciled", is_ready).await;
    began.elapsed()
}

async fn lease(world: &World) -> Value {
    let api: Api<Lease> = world.api();
    serde_json::to_value(api.get_opt("shop").await.unwrap()).unwrap()
}

/// Waits until a replica works, and returns its identity.
async fn leader(world: &World) -> String {
    worked(world, "probe").await;
    lease(world).await["spec"]["holderIdentity"].as_str().unwrap().to_owned()
}

fn time(lease: &Value, field: &str) -> Timestamp {
    lease["spec"][field].as_str().unwrap().parse().unwrap()
}

/// Waits until the holder of the lease is another one.
async fn until_taken_from(world: &World, holder: &str) -> Value {
    eventually(SOON, || async {
        let lease = lease(world).await;
        let next = lease["spec"]["holderIdentity"].as_str().unwrap_or_default();
        (!next.is_empty() && next != holder).then_some(lease.clone())
    })
    .await
}

//! What a step gets of the term: its epoch, and the end of its blocking work.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use evenkeel::Bare;
use evenkeel::operator::Reason;
use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Fault;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PostParams;

use super::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum UploadCondition {
    /// The data is stored elsewhere.
    #[condition(positive)]
    Uploaded,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum UploadError {
    /// Never.
    #[error("never")]
    #[class(transient)]
    #[expect(dead_code, reason = "an error type has a variant")]
    Never,
}

/// The epochs of the uploads, and what ends the work of one.
struct Store {
    epochs: Mutex<Vec<u64>>,
    ends: Mutex<Option<Receiver<()>>>,
}

/// Uploads the data.
#[sub_reconciler(sets(on::Uploaded))]
async fn upload(_map: &Bare<ConfigMap>, store: &Arc<Store>, cx: &mut Cx<'_, upload>) -> Result<(), UploadError> {
    store.epochs.lock().unwrap().push(cx.epoch());
    let end = store.ends.lock().unwrap().take();
    if let Some(end) = end {
        cx.blocking(move || end.recv().unwrap_or_default()).await;
    }
    Ok(())
}

#[reconciler(conditions = UploadCondition)]
async fn uploader(map: &Bare<ConfigMap>, store: &Arc<Store>, cx: &mut Pass<'_>) -> PassResult {
    upload(map, store, cx).await?;
    Ok(())
}

/// A world with a lease that was given back, so that the first replica works at once, and with one object.
async fn released() -> World {
    let world = World::within(Cluster::start().await);
    let lease = json!({
        "metadata": { "name": "shop" },
        "spec": { "holderIdentity": "", "leaseDurationSeconds": 1, "leaseTransitions": 41, "renewTime": "2026-01-01T00:00:00.000000Z" },
    });
    world.api::<Lease>().create(&PostParams::default(), &serde_json::from_value(lease).unwrap()).await.unwrap();
    let map = json!({ "metadata": { "name": "data" } });
    world.api::<ConfigMap>().create(&PostParams::default(), &serde_json::from_value(map).unwrap()).await.unwrap();
    world
}

fn start(
    world: &World,
    wire: &Wire,
    times: Option<(Duration, Duration, Duration)>,
) -> (Arc<Store>, Sender<()>, Running) {
    let (end, ends) = channel();
    let store = Arc::new(Store { epochs: Mutex::default(), ends: Mutex::new(times.map(|_| ends)) });
    let operator = Operator::new("shop").namespaces(["default"]).test_client(wire.client(&world.client));
    let (lease, deadline, renew) = times.unwrap_or((15 * SECOND, 10 * SECOND, 3 * SECOND));
    let replicas = Replicas { lease, deadline, renew, namespace: Some("default".into()), ..Replicas::default() };
    let operator = operator.reconciler::<uploader>(store.clone()).replicas_with(replicas);
    (store, end, Running::start(operator))
}

#[tokio::test(start_paused = true)]
async fn the_epoch_rises_with_each_leader() {
    let world = released().await;
    let (first, _end, running) = start(&world, &Wire::default(), None);
    eventually(SOON, || async { (!first.epochs.lock().unwrap().is_empty()).then_some(()) }).await;
    let (second, _end, standby) = start(&world, &Wire::default(), None);
    sleep(SECOND).await;
    running.stop().await.unwrap();
    // An unchanged object runs no body.
    sleep(5 * SECOND).await;
    let change = json!({ "data": { "k": "v" } });
    world.api::<ConfigMap>().patch("data", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    eventually(SOON, || async { (!second.epochs.lock().unwrap().is_empty()).then_some(()) }).await;
    let epochs = |store: &Store| store.epochs.lock().unwrap().clone();
    assert!(epochs(&first).iter().all(|epoch| *epoch == 42), "{:?}", epochs(&first));
    assert!(epochs(&second).iter().all(|epoch| *epoch == 43), "{:?}", epochs(&second));
    standby.stop().await.unwrap();
}

// In real time: paused time stands still while a thread works.
#[tokio::test]
async fn blocking_work_that_outlives_its_term_ends_the_operator() {
    let world = released().await;
    let wire = Wire::default();
    let (store, end, running) = start(&world, &wire, Some((5 * SECOND, 3 * SECOND, SECOND)));
    eventually(SOON, || async { (!store.epochs.lock().unwrap().is_empty()).then_some(()) }).await;
    wire.fault(|call| call.path.contains("/leases").then_some(Fault::Answer(503, None)));
    eventually(SOON, || async { running.is_finished().then_some(()) }).await;
    let error = running.stop().await.unwrap_err();
    assert_eq!(error.reason(), Reason::LeaseLost);
    assert!(error.to_string().contains("the step `upload` of default/data"), "{error}");
    drop(end);
}

#[tokio::test]
async fn blocking_work_of_a_leader_that_stops_is_waited_for() {
    let world = released().await;
    let (store, end, running) = start(&world, &Wire::default(), Some((5 * SECOND, 3 * SECOND, SECOND)));
    eventually(SOON, || async { (!store.epochs.lock().unwrap().is_empty()).then_some(()) }).await;
    let stopping = tokio::spawn(running.stop());
    sleep(SECOND).await;
    let held = lease(&world).await;
    assert_ne!(held["spec"]["holderIdentity"], "", "{held:#}");
    end.send(()).unwrap();
    stopping.await.unwrap().unwrap();
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], "");
}

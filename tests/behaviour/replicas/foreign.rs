//! Leases of other operators, and those of operators that are not built with evenkeel.

use evenkeel_tests::listener::{get, listening};
use kube::api::PostParams;

use super::*;

async fn make(world: &World, annotations: Value, spec: Value) {
    let object = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "name": "shop", "annotations": annotations, "labels": { "team": "a" } }, "spec": spec,
    });
    world.api::<Lease>().create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_another_operator_is_never_taken() {
    let world = world().await;
    make(&world, json!({ "evenkeel.dev/operator": "store" }), json!({})).await;
    let mut address = None;
    let replica = Replica::start_as(&world, |operator| {
        let (operator, at) = listening(operator);
        address = Some(at);
        operator
    });
    world.create::<Widget>(a_widget("w", json!({}))).await;
    sleep(600 * SECOND).await;
    assert_eq!((replica.passes(), replica.lease_writes()), (0, 0));
    let ready = get(address.unwrap(), "/readyz").await;
    assert!(ready.status == 503 && ready.body.contains("operator store") && ready.body.contains("shop"), "{ready:?}");
    // No restart is needed once it is deleted.
    world.delete::<Lease>("shop").await;
    world.until::<Widget>("w", "reconciled", is_ready).await;
    replica.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_a_former_name_is_taken_over() {
    let world = world().await;
    make(&world, json!({ "evenkeel.dev/operator": "store" }), json!({})).await;
    let replica = Replica::start_as(&world, |operator| operator.previously(["store"]));
    leader(&world).await;
    assert_eq!(lease(&world).await["metadata"]["annotations"]["evenkeel.dev/operator"], "shop");
    replica.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_a_go_operator_is_taken_over_when_it_expires() {
    let world = world().await;
    // Another clock, hours ahead.
    let go = json!({
        "holderIdentity": "pod_1", "leaseDurationSeconds": 137, "leaseTransitions": 4,
        "acquireTime": "2090-01-01T00:00:00.000000Z", "renewTime": "2090-01-01T00:00:00.000000Z",
    });
    make(&world, json!({ "note": "kept" }), go).await;
    let began = Instant::now();
    let replica = Replica::start(&world);
    let taken = until_after(&world, 140 * SECOND, "pod_1").await;
    let waited = began.elapsed();
    assert!((137 * SECOND..140 * SECOND).contains(&waited), "{waited:?}");
    assert_eq!(taken["spec"]["leaseTransitions"], 5);
    let metadata = &taken["metadata"];
    assert_eq!((&metadata["annotations"]["note"], &metadata["labels"]["team"]), (&json!("kept"), &json!("a")));
    replica.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_cannot_be_locked_for_years() {
    let world = world().await;
    let spec =
        json!({ "holderIdentity": "x", "leaseDurationSeconds": 2_147_483_647, "leaseTransitions": 2_147_483_647 });
    make(&world, json!({}), spec).await;
    let began = Instant::now();
    let replica = Replica::start(&world);
    let taken = until_after(&world, 310 * SECOND, "x").await;
    assert!(began.elapsed() >= 300 * SECOND);
    assert_eq!(taken["spec"]["leaseTransitions"], 2_147_483_647, "it has no room");
    worked(&world, "w").await;
    replica.running.stop().await.unwrap();
}

async fn until_after(world: &World, most: Duration, holder: &str) -> Value {
    let began = Instant::now();
    loop {
        let lease = lease(world).await;
        if lease["spec"]["holderIdentity"] != holder {
            return lease;
        }
        assert!(began.elapsed() < most, "{lease:#}");
        sleep(SECOND / 10).await;
    }
}

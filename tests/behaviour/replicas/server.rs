//! Take, conflict, release and hand-over on each server.

use evenkeel_tests::on_each_server;
use kube::api::PostParams;

use super::*;

on_each_server!(a_lease_is_taken_renewed_and_handed_over, a_stale_write_of_a_lease_is_refused);

fn quick(world: &World) -> Replica {
    let namespace = Some(world.namespace.clone());
    let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
    Replica::start_as(world, |operator| {
        operator.replicas_with(Replicas { lease, deadline, renew, namespace, ..Replicas::default() })
    })
}

async fn a_lease_is_taken_renewed_and_handed_over(world: World) -> World {
    world.install(&definition()).await;
    let first = quick(&world);
    let holder = leader(&world).await;
    let second = quick(&world);
    sleep(4 * SECOND).await;
    let before = lease(&world).await;
    assert_eq!(before["spec"]["holderIdentity"], *holder);
    first.running.stop().await.unwrap();
    let taken = until_taken_from(&world, &holder).await;
    let released = before["spec"]["leaseTransitions"].as_i64().unwrap();
    assert_eq!(taken["spec"]["leaseTransitions"], released + 1);
    worked(&world, "w").await;
    assert!(second.passes() > 0);
    let holder = taken["spec"]["holderIdentity"].as_str().unwrap().to_owned();
    second.running.crash().await;
    let third = quick(&world);
    until_taken_from(&world, &holder).await;
    worked(&world, "w").await;
    world.delete::<Lease>("shop").await;
    worked(&world, "w").await;
    third.running.stop().await.unwrap();
    world
}

async fn a_stale_write_of_a_lease_is_refused(world: World) -> World {
    let api = world.api::<Lease>();
    let object = |version: Option<&str>, uid: Option<&str>| {
        let metadata = json!({ "name": "shop", "resourceVersion": version, "uid": uid });
        serde_json::from_value::<Lease>(
            json!({ "metadata": metadata, "spec": { "holderIdentity": "", "leaseDurationSeconds": 1 } }),
        )
        .unwrap()
    };
    let made = api.create(&PostParams::default(), &object(None, None)).await.unwrap().metadata;
    let (version, uid) = (made.resource_version.as_deref(), made.uid.as_deref());
    let put = async |object: Lease| match api.replace("shop", &PostParams::default(), &object).await {
        Ok(_) => 200,
        Err(kube::Error::Api(status)) => status.code,
        Err(error) => panic!("{error}"),
    };
    let holder = |lease: Lease| {
        let mut lease = lease;
        lease.spec.as_mut().unwrap().holder_identity = Some("a".to_owned());
        lease
    };
    assert_eq!(put(holder(object(version, uid))).await, 200);
    assert_eq!(put(object(version, uid)).await, 409, "an older version");
    world.delete::<Lease>("shop").await;
    assert_eq!(put(object(version, uid)).await, 409, "with the uid a deleted lease is not made anew");
    assert_eq!(put(object(version, None)).await, 200, "without it is");
    world
}

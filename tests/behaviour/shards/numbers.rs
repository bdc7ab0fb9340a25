//! Replicas with different numbers of shards, or without shards, never work at the same time.

use super::fleet::{Fleet, Replica, held};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_replica_with_another_number_of_shards_waits_until_the_others_have_ended() {
    let mut fleet = Fleet::of(2).await;
    fleet.create(10).await;
    let other = Replica::start(&fleet.world, Some(8));
    sleep(120 * SECOND).await;
    assert!(fleet.is_fair().await && other.lab.passes() == 0 && other.writes() == 0);
    for replica in fleet.replicas.drain(..) {
        replica.running.stop().await.unwrap();
    }
    eventually(SOON, || async { (held(&fleet.world).await.values().sum::<usize>() == 8).then_some(()) }).await;
    let world = &fleet.world;
    world.create::<Widget>(a_widget("new", json!({}))).await;
    world.until::<Widget>("new", "reconciled", is_ready).await;
    other.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_shards_and_replicas_with_shards_exclude_each_other() {
    let fleet = Fleet::of(1).await;
    let leader = Replica::start(&fleet.world, None);
    fleet.create(5).await;
    sleep(60 * SECOND).await;
    assert_eq!((fleet.passes(), leader.lab.passes()), (vec![5], 0));
    let world = fleet.stop().await;
    world.create::<Widget>(a_widget("new", json!({}))).await;
    world.until::<Widget>("new", "reconciled", is_ready).await;
    let shards = Replica::start(&world, Some(16));
    sleep(120 * SECOND).await;
    assert_eq!((leader.lab.passes(), shards.lab.passes(), shards.writes()), (1, 0, 0));
    leader.running.stop().await.unwrap();
    eventually(SOON, || async { (held(&world).await.values().sum::<usize>() == 16).then_some(()) }).await;
    shards.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_made_anew_and_nothing_is_done_twice() {
    let fleet = Fleet::of(2).await;
    fleet.create(10).await;
    let leases = fleet.world.api::<Lease>();
    for name in ["shop", "shop-3", "shop-7"] {
        leases.delete(name, &DeleteParams::default()).await.unwrap();
    }
    sleep(60 * SECOND).await;
    fleet.until_fair().await;
    fleet.world.merge::<Widget>("w1", json!({ "spec": { "child": "changed" } })).await;
    sleep(10 * SECOND).await;
    fleet.until_ready(10).await;
    assert_eq!(fleet.passes().iter().sum::<usize>(), 11);
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn numbers_out_of_range_are_rejected() {
    let world = World::within(Cluster::start().await);
    world.install(&definition()).await;
    let error = Replica::start(&world, Some(1)).running.stop().await.unwrap_err().to_string();
    assert!(error.contains("the number of shards is 1") && error.contains("use 2 to 256"), "{error}");
}

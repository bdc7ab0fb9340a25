//! How shards move when replicas come and go.

use super::fleet::{Fleet, held};
use super::*;

const OBJECTS: usize = 40;

#[tokio::test(start_paused = true)]
async fn shards_are_shared_evenly_within_30_seconds_of_a_change() {
    let mut fleet = Fleet::of(1).await;
    assert_eq!(held(&fleet.world).await.into_values().collect::<Vec<_>>(), [16]);
    for replicas in [2, 5, 16, 3, 1, 7] {
        let took = fleet.scale(replicas).await;
        assert!(took <= 30 * SECOND, "{replicas} replicas: {took:?}");
    }
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn each_object_is_reconciled_by_the_replica_of_its_shard() {
    let fleet = Fleet::of(4).await;
    fleet.create(OBJECTS).await;
    let passes = fleet.passes();
    assert_eq!(passes.iter().sum::<usize>(), OBJECTS, "{passes:?}");
    assert!(passes.iter().all(|passes| *passes > 0), "{passes:?}");
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_move_writes_no_object_and_runs_no_body() {
    let mut fleet = Fleet::of(2).await;
    fleet.create(OBJECTS).await;
    let before: usize = fleet.passes().iter().sum();
    let mut writes: usize = fleet.replicas.iter().map(fleet::Replica::writes).sum();
    fleet.scale(8).await;
    sleep(60 * SECOND).await;
    assert_eq!(fleet.passes().iter().sum::<usize>(), before);
    writes = fleet.replicas.iter().map(fleet::Replica::writes).sum::<usize>() - writes;
    assert_eq!(writes, 0);
    for at in 0..OBJECTS {
        let change = json!({ "spec": { "child": "changed" } });
        fleet.world.merge::<Widget>(&format!("w{at}"), change).await;
    }
    sleep(10 * SECOND).await;
    fleet.until_ready(OBJECTS).await;
    assert_eq!(fleet.passes().iter().sum::<usize>(), before + OBJECTS, "each change is reconciled once");
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_shards_of_a_crashed_replica_are_taken_when_its_leases_expire() {
    let mut fleet = Fleet::of(4).await;
    sleep(10 * SECOND).await;
    let began = Instant::now();
    fleet.replicas.remove(0).running.crash().await;
    fleet.until_fair().await;
    let took = began.elapsed();
    assert!((11 * SECOND..=20 * SECOND).contains(&took), "{took:?}");
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_shard_moves_when_its_passes_have_ended() {
    let mut fleet = Fleet::of(1).await;
    let lab = fleet.replicas[0].lab.clone();
    let hold = lab.hold.lock().await;
    for at in 0..OBJECTS {
        fleet.world.create::<Widget>(a_widget(&format!("w{at}"), json!({}))).await;
    }
    let began = Instant::now();
    let second = fleet.replica();
    fleet.replicas.push(second);
    sleep(2 * SECOND).await;
    assert!(!fleet.is_fair().await, "passes run in most shards");
    fleet.until_fair().await;
    // The time-out of these passes.
    let took = began.elapsed();
    assert!((2900..=4000).contains(&took.as_millis()), "{took:?}");
    drop(hold);
    fleet.until_ready(OBJECTS).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_replica_renews_its_leases_and_sends_nothing_else() {
    let fleet = Fleet::of(2).await;
    fleet.create(OBJECTS).await;
    sleep(60 * SECOND).await;
    for replica in &fleet.replicas {
        replica.wire.clear();
    }
    sleep(600 * SECOND).await;
    for replica in &fleet.replicas {
        let leases = replica.wire.count(|call| call.path.contains("/leases") && call.is_write());
        // Eight shards and the common Lease, every three seconds, and a second write where two renewals meet.
        assert!((1700..=2000).contains(&leases), "{leases}");
        let others = replica.wire.count(|call| !call.path.contains("/leases") && !call.is_watch());
        assert_eq!(others, 0);
    }
    fleet.stop().await;
}

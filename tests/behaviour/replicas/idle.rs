//! What replicas send while nothing happens.

use evenkeel_tests::recording_client::Call;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_leader_renews_each_three_seconds_and_sends_nothing_else() {
    let world = world().await;
    let first = Replica::start(&world);
    leader(&world).await;
    let second = Replica::start(&world);
    sleep(60 * SECOND).await;
    first.wire.clear();
    second.wire.clear();
    let epoch = lease(&world).await["spec"]["leaseTransitions"].clone();
    sleep(3600 * SECOND).await;
    assert_eq!(first.lease_writes(), 1200);
    assert_eq!(first.wire.count(Call::is_write), 1200);
    let reads = |replica: &Replica| {
        replica.wire.count(|call| call.path.contains("/leases") && !call.is_write() && !call.is_watch())
    };
    assert_eq!(reads(&first), 0, "a renewal is a read, too");
    assert_eq!(second.wire.count(Call::is_write), 0);
    assert!(reads(&second) <= 3600 / 290 + 1, "one for each watch: {}", reads(&second));
    assert_eq!(lease(&world).await["spec"]["leaseTransitions"], epoch);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn each_term_has_one_event() {
    let world = world().await;
    let first = Replica::start(&world);
    leader(&world).await;
    sleep(60 * SECOND).await;
    let events = first.wire.calls().into_iter().filter(|call| call.is_event() && call.body.contains("LeaderElection"));
    let events: Vec<Value> = events.map(|call| serde_json::from_str(&call.body).unwrap()).collect();
    assert_eq!(events.len(), 1, "{events:#?}");
    let holder = lease(&world).await["spec"]["holderIdentity"].as_str().unwrap().to_owned();
    assert_eq!(events[0]["note"], format!("{holder} became leader"));
    assert_eq!(events[0]["regarding"]["kind"], "Lease");
    first.running.stop().await.unwrap();
}

//! How another replica takes over: at once after a stop, and when the lease expires after a crash.

use evenkeel_tests::recording_client::Call;

use super::*;

#[tokio::test(start_paused = true)]
async fn one_of_two_replicas_works() {
    let world = world().await;
    let (one, other) = (Replica::start(&world), Replica::start(&world));
    leader(&world).await;
    worked(&world, "w").await;
    assert!((one.passes() == 0) != (other.passes() == 0), "{} and {}", one.passes(), other.passes());
    let standby = if one.passes() == 0 { &one } else { &other };
    assert_eq!(standby.writes(), 0);
    one.running.stop().await.unwrap();
    other.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_maker_of_the_lease_works_when_no_former_leader_can() {
    let world = world().await;
    let began = Instant::now();
    let replica = Replica::start(&world);
    leader(&world).await;
    let waited = began.elapsed();
    assert!((15 * SECOND..17 * SECOND).contains(&waited), "{waited:?}");
    replica.running.stop().await.unwrap();
    let lease = lease(&world).await;
    assert_eq!((&lease["spec"]["holderIdentity"], &lease["spec"]["leaseDurationSeconds"]), (&json!(""), &json!(1)));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_leader_hands_over_at_once() {
    let world = world().await;
    let first = Replica::start(&world);
    let holder = leader(&world).await;
    let second = Replica::start(&world);
    sleep(5 * SECOND).await;
    let epoch = lease(&world).await["spec"]["leaseTransitions"].as_i64().unwrap();
    first.running.stop().await.unwrap();
    let stopped = Instant::now();
    let taken = until_taken_from(&world, &holder).await;
    assert!(stopped.elapsed() < SECOND, "{:?}", stopped.elapsed());
    assert_eq!(taken["spec"]["leaseTransitions"], epoch + 1);
    assert!(worked(&world, "w").await < SECOND);
    assert!(second.passes() > 0);
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_crashed_leader_is_replaced_when_its_lease_expires() {
    let mut waits = Vec::new();
    for crash in 0..20_u32 {
        let world = world().await;
        let first = Replica::start(&world);
        let holder = leader(&world).await;
        let second = Replica::start(&world);
        sleep(10 * SECOND + SECOND * crash * 3 / 20).await;
        first.running.crash().await;
        let last = lease(&world).await;
        let taken = until_taken_from(&world, &holder).await;
        waits.push(time(&taken, "acquireTime").duration_since(time(&last, "renewTime")).as_secs_f64());
        second.running.stop().await.unwrap();
    }
    let longest = waits.iter().copied().fold(0.0, f64::max);
    assert!(waits.iter().all(|wait| *wait >= 14.999) && longest <= 15.5, "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_restarted_process_waits_like_any_other() {
    let world = world().await;
    let first = Replica::start(&world);
    let holder = leader(&world).await;
    first.running.crash().await;
    let again = Replica::start(&world);
    let began = Instant::now();
    until_taken_from(&world, &holder).await;
    assert!(began.elapsed() > 11 * SECOND, "its identity is another one: {:?}", began.elapsed());
    again.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_passes_before_the_lease_is_given_back() {
    let world = world().await;
    let first = Replica::start(&world);
    let holder = leader(&world).await;
    let second = Replica::start(&world);
    sleep(5 * SECOND).await;
    let hold = first.lab.hold.lock().await;
    world.create::<Widget>(a_widget("slow", json!({}))).await;
    sleep(SECOND).await;
    let (lab, running) = (first.lab.clone(), first.running);
    let stopping = tokio::spawn(running.stop());
    sleep(SECOND).await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *holder, "a pass still runs");
    drop(hold);
    stopping.await.unwrap().unwrap();
    drop(lab);
    until_taken_from(&world, &holder).await;
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_standby_that_stops_writes_nothing() {
    let world = world().await;
    let first = Replica::start(&world);
    let holder = leader(&world).await;
    let second = Replica::start(&world);
    sleep(30 * SECOND).await;
    let wire = second.wire.clone();
    second.running.stop().await.unwrap();
    assert_eq!(wire.count(Call::is_write), 0);
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *holder);
    first.running.stop().await.unwrap();
}

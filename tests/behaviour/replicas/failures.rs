//! Failures between a leader and its API server: who works, and when.

use evenkeel_testkit::{Effect, Fault as Rule, Verb};
use evenkeel_tests::listener::{get, listening, samples};
use evenkeel_tests::recording_client::Fault;
use kube::api::DeleteParams;

use super::*;

/// Two replicas. The first one leads.
async fn pair(world: &World) -> (Replica, Replica, String) {
    let first = Replica::start(world);
    let holder = leader(world).await;
    let second = Replica::start(world);
    sleep(10 * SECOND).await;
    (first, second, holder)
}

async fn epoch(world: &World) -> i64 {
    lease(world).await["spec"]["leaseTransitions"].as_i64().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_its_server_stops_before_another_begins() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    first.wire.fault(|_| Some(Fault::Silence));
    first.wire.freeze();
    let last = time(&lease(&world).await, "renewTime");
    let taken = until_taken_from(&world, &holder).await;
    let waited = time(&taken, "acquireTime").duration_since(last).as_secs_f64();
    assert!((14.999..15.5).contains(&waited), "{waited}");
    let (before, sent) = (first.passes(), first.writes());
    assert!(worked(&world, "w").await < SECOND);
    sleep(60 * SECOND).await;
    assert_eq!((first.passes(), first.writes()), (before, sent));
    first.wire.mend();
    first.wire.thaw();
    sleep(30 * SECOND).await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], taken["spec"]["holderIdentity"], "it is a standby now");
    second.running.stop().await.unwrap();
    worked(&world, "w").await;
    assert!(first.passes() > before, "and leads again");
    first.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_pass_of_a_former_leader_is_dropped_and_its_key_runs_elsewhere() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    let hold = first.lab.hold.lock().await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    sleep(SECOND).await;
    first.wire.fault(|call| call.path.contains("/leases").then_some(Fault::Silence));
    until_taken_from(&world, &holder).await;
    world.until::<Widget>("w", "reconciled by the other one", is_ready).await;
    let writes = first.writes();
    drop(hold);
    sleep(10 * SECOND).await;
    assert_eq!(first.writes(), writes, "the pass does not go on");
    assert!(second.passes() > 0);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_down_for_all_costs_no_more_than_its_time() {
    let world = world().await;
    let (first, second, _) = pair(&world).await;
    for replica in [&first, &second] {
        replica.wire.fault(|_| Some(Fault::Answer(503, None)));
    }
    sleep(60 * SECOND).await;
    for replica in [&first, &second] {
        replica.wire.mend();
    }
    let waited = worked(&world, "w").await;
    assert!(waited < 10 * SECOND, "{waited:?}");
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_renewal_without_an_answer_costs_no_leadership() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    let before = epoch(&world).await;
    // Carried out without an answer, not carried out, and never answered.
    for fault in [Fault::Late(Duration::ZERO), Fault::Answer(504, None), Fault::Silence, Fault::Answer(429, Some(60))] {
        let mut faults = Some(fault);
        first.wire.fault(
            move |call| if call.method == "PUT" && call.path.contains("/leases") { faults.take() } else { None },
        );
        sleep(30 * SECOND).await;
        assert!(worked(&world, "w").await < SECOND);
    }
    assert_eq!(epoch(&world).await, before);
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *holder);
    assert_eq!(second.passes(), 0);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_write_that_arrives_after_the_term_changes_nothing() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    first.wire.fault(|call| call.path.contains("/leases").then_some(Fault::Late(20 * SECOND)));
    let taken = until_taken_from(&world, &holder).await;
    sleep(60 * SECOND).await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], taken["spec"]["holderIdentity"]);
    first.wire.mend();
    sleep(60 * SECOND).await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], taken["spec"]["holderIdentity"]);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_made_anew_and_its_maker_waits() {
    let world = world().await;
    let (first, second, _) = pair(&world).await;
    let before = epoch(&world).await;
    world.api::<Lease>().delete("shop", &DeleteParams::default()).await.unwrap();
    let deleted = Instant::now();
    let waited = worked(&world, "w").await;
    assert!((15 * SECOND..17 * SECOND).contains(&waited), "{waited:?} {:?}", deleted.elapsed());
    assert!(epoch(&world).await > before);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_changed_by_a_person_stays_with_its_holder() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    let before = epoch(&world).await;
    let label = json!({ "metadata": { "labels": { "team": "a" } } });
    world.api::<Lease>().patch("shop", &PatchParams::default(), &Patch::Merge(label)).await.unwrap();
    sleep(30 * SECOND).await;
    let lease = lease(&world).await;
    assert_eq!((&lease["spec"]["holderIdentity"], &lease["metadata"]["labels"]["team"]), (&json!(holder), &json!("a")));
    assert_eq!(epoch(&world).await, before);
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_whose_holder_is_removed_by_a_person_has_no_second_leader() {
    let world = world().await;
    let (first, second, _) = pair(&world).await;
    // The leader does not hear of it until its next renewal.
    first.wire.freeze_only("/leases");
    let removed = json!({ "spec": { "holderIdentity": null } });
    world.api::<Lease>().patch("shop", &PatchParams::default(), &Patch::Merge(removed)).await.unwrap();
    let (passes, began) = (second.passes(), Instant::now());
    while second.passes() == passes {
        worked(&world, "w").await;
        sleep(SECOND / 2).await;
        assert!(began.elapsed() < 30 * SECOND);
    }
    assert!(began.elapsed() > 14 * SECOND, "{:?}", began.elapsed());
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_missing_right_is_named_by_the_probe() {
    let world = world().await;
    let mut address = None;
    let replica = Replica::start_as(&world, |operator| {
        let (operator, at) = listening(operator);
        address = Some(at);
        operator
    });
    let address = address.unwrap();
    leader(&world).await;
    let ready = get(address, "/readyz").await;
    assert!(ready.status == 200 && ready.body.contains("[+]leader-election ok: leader"), "{ready:?}");
    let metric = async || samples(address).await.get("leader_election_master_status{name=\"shop\"}").copied();
    assert_eq!(metric().await, Some(1.0));
    world.cluster().faults().add(Rule::new(Effect::Forbidden).resource("leases").verb(Verb::Update).always());
    let passes = replica.passes();
    sleep(12 * SECOND).await;
    assert_eq!(metric().await, Some(0.0));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    sleep(60 * SECOND).await;
    assert_eq!(get(address, "/readyz").await.status, 200, "not for long yet");
    sleep(60 * SECOND).await;
    let ready = get(address, "/readyz").await;
    assert!(
        ready.status == 503 && ready.body.contains("grant the verb update on leases.coordination.k8s.io"),
        "{ready:?}"
    );
    assert_eq!(get(address, "/healthz").await.status, 200, "a restart would not help");
    assert_eq!(replica.passes(), passes);
    world.cluster().faults().clear();
    world.until::<Widget>("w", "reconciled", is_ready).await;
    assert_eq!(get(address, "/readyz").await.status, 200);
    replica.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_standby_is_ready_and_names_the_leader() {
    let world = world().await;
    let first = Replica::start(&world);
    let holder = leader(&world).await;
    let mut address = None;
    let second = Replica::start_as(&world, |operator| {
        let (operator, at) = listening(operator);
        address = Some(at);
        operator
    });
    sleep(10 * SECOND).await;
    let ready = get(address.unwrap(), "/readyz").await;
    assert!(ready.status == 200 && ready.body.contains(&format!("standby of {holder}")), "{ready:?}");
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_standby_whose_watch_is_dead_reads_the_lease_before_it_takes_it() {
    let world = world().await;
    let (first, second, holder) = pair(&world).await;
    let before = epoch(&world).await;
    second.wire.freeze_only("/leases");
    sleep(300 * SECOND).await;
    assert_eq!((epoch(&world).await, &lease(&world).await["spec"]["holderIdentity"]), (before, &json!(holder)));
    assert_eq!(second.passes(), 0);
    second.wire.thaw();
    second.wire.fault(|call| (call.is_watch() && call.path.contains("/leases")).then_some(Fault::Answer(403, None)));
    second.wire.clear();
    sleep(300 * SECOND).await;
    assert_eq!(second.lease_writes(), 0, "it reads the lease while it has no watch");
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

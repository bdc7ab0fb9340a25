//! A leader that is asked to give the lease back, and the command that asks it.

use super::*;

/// The arguments of the operator for the command, with the lease of the world.
fn command(world: &World) -> Operator {
    let replicas = Replicas { namespace: Some(world.namespace.clone()), ..Replicas::default() };
    Operator::new("shop").client(world.client.clone()).reconciler::<widget>(Lab::at("a")).replicas_with(replicas)
}

async fn run(operator: Operator, line: &[&str]) -> (evenkeel::Result<u8>, String) {
    let mut out = Vec::new();
    let code = operator.cluster_command(line, &mut out).await;
    (code, String::from_utf8(out).unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_command_makes_another_replica_lead() {
    let world = world().await;
    let (one, other) = (Replica::start(&world), Replica::start(&world));
    let asked = leader(&world).await;
    let began = Instant::now();
    let (code, text) = run(command(&world), &["step-down"]).await;
    assert_eq!(code.unwrap(), 0, "{text}");
    assert!(began.elapsed() <= 2 * SECOND && text.contains(&format!("asked {asked} to give back")), "{text}");
    let next = lease(&world).await["spec"]["holderIdentity"].as_str().unwrap().to_owned();
    assert!(next != asked && text.ends_with(&format!("{next} leads now\n")), "{text}");
    assert!(worked(&world, "w").await < SECOND);
    let annotations = lease(&world).await["metadata"]["annotations"].clone();
    assert!(annotations.get("evenkeel.dev/step-down").is_none(), "{annotations}");
    // Back again, at once: the first one rests for 30 s, so it takes the lease later.
    let (code, text) = run(command(&world), &["step-down", next.rsplit_once('_').unwrap().0]).await;
    assert_eq!(code.unwrap(), 0, "{text}");
    assert!((28 * SECOND..=33 * SECOND).contains(&began.elapsed()), "{:?}", began.elapsed());
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *asked);
    one.running.stop().await.unwrap();
    other.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_pass_ends_before_the_lease_is_given_back() {
    let world = world().await;
    let first = Replica::start(&world);
    let asked = leader(&world).await;
    let second = Replica::start(&world);
    sleep(5 * SECOND).await;
    let lab = first.lab.clone();
    let hold = lab.hold.lock().await;
    world.create::<Widget>(a_widget("slow", json!({}))).await;
    sleep(SECOND).await;
    world.merge::<Lease>("shop", json!({ "metadata": { "annotations": { "evenkeel.dev/step-down": asked } } })).await;
    sleep(SECOND).await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *asked, "a pass still runs");
    drop(hold);
    until_taken_from(&world, &asked).await;
    world.until::<Widget>("slow", "reconciled", is_ready).await;
    assert_eq!(first.passes(), 2, "the pass was not repeated");
    first.running.stop().await.unwrap();
    second.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_replica_without_others_leads_again() {
    let world = world().await;
    let only = Replica::start(&world);
    let asked = leader(&world).await;
    let (code, text) = run(command(&world), &["step-down"]).await;
    assert_eq!(code.unwrap(), 1);
    assert!(text.ends_with("no other replica has taken over; start another one, and read its log\n"), "{text}");
    worked(&world, "w").await;
    assert_eq!(lease(&world).await["spec"]["holderIdentity"], *asked);
    only.running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_command_names_what_it_cannot_do() {
    let world = world().await;
    let (code, _) = run(command(&world), &["step-down"]).await;
    assert!(code.unwrap_err().to_string().contains("does not exist"));
    let alone = Operator::new("shop").client(world.client.clone()).reconciler::<widget>(Lab::at("a"));
    let (code, _) = run(alone, &["step-down"]).await;
    let error = code.unwrap_err().to_string();
    assert!(error.contains("has no replicas") && error.contains("--replicas"), "{error}");
    let replica = Replica::start(&world);
    let leader = leader(&world).await;
    let (code, _) = run(command(&world), &["step-down", "nowhere"]).await;
    let error = code.unwrap_err().to_string();
    assert!(error.contains("no replica nowhere") && error.contains(&leader), "{error}");
    replica.running.stop().await.unwrap();
}

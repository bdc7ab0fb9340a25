//! Triggers: references from outside the cluster run the bodies of their objects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel_testkit::{Effect, Fault, Verb, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{self, Call};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use kube::runtime::reflector::ObjectRef;
use serde_json::json;
use tokio::time::{Instant, sleep};

type Sender = UnboundedSender<ObjectRef<Widget>>;

/// Starts an operator and returns its trigger.
fn operate(world: &World, lab: &Arc<Lab>) -> (Running, Sender) {
    let (sender, triggers) = unbounded();
    (Running::start(world.prepare::<widget>(lab.clone()).trigger::<widget>(triggers)), sender)
}

fn passes(lab: &Lab, name: &str) -> usize {
    lab.log().iter().filter(|line| **line == format!("fetch {name}")).count()
}

on_each_server!(an_external_trigger_runs_the_body);

async fn an_external_trigger_runs_the_body(world: World) -> World {
    world.install(&definition()).await;
    for name in ["one", "two"] {
        world.create::<Widget>(a_widget(name, json!({}))).await;
    }
    let lab = Lab::at("a");
    let (operator, triggers) = operate(&world, &lab);
    for name in ["one", "two"] {
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    lab.move_to("b");
    triggers.unbounded_send(ObjectRef::new("one").within(&world.namespace)).unwrap();
    world.until::<Widget>("one", "the new revision", |one| one["status"]["stored"] == "b").await;
    operator.stop().await.unwrap();
    assert_eq!(passes(&lab, "two"), 1, "it was not named");
    world
}

#[tokio::test(start_paused = true)]
async fn a_trigger_before_the_first_list_is_not_lost() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("one", json!({}))).await;
    let lab = Lab::at("a");
    let first = world.operator::<widget>(lab.clone());
    world.until::<Widget>("one", "ready", is_ready).await;
    first.stop().await.unwrap();
    let stuck = Fault::new(Effect::Internal).resource("widgets").verb(Verb::Watch).times(4);
    world.cluster().faults().add(stuck);
    let (_operator, triggers) = operate(&world, &lab);
    triggers.unbounded_send(ObjectRef::new("one").within(&world.namespace)).unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(passes(&lab, "one"), 1, "passes run, but there is no list yet");
    sleep(Duration::from_secs(30)).await;
    assert_eq!(passes(&lab, "one"), 2, "an unchanged object would have been left alone");
}

fn is_read(call: &Call) -> bool {
    call.method == "GET" && call.path.ends_with("/widgets/one")
}

/// From now on each status write gets a conflict, and the object cannot be read before a pass. Returns how often the read failed.
fn refuse(world: &World, lab: &Arc<Lab>) -> Arc<AtomicUsize> {
    let unread = Arc::new(AtomicUsize::new(0));
    let (count, lab, mut written) = (unread.clone(), lab.clone(), None);
    world.wire.fault(move |call| {
        if call.is_status_write() {
            written = Some((lab.passes(), Instant::now()));
            return Some(recording_client::Fault::Answer(409, None));
        }
        // An object that is read directly after a rejected write is written again; after the body it is patched.
        let (passes, at) = written?;
        let is_before_pass = is_read(call) && lab.passes() == passes && Instant::now() > at;
        count.fetch_add(usize::from(is_before_pass), Ordering::SeqCst);
        is_before_pass.then_some(recording_client::Fault::Answer(500, None))
    });
    unread
}

/// Sets and removes an annotation; the operator receives both once the wire is thawed.
async fn note_and_take_back(world: &World) {
    world.wire.freeze();
    for note in [json!("1"), json!(null)] {
        world.merge::<Widget>("one", json!({ "metadata": { "annotations": { "note": note } } })).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_trigger_survives_conflicts_and_failed_reads() {
    for changes in [false, true] {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        world.create::<Widget>(a_widget("one", json!({}))).await;
        let lab = Lab::at("a");
        let (operator, triggers) = operate(&world, &lab);
        world.until::<Widget>("one", "ready", is_ready).await;
        lab.move_to("b");
        let unread = refuse(&world, &lab);
        triggers.unbounded_send(ObjectRef::new("one").within(&world.namespace)).unwrap();
        eventually(SOON, || async { (unread.load(Ordering::SeqCst) > 0).then_some(()) }).await;
        if changes {
            note_and_take_back(&world).await;
            world.wire.thaw();
            sleep(Duration::from_secs(1)).await;
        }
        world.wire.mend();
        sleep(Duration::from_secs(10)).await;
        let stored = &world.raw::<Widget>("one").await["status"]["stored"];
        assert_eq!(stored, "b", "nothing in the cluster shows the trigger");
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn body_results_are_written_after_a_reverted_change() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("one", json!({}))).await;
    let lab = Lab::at("a");
    let (operator, triggers) = operate(&world, &lab);
    world.until::<Widget>("one", "ready", is_ready).await;
    lab.move_to("b");
    world.wire.fault(|call| call.is_status_write().then_some(recording_client::Fault::Answer(500, None)));
    world.wire.clear();
    triggers.unbounded_send(ObjectRef::new("one").within(&world.namespace)).unwrap();
    eventually(SOON, || async { (world.wire.count(recording_client::Call::is_status_write) > 0).then_some(()) }).await;
    note_and_take_back(&world).await;
    world.wire.mend();
    world.wire.thaw();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(world.raw::<Widget>("one").await["status"]["stored"], "b");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn unknown_references_and_the_stream_end_are_ignored() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let (operator, triggers) = operate(&world, &lab);
    sleep(Duration::from_secs(1)).await;
    let calls = world.cluster().log().entries().len();
    triggers.unbounded_send(ObjectRef::new("nobody").within(&world.namespace)).unwrap();
    triggers.unbounded_send(ObjectRef::new("one").within("elsewhere")).unwrap();
    triggers.unbounded_send(ObjectRef::new("one")).unwrap();
    drop(triggers);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(world.cluster().log().entries().len(), calls, "nothing was asked for them");
    world.create::<Widget>(a_widget("one", json!({}))).await;
    world.until::<Widget>("one", "ready", is_ready).await;
    operator.stop().await.unwrap();
}

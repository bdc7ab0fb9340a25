//! Daemons: when they start, stop and restart, and what a failure shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, a_widget, definition, is_ready, on};
use kube::ResourceExt;
use serde_json::{Value, json};
use tokio::sync::Notify;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum DaemonError {
    #[error("the line is cut")]
    #[class(transient)]
    Cut,
    #[error("the address is wrong")]
    #[class(stalled)]
    WrongAddress,
    #[error("nothing to follow")]
    #[class(ignored)]
    Nothing,
}

/// What the daemons of a test share.
#[derive(Default)]
struct Bus {
    running: AtomicUsize,
    most: AtomicUsize,
    change: Notify,
}

/// Counts a daemon while it runs.
struct Here<'b>(&'b Bus);

impl<'b> Here<'b> {
    fn on(bus: &'b Bus) -> Self {
        let now = bus.running.fetch_add(1, Ordering::SeqCst) + 1;
        bus.most.fetch_max(now, Ordering::SeqCst);
        Self(bus)
    }
}

impl Drop for Here<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Does what the spec names. By default it requests a reconcile for each change on the bus.
#[daemon]
async fn follow(widget: &Widget, lab: &Arc<Lab>, bus: &Arc<Bus>, daemon: &Daemon) -> Result<(), DaemonError> {
    let mode = widget.spec.store.as_deref().unwrap_or("changes");
    lab.note(&format!("{mode} {}", widget.name_any()));
    let _here = Here::on(bus);
    match mode {
        "ends" => Ok(()),
        "cut" => Err(DaemonError::Cut),
        "wrong" => Err(DaemonError::WrongAddress),
        "nothing" => Err(DaemonError::Nothing),
        "panic" => panic!("as the test wished"),
        "blocks" => loop {
            std::thread::sleep(Duration::from_millis(20));
            if bus.most.load(Ordering::SeqCst) > 1 {
                return Ok(());
            }
        },
        _ => loop {
            bus.change.notified().await;
            daemon.reconcile();
        },
    }
}

#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored), external)]
async fn obey(widget: &Widget, lab: &Arc<Lab>, bus: &Arc<Bus>, _cx: &mut Cx) -> Result<(), DaemonError> {
    let running = bus.running.load(Ordering::SeqCst);
    lab.note(&format!("obey {} beside {running}", widget.name_any()));
    Ok(())
}

#[cleanup(of = obey)]
async fn undo(widget: &Widget, lab: &Arc<Lab>, bus: &Arc<Bus>, _cx: &mut Cx<'_, obey>) -> Result<(), DaemonError> {
    let running = bus.running.load(Ordering::SeqCst);
    lab.note(&format!("undo {} beside {running}", widget.name_any()));
    Ok(())
}

#[reconciler(conditions = WidgetCondition, suspend = spec.suspend, policies(unobserved), daemons(follow))]
async fn followed(widget: &Widget, lab: &Arc<Lab>, bus: &Arc<Bus>, cx: &mut Pass<'_>) -> PassResult {
    obey(widget, lab, bus, cx).await?;
    Ok(())
}

struct Started {
    world: World,
    lab: Arc<Lab>,
    bus: Arc<Bus>,
    operator: Running,
}

async fn start(world: World) -> Started {
    world.install(&definition()).await;
    let (lab, bus) = (Lab::at("a"), Arc::<Bus>::default());
    let operator = world.operator::<followed>((lab.clone(), bus.clone()));
    Started { world, lab, bus, operator }
}

/// An operator with one ready widget.
async fn with(spec: Value) -> Started {
    let started = start(World::on(Server::InProcess).await.unwrap()).await;
    started.world.create::<Widget>(a_widget("w", spec)).await;
    started.world.until::<Widget>("w", "ready", is_ready).await;
    started
}

on_each_server!(a_daemon_triggers_a_reconcile_and_ends_before_the_cleanup);

async fn a_daemon_triggers_a_reconcile_and_ends_before_the_cleanup(world: World) -> World {
    let Started { world, lab, bus, operator } = start(world).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    lab.settles_at(&["obey w beside 0", "changes w"]).await;
    bus.change.notify_one();
    lab.settles_at(&["obey w beside 0", "changes w", "obey w beside 1"]).await;
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    lab.settles_at(&["obey w beside 0", "changes w", "obey w beside 1", "undo w beside 0"]).await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn a_changed_spec_restarts_the_daemon_after_the_steps() {
    let Started { world, lab, bus, operator } = with(json!({})).await;
    lab.settles_at(&["obey w beside 0", "changes w"]).await;
    world.merge::<Widget>("w", json!({ "spec": { "store": "other" } })).await;
    lab.settles_at(&["obey w beside 0", "changes w", "obey w beside 0", "other w"]).await;
    world.merge::<Widget>("w", json!({ "metadata": { "labels": { "a": "b" } } })).await;
    lab.settles_at(&["obey w beside 0", "changes w", "obey w beside 0", "other w", "obey w beside 1"]).await;
    operator.stop().await.unwrap();
    assert_eq!((bus.most.load(Ordering::SeqCst), bus.running.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn a_restarted_operator_starts_the_daemon_of_an_unchanged_object() {
    let Started { world, lab, bus, operator } = with(json!({})).await;
    lab.settles_at(&["obey w beside 0", "changes w"]).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<followed>((lab.clone(), bus.clone()));
    lab.settles_at(&["obey w beside 0", "changes w", "changes w"]).await;
    operator.stop().await.unwrap();
    assert_eq!(bus.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_suspended_object_has_no_daemon() {
    let Started { world, lab, bus, operator } = with(json!({})).await;
    let stopped = || async { (bus.running.load(Ordering::SeqCst) == 0).then_some(()) };
    lab.settles_at(&["obey w beside 0", "changes w"]).await;
    world.merge::<Widget>("w", json!({ "spec": { "suspend": true } })).await;
    eventually(SOON, stopped).await;
    world.merge::<Widget>("w", json!({ "spec": { "suspend": false } })).await;
    lab.settles_at(&["obey w beside 0", "changes w", "obey w beside 0", "changes w"]).await;
    let skip = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": "skip" } } });
    world.merge::<Widget>("w", skip).await;
    eventually(SOON, stopped).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_object_that_was_deleted_by_force_has_no_daemon() {
    let Started { world, lab, bus, operator } = with(json!({})).await;
    lab.settles_at(&["obey w beside 0", "changes w"]).await;
    assert!(world.cluster().delete_despite_finalizers::<Widget>(&world.namespace, "w"));
    lab.settles_at(&["obey w beside 0", "changes w", "undo w beside 0"]).await;
    assert_eq!(bus.running.load(Ordering::SeqCst), 0);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_has_ended_starts_again_only_for_a_new_spec() {
    for mode in ["ends", "nothing", "wrong"] {
        let Started { world, lab, bus: _, operator } = with(json!({ "store": mode })).await;
        let run = format!("{mode} w");
        lab.settles_at(&["obey w beside 0", &run]).await;
        world.merge::<Widget>("w", json!({ "metadata": { "labels": { "a": "b" } } })).await;
        lab.settles_at(&["obey w beside 0", &run, "obey w beside 0"]).await;
        world.merge::<Widget>("w", json!({ "spec": { "fetch": "x" } })).await;
        lab.settles_at(&["obey w beside 0", &run, "obey w beside 0", "obey w beside 0", &run]).await;
        operator.stop().await.unwrap();
        let events = world.notes("w", "WrongAddress");
        assert!(events.iter().all(|note| note == "the daemon `follow` failed: the address is wrong"), "{events:?}");
        assert_eq!(events.is_empty(), mode != "wrong", "{mode}: {events:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_daemon_is_restarted_with_back_off() {
    for (mode, reason, note) in [
        ("cut", "Cut", "the daemon `follow` failed: the line is cut"),
        ("panic", "Panicked", "the daemon `follow` failed: the daemon `follow` panicked: as the test wished"),
    ] {
        let Started { world, lab, bus: _, operator } = with(json!({ "store": mode })).await;
        let run = format!("{mode} w");
        eventually(Duration::from_secs(60), || async { (lab.pauses(&run).len() == 4).then_some(()) }).await;
        operator.stop().await.unwrap();
        let wanted = [1.0, 2.0, 4.0, 8.0];
        for (pause, wanted) in lab.pauses(&run).iter().zip(wanted) {
            let seconds = pause.as_secs_f64();
            assert!(seconds >= wanted * 0.74 && seconds <= wanted * 1.1, "{seconds} instead of {wanted}");
        }
        assert_eq!(lab.log().iter().filter(|line| line.starts_with("obey")).count(), 1, "no pass is repeated");
        assert_eq!(world.events_sent(reason), lab.pauses(&run).len() + 1);
        assert!(world.notes("w", reason).iter().all(|sent| sent == note), "{:?}", world.notes("w", reason));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_cleanup_waits_for_a_daemon_that_blocks_its_thread() {
    let Started { world, lab, bus, operator } = with(json!({ "store": "blocks" })).await;
    lab.settles_at(&["obey w beside 0", "blocks w"]).await;
    world.delete::<Widget>("w").await;
    world.quiet().await;
    lab.settles_at(&["obey w beside 0", "blocks w"]).await;
    bus.most.store(2, Ordering::SeqCst);
    world.until_gone::<Widget>("w").await;
    lab.settles_at(&["obey w beside 0", "blocks w", "undo w beside 0"]).await;
    operator.stop().await.unwrap();
}

#[test]
fn the_reference_page_lists_the_daemons() {
    let operator = Operator::new("tester").reconciler::<followed>((Lab::at("a"), Arc::default()));
    let page = operator.introspect()[0].page();
    assert!(page.contains("Daemons, which run beside the passes of each object: `follow`."), "{page}");
    assert!(page.contains("| WrongAddress | stalled | one of obey, follow |"), "{page}");
}

/// Ends by its time limit.
#[daemon(timeout = "3s")]
async fn limited(_widget: &Widget, lab: &Arc<Lab>, _daemon: &Daemon) -> Result<(), DaemonError> {
    lab.note("limited");
    std::future::pending().await
}

#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored))]
async fn nothing(_widget: &Widget, _cx: &mut Cx) -> Result<(), DaemonError> {
    Ok(())
}

#[reconciler(conditions = WidgetCondition, daemons(limited))]
async fn with_a_limit(widget: &Widget, _lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    nothing(widget, cx).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_daemon_is_restarted_after_its_time_limit_and_counted() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let (operator, address) = listening(world.prepare::<with_a_limit>(lab.clone()));
    let operator = Running::start(operator);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(Duration::from_secs(60), || async { (lab.pauses("limited").len() == 2).then_some(()) }).await;
    for pause in lab.pauses("limited") {
        assert!(pause >= Duration::from_millis(3700), "{pause:?}");
    }
    let text = get(address, "/metrics").await.body;
    for line in [
        r#"evenkeel_daemons{controller="with_a_limit",daemon="limited"} 1"#,
        r#"evenkeel_daemon_ends_total{controller="with_a_limit",daemon="limited",result="timeout"} 2"#,
        r#"evenkeel_daemon_ends_total{controller="with_a_limit",daemon="limited",result="stopped"} 0"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    world.delete::<Widget>("w").await;
    let stopped = r#"evenkeel_daemon_ends_total{controller="with_a_limit",daemon="limited",result="stopped"} 1"#;
    eventually(SOON, || async { get(address, "/metrics").await.body.contains(stopped).then_some(()) }).await;
    assert_eq!(world.events_sent("TimedOut"), 2);
    operator.stop().await.unwrap();
}

//! A second reconciler of a kind: its own summary, status field and finalizer.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::{Sweep, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::swept;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetError, WidgetStatus, a_widget, condition, definition, is_ready, status_of, widget,
};
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum BackupCondition {
    /// There is a copy.
    #[condition(positive)]
    BackedUp,
}

/// Copies widgets.
struct Backups {
    lab: Arc<Lab>,
}

/// A hook without changes takes over no field.
fn seen(_: &Widget, _: &mut PassEnd<'_, WidgetStatus>) {}

#[reconciler(conditions = BackupCondition, summary = "BackupReady", on_end = seen)]
impl Backups {
    async fn reconcile(&self, widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
        self.back_up(widget, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::BackedUp), external)]
    async fn back_up(&self, widget: &Widget, cx: &mut Cx) -> Result<(), WidgetError> {
        self.lab.note(&format!("back up {}", widget.name_any()));
        match widget.spec.child.as_deref() {
            Some("full") => return Err(WidgetError::Broken("the disk is full".into())),
            Some("odd") => return Err(WidgetError::Invalid),
            _ => cx.status().stamp = Some("copy 1".into()),
        }
        Ok(())
    }

    #[cleanup(of = back_up)]
    async fn forget(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
        self.lab.note(&format!("forget {}", widget.name_any()));
        Ok(())
    }
}

fn start(world: &World, lab: &Arc<Lab>) -> Running {
    let operator = world.prepare::<widget>(lab.clone());
    Running::start(operator.reconciler::<Backups>(Backups { lab: lab.clone() }))
}

/// Both have reconciled this generation and are ready.
fn both_ready(object: &Value) -> bool {
    let seen = object["status"]["observedBy"]["backups"]["generation"] == object["metadata"]["generation"];
    is_ready(object) && status_of(object, "BackupReady") == "True" && seen
}

/// The status fields of a manager.
fn owned(object: &Value, manager: &str) -> Value {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let entry = entries.into_iter().find(|entry| entry["manager"] == manager && entry["subresource"] != "");
    entry.map(|entry| entry["fieldsV1"]["f:status"].clone()).unwrap_or_default()
}

async fn two_reconcilers_do_not_overwrite_each_other(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = start(&world, &lab);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.until::<Widget>("w", "both are ready", both_ready).await;
    assert_eq!((&object["status"]["stored"], &object["status"]["stamp"]), (&json!("a"), &json!("copy 1")));
    let finalizers = json!(["tests.evenkeel.dev/tester", "tests.evenkeel.dev/tester-backups"]);
    let mut held = object["metadata"]["finalizers"].as_array().unwrap().clone();
    held.sort_by_key(ToString::to_string);
    assert_eq!(json!(held), finalizers);
    let (first, second) = (owned(&object, "tester/widget"), owned(&object, "tester/backups"));
    assert!(first["f:stored"].is_object() && first["f:stamp"].is_null(), "{first:#}");
    assert!(second["f:stamp"].is_object() && second["f:stored"].is_null(), "{second:#}");

    world.merge::<Widget>("w", json!({ "spec": { "child": "full" } })).await;
    let full = |object: &Value| is_ready(object) && status_of(object, "BackupReady") == "False";
    let object = world.until::<Widget>("w", "the backup fails, the widget is ready", full).await;
    assert!(condition(&object, "Reconciling").is_none() && condition(&object, "Stalled").is_none());
    assert_eq!(object["status"]["stamp"], "copy 1");

    world.merge::<Widget>("w", json!({ "spec": { "child": "odd" } })).await;
    let odd = |object: &Value| is_ready(object) && object["status"]["observedBy"]["backups"]["stalled"] == true;
    let object = world.until::<Widget>("w", "the backup is stalled, the widget is ready", odd).await;
    assert!(condition(&object, "Stalled").is_none() && status_of(&object, "BackupReady") == "False");

    world.merge::<Widget>("w", json!({ "spec": { "child": null, "store": "broken" } })).await;
    let broken = |object: &Value| {
        let seen = object["status"]["observedBy"]["backups"]["generation"] == object["metadata"]["generation"];
        seen && status_of(object, "Ready") == "False" && status_of(object, "BackupReady") == "True"
    };
    world.until::<Widget>("w", "the widget fails, the backup is ready", broken).await;
    running.stop().await.unwrap();
    world
}

async fn a_restart_runs_neither_reconciler(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = start(&world, &lab);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let before = world.until::<Widget>("w", "both are ready", both_ready).await;
    running.stop().await.unwrap();
    let fresh = Lab::at("a");
    let running = start(&world, &fresh);
    world.create::<Widget>(a_widget("later", json!({}))).await;
    world.until::<Widget>("later", "both are ready", both_ready).await;
    running.stop().await.unwrap();
    let log = fresh.log();
    assert!(log.iter().all(|line| line.ends_with(" later")) && log.len() >= 3, "{log:?}");
    assert_eq!(world.raw::<Widget>("w").await["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
    world
}

async fn deletion_runs_both_cleanups(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = start(&world, &lab);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "both are ready", both_ready).await;
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    let log = lab.log();
    // If both remove their finalizers at the same time, one of them gets a conflict and sends its write again.
    let runs = |line: &str| log.iter().filter(|logged| *logged == line).count();
    assert_eq!((runs("remove w"), runs("forget w")), (1, 1), "{log:?}");
    running.stop().await.unwrap();
    world
}

on_each_server!(
    two_reconcilers_do_not_overwrite_each_other,
    a_restart_runs_neither_reconciler,
    deletion_runs_both_cleanups
);

#[tokio::test(start_paused = true)]
async fn both_reconcilers_converge_after_any_fault() {
    // It contains uids, too.
    let sweep = Sweep::new().ignore("status.observedBy.backups.digest");
    swept(sweep, &definition(), async |stage| {
        let lab = Lab::at("a");
        let of_operator = lab.clone();
        stage.wire.observers().know::<widget>();
        stage.run(move |operator| {
            let backups = Backups { lab: of_operator.clone() };
            let both = operator.reconciler::<widget>(of_operator.clone()).reconciler::<Backups>(backups);
            both.run_until(std::future::pending())
        });
        stage.create::<Widget>(a_widget("w", json!({}))).await;
        stage.create::<Widget>(a_widget("goes", json!({ "child": "x" }))).await;
        stage.rest().await;
        stage.merge::<Widget>("w", json!({ "spec": { "child": "odd" } })).await;
        stage.delete::<Widget>("goes").await;
        let odd = stage.raw::<Widget>("w").await;
        assert!(is_ready(&odd) && status_of(&odd, "BackupReady") == "False");
        stage.merge::<Widget>("w", json!({ "spec": { "child": null } })).await;
        stage.rest().await;
        assert!(both_ready(&stage.raw::<Widget>("w").await));
        let log = lab.log();
        assert!(["remove goes", "forget goes"].iter().all(|line| log.iter().any(|logged| logged == line)), "{log:?}");
    })
    .await;
}

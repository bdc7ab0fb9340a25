//! Hooks, preconditions and postconditions around the steps in the life of an object.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, condition, definition, fetch, is_ready, reason, store,
};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::DeleteParams;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

/// Logs its name; the annotation of that name selects a failure.
async fn note(point: &str, widget: &Widget, lab: &Lab) -> Result<(), WidgetError> {
    lab.note(&format!("{point} {}", widget.name_any()));
    match widget.annotations().get(point).map(String::as_str) {
        Some("broken") => Err(WidgetError::Broken(format!("{point} is out of order"))),
        Some("poll") => Err(WidgetError::NotYet),
        Some("panic") => panic!("as the test wished"),
        _ => Ok(()),
    }
}

#[hook(read)]
async fn seen(widget: &Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    note("seen", widget, lab).await
}

#[hook(before_steps)]
async fn begun(widget: &Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    note("begun", widget, lab).await
}

#[hook(after_steps)]
async fn done(widget: &Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    note("done", widget, lab).await
}

#[hook(before_delete)]
async fn going(widget: &Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    note("going", widget, lab).await
}

#[hook(after_delete)]
async fn gone(widget: &Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    note("gone", widget, lab).await
}

#[reconciler(conditions = WidgetCondition, hooks(gone, seen, done, begun, going))]
async fn hooked(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// A struct without external effects: its hook requires the finalizer.
mod structured {
    use super::*;

    #[derive(ConditionSet)]
    #[condition_set(mod = is)]
    pub(super) enum CopyCondition {
        /// It may be copied.
        #[condition(positive)]
        Allowed,
        /// There is a copy.
        #[condition(positive)]
        Copied,
    }

    pub(super) struct Copies {
        pub(super) lab: Arc<Lab>,
    }

    #[reconciler(conditions = CopyCondition)]
    impl Copies {
        async fn reconcile(&self, widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
            self.allowed(widget, cx).await?;
            self.copy(widget, cx).await?;
            Ok(())
        }

        #[precondition(sets(is::Allowed))]
        async fn allowed(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
            note("allowed", widget, &self.lab).await
        }

        #[sub_reconciler(sets(is::Copied))]
        async fn copy(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
            note("copied", widget, &self.lab).await
        }

        #[hook(before_delete)]
        async fn farewell(&self, widget: &Widget) -> Result<(), WidgetError> {
            note("farewell", widget, &self.lab).await
        }
    }
}

async fn annotate(world: &World, name: &str, annotations: Value) {
    world.merge::<Widget>(name, json!({ "metadata": { "annotations": annotations } })).await;
}

async fn hooks_run_in_order_and_after_success_only(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<hooked>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "store": "broken" }))).await;
    world.until::<Widget>("w", "failed", |w| reason(w, "Ready") == "Broken").await;
    assert!(lab.take_log().iter().all(|line| line != "done w"));
    world.merge::<Widget>("w", json!({ "spec": { "store": "ok" } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let log = lab.take_log();
    assert!(log.ends_with(&["seen w", "begun w", "fetch w", "store w", "done w"].map(ToOwned::to_owned)), "{log:?}");
    for point in ["seen", "begun", "done"] {
        annotate(&world, "w", json!({ point: "broken" })).await;
        world.merge::<Widget>("w", json!({ "spec": { "child": point } })).await;
        let text = format!("{point} is out of order");
        let shows = |w: &Value| condition(w, "Ready").is_some_and(|c| c["message"] == text && c["reason"] == "Broken");
        world.until::<Widget>("w", &text, shows).await;
        annotate(&world, "w", json!({ point: null })).await;
        world.until::<Widget>("w", "ready again", is_ready).await;
    }
    annotate(&world, "w", json!({ "going": "poll" })).await;
    world.quiet().await;
    let _ = lab.take_log();
    world.delete::<Widget>("w").await;
    world.until::<Widget>("w", "held back", |w| reason(w, "Ready") == "NotYet").await;
    assert_eq!((lab.take_log(), lab.cleanups()), (vec!["seen w".to_owned(), "going w".to_owned()], 0));
    annotate(&world, "w", json!({ "going": null })).await;
    world.until_gone::<Widget>("w").await;
    let log = lab.log();
    assert!(log.ends_with(&["seen w", "going w", "remove w", "gone w"].map(ToOwned::to_owned)), "{log:?}");
    eventually(SOON, || async { (world.events_sent("Deleting") == 1).then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

async fn a_struct_may_have_a_delete_hook_and_check(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<structured::Copies>(structured::Copies { lab: lab.clone() });
    let mut blocked = a_widget("w", json!({}));
    blocked["metadata"]["annotations"] = json!({ "allowed": "poll" });
    world.create::<Widget>(blocked).await;
    let object = world.until::<Widget>("w", "blocked", |w| reason(w, "Ready") == "NotYet").await;
    assert_eq!(condition(&object, "Copied").unwrap()["reason"], "Blocked");
    assert_eq!(object["metadata"]["finalizers"].as_array().map(Vec::len), Some(1));
    assert!(lab.log().iter().all(|line| line == "allowed w"), "{:?}", lab.log());
    annotate(&world, "w", json!({ "allowed": null })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert_eq!(lab.log().last().unwrap(), "farewell w");
    operator.stop().await.unwrap();
    world
}

fn finalizers(widget: &Value) -> usize {
    widget["metadata"]["finalizers"].as_array().map_or(0, Vec::len)
}

async fn a_manually_removed_finalizer_is_restored_unless_deleting(world: World) -> World {
    let (lab, nothing) = (Lab::at("a"), json!({ "metadata": { "finalizers": null } }));
    world.install(&definition()).await;
    let operator = world.operator::<hooked>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    let _ = lab.take_log();
    let before = world.writes();
    world.merge::<Widget>("w", nothing.clone()).await;
    world.until::<Widget>("w", "kept again", |w| finalizers(w) == 1).await;
    world.quiet().await;
    assert_eq!((world.writes() - before, lab.cleanups()), (1, 0), "put back in one write: {:?}", lab.take_log());
    // While the object is being deleted, removing the finalizer skips the cleanup.
    annotate(&world, "w", json!({ "going": "poll" })).await;
    world.delete::<Widget>("w").await;
    world.until::<Widget>("w", "held back", |w| reason(w, "Ready") == "NotYet").await;
    world.merge::<Widget>("w", nothing).await;
    world.until_gone::<Widget>("w").await;
    world.quiet().await;
    let (before, _) = (world.writes(), lab.take_log());
    world.quiet().await;
    assert_eq!((world.writes() - before, lab.cleanups(), lab.take_log().len()), (0, 0, 0), "nobody asks for it again");
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let again = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(finalizers(&again), 1);
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    hooks_run_in_order_and_after_success_only,
    a_struct_may_have_a_delete_hook_and_check,
    a_manually_removed_finalizer_is_restored_unless_deleting,
);

/// In process only: the real servers run without the controller that empties a namespace.
#[tokio::test]
async fn a_namespace_terminated_during_a_pass_is_cleaned_up() {
    let world = World::on(Server::InProcess).await.unwrap();
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<hooked>(lab.clone());
    let held = lab.hold.lock().await;
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    eventually(SOON, || async { (lab.passes() == 1).then_some(()) }).await;
    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    namespaces.delete(&world.namespace, &DeleteParams::default()).await.unwrap();
    world.until::<Widget>("w", "going", |w| w["metadata"]["deletionTimestamp"].is_string()).await;
    drop(held);
    eventually(SOON, || async { namespaces.get_opt(&world.namespace).await.unwrap().is_none().then_some(()) }).await;
    assert_eq!((lab.passes(), lab.cleanups()), (1, 1), "{:?}", lab.log());
    let refused = world.wire.count(|call| call.path.contains("/configmaps/") && call.is_write());
    assert_eq!(refused, 1, "what cannot be made there any more is not tried again");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn hooks_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<hooked>(lab.clone());
        stage.create::<Widget>(a_widget("w", json!({}))).await;
        stage.rest().await;
        assert!(is_ready(&stage.raw::<Widget>("w").await));
        stage.delete::<Widget>("w").await;
        let log = lab.log();
        let first =
            |line: &str| log.iter().position(|logged| logged == line).unwrap_or_else(|| panic!("{line}: {log:?}"));
        let order = ["seen w", "begun w", "fetch w", "done w", "going w", "remove w", "gone w"].map(first);
        assert!(order.is_sorted(), "{log:?}");
        lab.effects()
    })
    .await;
}

//! Policies: which writes the owner of an object allows; `skip` only observes, and detached effects are left behind.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, condition, definition, fetch, is_ready, on, status_of, store,
};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

const KEY: &str = "evenkeel.dev/policy";

/// Reads the stored revision and stores nothing.
#[observe(sets(on::Stored))]
async fn look(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(&format!("look {}", widget.name_any()));
    if widget.spec.store.as_deref() == Some("broken") {
        return Err(WidgetError::Broken("it cannot be seen".into()));
    }
    cx.status().fetched = Some("seen".into());
    Ok(())
}

#[reconciler(conditions = WidgetCondition, policies, observe = look)]
async fn governed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

#[reconciler(conditions = WidgetCondition, policies(namespace), observe = look)]
async fn subject(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

#[reconciler(conditions = WidgetCondition, policies(key = "example.com/leave", unobserved))]
async fn unwatched(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// The same as a struct.
mod structured {
    use evenkeel_tests::widget::{CopyCondition, is};

    use super::*;

    #[derive(Clone)]
    pub(super) struct Copies {
        pub(super) lab: Arc<Lab>,
    }

    #[reconciler(conditions = CopyCondition, policies)]
    impl Copies {
        async fn reconcile(&self, widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
            self.copy(widget, cx).await?;
            Ok(())
        }

        #[sub_reconciler(sets(is::Copied))]
        async fn copy(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
            self.lab.note(&format!("copy {}", widget.name_any()));
            Ok(())
        }

        #[observe(sets(is::Copied))]
        async fn look(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
            self.lab.note(&format!("look {}", widget.name_any()));
            Ok(())
        }
    }
}

fn widget_with(name: &str, key: &str, policy: &str) -> Value {
    let mut widget = a_widget(name, json!({ "child": "x" }));
    widget["metadata"]["annotations"] = json!({ key: policy });
    widget
}

async fn set_policy(world: &World, policy: impl Into<Value>) {
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": { KEY: policy.into() } } })).await;
}

async fn start(world: &World, lab: &Arc<Lab>) -> Running {
    world.install(&definition()).await;
    world.operator::<governed>(lab.clone())
}

fn policy(object: &Value) -> &str {
    object["status"]["observedInputs"]["policy"].as_str().unwrap_or("manage")
}

async fn under_skip_an_object_is_only_observed(world: World) -> World {
    let lab = Lab::at("a");
    let operator = start(&world, &lab).await;
    world.create::<Widget>(widget_with("w", KEY, "skip")).await;
    let object = world.until::<Widget>("w", "observed", is_ready).await;
    assert_eq!((policy(&object), object["status"]["fetched"].as_str()), ("skip", Some("seen")));
    assert!(condition(&object, "Fetched").is_none(), "nobody looked at that: {:#}", object["status"]);
    assert_eq!((lab.log(), lab.effects().len()), (vec!["look w".to_owned()], 0));
    world.merge::<Widget>("w", json!({ "spec": { "store": "broken" } })).await;
    let not_seen = |w: &Value| condition(w, "Ready").is_some_and(|c| c["message"] == "it cannot be seen");
    world.until::<Widget>("w", "not seen", not_seen).await;
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert_eq!((lab.passes(), lab.cleanups()), (0, 0));
    eventually(SOON, || async { (world.events_sent("Detached") == 1).then_some(()) }).await;
    assert_eq!(world.events_sent("PolicyChanged"), 1);
    operator.stop().await.unwrap();
    world
}

async fn a_policy_change_costs_one_status_write(world: World) -> World {
    let lab = Lab::at("a");
    let operator = start(&world, &lab).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let managed = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(managed["status"]["observedInputs"]["policy"], "manage");
    // On Kubernetes 1.20 the creator of the object owns the first status, so a removed field is taken over once.
    let mut writes = if world.server == Server::Full { 3 } else { 1 };
    for (value, wanted) in [
        (json!("skip"), "skip"),
        (json!("detach-on-delete"), "detach-on-delete"),
        (json!("skip"), "skip"),
        (Value::Null, "manage"),
    ] {
        world.quiet().await;
        world.wire.clear();
        set_policy(&world, value).await;
        world.until::<Widget>("w", wanted, |w| policy(w) == wanted && is_ready(w)).await;
        world.quiet().await;
        assert_eq!(
            (world.writes(), world.events_sent("PolicyChanged")),
            (writes, 1),
            "{wanted}: {:#?}",
            world.wire.calls()
        );
        writes = 1;
    }
    let passes = lab.passes();
    world.wire.clear();
    for same in [json!("manage"), json!(""), Value::Null] {
        set_policy(&world, same).await;
        world.quiet().await;
    }
    operator.stop().await.unwrap();
    let operator = world.operator::<governed>(lab.clone());
    world.quiet().await;
    assert_eq!((lab.passes(), world.wire.count(Call::is_write)), (passes, 0), "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    world
}

async fn a_detached_object_leaves_its_effects_behind(world: World) -> World {
    let lab = Lab::at("a");
    let operator = start(&world, &lab).await;
    world.create::<Widget>(widget_with("w", KEY, "detach-on-delete")).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!((policy(&object), lab.passes()), ("detach-on-delete", 1));
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert_eq!(lab.cleanups(), 0);
    operator.stop().await.unwrap();
    world
}

async fn a_misspelt_policy_changes_and_deletes_nothing(world: World) -> World {
    let lab = Lab::at("a");
    let operator = start(&world, &lab).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    set_policy(&world, "Skip").await;
    let is_unknown = |w: &Value| condition(w, "Ready").is_some_and(|c| c["reason"] == "PolicyUnknown");
    let object = world.until::<Widget>("w", "unknown", is_unknown).await;
    let message = condition(&object, "Ready").unwrap()["message"].as_str().unwrap();
    let named = format!("annotation {KEY} of Widget {}/w: \"Skip\" is not a policy", world.namespace);
    assert!(message.starts_with(&named) && message.ends_with("write manage, skip or detach-on-delete"), "{message}");
    assert_eq!((policy(&object), status_of(&object, "Stored").as_str()), ("unknown", "True"));
    world.merge::<Widget>("w", json!({ "spec": { "child": "y" } })).await;
    world.delete::<Widget>("w").await;
    world.quiet().await;
    let object = world.raw::<Widget>("w").await;
    assert!(is_unknown(&object) && object["metadata"]["finalizers"].as_array().is_some_and(|f| f.len() == 1));
    assert_eq!((lab.passes(), lab.cleanups(), world.events_sent("PolicyUnknown")), (1, 0, 1));
    set_policy(&world, "manage").await;
    world.until_gone::<Widget>("w").await;
    assert_eq!((lab.passes(), lab.cleanups()), (1, 1));
    operator.stop().await.unwrap();
    world
}

async fn the_default_policy_applies_to_unannotated_objects(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.prepare::<governed>(lab.clone()).default_policy(Policy::Skip);
    let operator = Running::start(operator);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "observed", |w| policy(w) == "skip" && is_ready(w)).await;
    assert_eq!(lab.passes(), 0);
    set_policy(&world, "manage").await;
    world
        .until::<Widget>("w", "managed", |w| policy(w) == "manage" && is_ready(w) && condition(w, "Fetched").is_some())
        .await;
    assert_eq!(lab.passes(), 1);
    operator.stop().await.unwrap();
    world
}

/// Changes annotations of the namespace of the test.
async fn govern(world: &World, annotations: Value) {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": annotations } }));
    let namespaces = Api::<Namespace>::all(world.client.clone());
    namespaces.patch(&world.namespace, &PatchParams::default(), &patch).await.unwrap();
}

async fn the_namespace_policy_applies_to_unannotated_objects(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<subject>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "managed", |w| policy(w) == "manage" && is_ready(w)).await;
    world.quiet().await;
    world.wire.clear();
    govern(&world, json!({ KEY: "skip" })).await;
    world.until::<Widget>("w", "observed", |w| policy(w) == "skip" && is_ready(w)).await;
    world.quiet().await;
    // On 1.20 with one take-over of the fields of the creator.
    let writes = if world.server == Server::Full { 3 } else { 1 };
    assert_eq!((world.writes(), world.events_sent("PolicyChanged")), (writes, 1), "{:#?}", world.wire.calls());
    set_policy(&world, "detach-on-delete").await;
    world.until::<Widget>("w", "detached", |w| policy(w) == "detach-on-delete").await;
    set_policy(&world, Value::Null).await;
    world.until::<Widget>("w", "observed again", |w| policy(w) == "skip").await;
    world.quiet().await;
    let looked = lab.log().len();
    world.wire.clear();
    govern(&world, json!({ "example.com/note": "1" })).await;
    world.quiet().await;
    assert_eq!((lab.log().len(), world.wire.count(Call::is_write)), (looked, 0), "no policy has changed");
    govern(&world, json!({ KEY: "Skip" })).await;
    let is_unknown = |w: &Value| condition(w, "Ready").is_some_and(|c| c["reason"] == "PolicyUnknown");
    let object = world.until::<Widget>("w", "unknown", is_unknown).await;
    let message = condition(&object, "Ready").unwrap()["message"].as_str().unwrap();
    let named = format!("annotation {KEY} of the namespace {}: \"Skip\" is not a policy", world.namespace);
    assert!(message.starts_with(&named), "{message}");
    operator.stop().await.unwrap();
    govern(&world, json!({ KEY: null })).await;
    let operator = world.operator::<subject>(lab.clone());
    world.until::<Widget>("w", "managed again", |w| policy(w) == "manage" && is_ready(w)).await;
    operator.stop().await.unwrap();
    let (passes, looked) = (lab.passes(), lab.log().len());
    world.wire.clear();
    let operator = world.operator::<subject>(lab.clone());
    world.quiet().await;
    assert_eq!((lab.passes(), lab.log().len(), world.wire.count(Call::is_write)), (passes, looked, 0));
    operator.stop().await.unwrap();
    world
}

async fn without_an_observer_the_status_has_only_the_policy(world: World) -> World {
    // No pass has run, so the status has a policy and no Ready.
    world.wire.observers().excuse("w");
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<unwatched>(lab.clone());
    world.create::<Widget>(widget_with("w", "example.com/leave", "skip")).await;
    let object = world.until::<Widget>("w", "left alone", |w| policy(w) == "skip").await;
    let status = &object["status"];
    assert_eq!((&status["conditions"], &status["observedGeneration"]), (&json!([]), &json!(-1)));
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<unwatched>(lab.clone());
    world.quiet().await;
    assert_eq!((lab.passes(), world.wire.count(Call::is_write)), (0, 0), "{:#?}", world.wire.calls());
    let managed = json!({ "metadata": { "annotations": { "example.com/leave": null } } });
    world.merge::<Widget>("w", managed).await;
    world.until::<Widget>("w", "managed", |w| policy(w) == "manage" && is_ready(w)).await;
    assert_eq!(lab.passes(), 1);
    operator.stop().await.unwrap();
    world
}

async fn the_observer_of_a_struct_is_a_method(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<structured::Copies>(structured::Copies { lab: lab.clone() });
    world.create::<Widget>(widget_with("w", KEY, "skip")).await;
    world.until::<Widget>("w", "observed", is_ready).await;
    set_policy(&world, "manage").await;
    eventually(SOON, || async { (lab.log() == ["look w", "copy w"]).then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    under_skip_an_object_is_only_observed,
    a_policy_change_costs_one_status_write,
    a_detached_object_leaves_its_effects_behind,
    a_misspelt_policy_changes_and_deletes_nothing,
    the_default_policy_applies_to_unannotated_objects,
    the_namespace_policy_applies_to_unannotated_objects,
    without_an_observer_the_status_has_only_the_policy,
    the_observer_of_a_struct_is_a_method,
);

#[tokio::test(start_paused = true)]
async fn policies_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<governed>(lab.clone());
        stage.create::<Widget>(widget_with("kept", KEY, "skip")).await;
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.rest().await;
        let maps = stage.api::<ConfigMap>();
        let there = async |name: &str| maps.get_opt(name).await.unwrap().is_some();
        assert_eq!((there("kept").await, there("w").await), (false, true));
        set_policy(&stage, "Skip").await;
        stage.merge::<Widget>("w", json!({ "spec": { "child": "y" } })).await;
        stage.rest().await;
        set_policy(&stage, "skip").await;
        stage.delete::<Widget>("kept").await;
        assert!(is_ready(&stage.raw::<Widget>("w").await));
        let content = || async { maps.get("w").await.unwrap().data.unwrap()["data"].clone() };
        assert_eq!(content().await, "x");
        set_policy(&stage, "manage").await;
        stage.rest().await;
        assert_eq!(content().await, "y");
        set_policy(&stage, "detach-on-delete").await;
        stage.delete::<Widget>("w").await;
        assert_eq!((lab.cleanups(), lab.effects().iter().any(|effect| effect.contains("kept"))), (0, false));
        lab.effects().len()
    })
    .await;
}

//! The claim: it prepares an object before all steps, in one write with the finalizer.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, condition, definition, fetch, is_ready, reason, store,
};
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

const NAME: &str = "example.com/external-name";

/// Sets an external name, a label and the content of the child. `fetch` selects the failure.
#[claim]
async fn name_it(widget: &mut Widget, lab: &Arc<Lab>) -> Result<(), WidgetError> {
    lab.note(&format!("claim {}", widget.name_any()));
    match widget.spec.store.as_deref() {
        Some("taken") => return Err(WidgetError::Broken("the name is taken".into())),
        Some("odd") => return Err(WidgetError::Invalid),
        Some("panic at once") => panic!("as the test wished"),
        Some("meddle") => widget.status.get_or_insert_default().stored = Some("mine".into()),
        _ => {}
    }
    let name = format!("the-{}", widget.name_any());
    widget.annotations_mut().entry(NAME.to_owned()).or_insert(name.clone());
    let tier = if widget.spec.store.as_deref() == Some("mislabel") { "no label!" } else { "claimed" };
    widget.labels_mut().insert("tier".into(), tier.into());
    widget.spec.child.get_or_insert(name);
    Ok(())
}

#[reconciler(conditions = WidgetCondition, claim = name_it)]
async fn claimed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// The same as a struct, without effects outside the cluster.
mod structured {
    use evenkeel_tests::widget::{CopyCondition, is};

    use super::*;

    pub(super) struct Copies {
        pub(super) lab: Arc<Lab>,
    }

    #[reconciler(conditions = CopyCondition)]
    impl Copies {
        async fn reconcile(&self, widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
            self.copy(widget, cx).await?;
            Ok(())
        }

        #[sub_reconciler(sets(is::Copied))]
        async fn copy(&self, widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
            self.lab.note(&format!("copy {}", widget.spec.child.as_deref().unwrap_or_default()));
            Ok(())
        }

        #[claim]
        async fn choose(&self, widget: &mut Widget) -> Result<(), WidgetError> {
            widget.spec.child.get_or_insert("chosen".into());
            Ok(())
        }
    }
}

/// Writes of the object itself, without its status.
fn claims(world: &World) -> usize {
    world.wire.count(|call| call.is_write() && call.path.ends_with("/widgets/w"))
}

async fn claim_and_finalizer_share_one_write(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<claimed>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "store": "ok" }))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    let meta = &object["metadata"];
    assert_eq!((&meta["annotations"][NAME], &object["spec"]["child"]), (&json!("the-w"), &json!("the-w")));
    assert_eq!((&meta["finalizers"], &meta["generation"]), (&json!(["tests.evenkeel.dev/tester"]), &json!(2)));
    assert_eq!(object["status"]["observedGeneration"], 2);
    let effects = lab.effects();
    assert!(effects.iter().all(|effect| effect.contains("the-w") && effect.contains("claimed")), "{effects:?}");
    let children = 1;
    assert_eq!((lab.passes(), world.writes()), (1, 2 + children), "{:#?}", world.wire.calls());
    world.wire.clear();
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": { "note": "1" } } })).await;
    eventually(SOON, || async { (lab.passes() == 2).then_some(()) }).await;
    world.quiet().await;
    assert_eq!((lab.log().iter().filter(|line| *line == "claim w").count(), claims(&world)), (2, 0));
    world.merge::<Widget>("w", json!({ "metadata": { "labels": { "tier": "mine" } } })).await;
    world.until::<Widget>("w", "claimed again", |w| w["metadata"]["labels"]["tier"] == "claimed").await;
    operator.stop().await.unwrap();
    world
}

async fn a_failed_claim_sets_no_finalizer(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<claimed>(lab.clone());
    for (how, wanted, text) in [
        ("taken", "Broken", "the name is taken"),
        ("odd", "Invalid", "the widget is not valid"),
        ("panic at once", "Panicked", "step name_it panicked: as the test wished"),
        ("meddle", "ClaimRefused", "the claim name_it changed `status`"),
    ] {
        let name = wanted.to_lowercase();
        world.create::<Widget>(a_widget(&name, json!({ "store": how }))).await;
        let object = world.until::<Widget>(&name, wanted, |w| reason(w, "Ready") == wanted).await;
        let message = condition(&object, "Ready").unwrap()["message"].as_str().unwrap();
        assert!(message.starts_with(text), "{message}");
        assert_eq!((&object["metadata"]["finalizers"], &object["spec"]["child"]), (&Value::Null, &Value::Null));
    }
    assert_eq!((lab.passes(), lab.effects().len()), (0, 0));
    // On Kubernetes 1.20 the creator of the object owns the fields of the first status write, so no one else removes them.
    if world.server != Server::Full {
        world.merge::<Widget>("invalid", json!({ "spec": { "store": "ok" } })).await;
        world.until::<Widget>("invalid", "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world
}

/// The API server refuses what the claim wrote.
async fn a_refused_claim_is_reported(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<claimed>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "store": "mislabel" }))).await;
    let object = world.until::<Widget>("w", "refused", |w| reason(w, "Ready") == "Invalid").await;
    let message = condition(&object, "Ready").unwrap()["message"].as_str().unwrap();
    let start = "the object could not be patched with its claim and finalizer: ";
    assert!(message.starts_with(start) && message.contains("no label!"), "{message}");
    assert_eq!((&object["metadata"]["finalizers"], &object["metadata"]["labels"]), (&Value::Null, &Value::Null));
    assert_eq!((lab.passes(), lab.effects().len()), (0, 0));
    // The retries write nothing new.
    let is_status = |call: &Call| call.is_status_write();
    eventually(SOON, || async { (claims(&world) > 2).then_some(()) }).await;
    assert_eq!(world.wire.count(is_status), 1, "{:#?}", world.wire.calls());
    if world.server != Server::Full {
        world.merge::<Widget>("w", json!({ "spec": { "store": "ok" } })).await;
        world.until::<Widget>("w", "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world
}

async fn a_deleting_object_is_not_claimed(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let mut widget = a_widget("w", json!({ "child": "x" }));
    widget["metadata"]["finalizers"] = json!(["tests.evenkeel.dev/tester"]);
    world.create::<Widget>(widget).await;
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    let operator = world.operator::<claimed>(lab.clone());
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(lab.log(), ["remove w"]);
    operator.stop().await.unwrap();
    world
}

async fn the_claim_of_a_struct_is_a_method(world: World) -> World {
    let lab = Lab::at("a");
    world.install(&definition()).await;
    let operator = world.operator::<structured::Copies>(structured::Copies { lab: lab.clone() });
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    assert_eq!((&object["metadata"]["finalizers"], lab.log()), (&Value::Null, vec!["copy chosen".to_owned()]));
    assert_eq!(world.writes(), 2, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<structured::Copies>(structured::Copies { lab: lab.clone() });
    world.quiet().await;
    assert_eq!(world.wire.count(Call::is_write), 0);
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    claim_and_finalizer_share_one_write,
    a_failed_claim_sets_no_finalizer,
    a_refused_claim_is_reported,
    a_deleting_object_is_not_claimed,
    the_claim_of_a_struct_is_a_method,
);

#[tokio::test(start_paused = true)]
async fn claims_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<claimed>(lab.clone());
        stage.create::<Widget>(a_widget("w", json!({}))).await;
        stage.rest().await;
        let object = stage.raw::<Widget>("w").await;
        assert!(is_ready(&object) && object["spec"]["child"] == "the-w", "{object:#}");
        let taken_off = json!({ "metadata": { "annotations": { NAME: null } }, "spec": { "child": null } });
        stage.merge::<Widget>("w", taken_off).await;
        stage.rest().await;
        assert_eq!(stage.raw::<Widget>("w").await["spec"]["child"], "the-w");
        stage.delete::<Widget>("w").await;
        // No external effect used another name.
        lab.effects()
    })
    .await;
}

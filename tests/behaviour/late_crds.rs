//! Kinds whose CRD is missing or removed: they start when it is installed, and affect no other kind before.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready, widget};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams};
use kube::core::{CustomResourceExt, ObjectMeta};
use schemars::JsonSchema;
use serde_json::{Value, json};
use tokio::time::sleep;

/// Longer than the longest pause between two attempts of a watch.
const PATIENCE: Duration = Duration::from_secs(90);

macro_rules! kind {
    ($kind:ident, $spec:ident, $name:tt) => {
        #[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
        #[kube(group = "late.tests.evenkeel.dev", version = "v1", kind = $name, namespaced, status = "GadgetStatus")]
        #[serde(default)]
        struct $spec {
            size: u32,
        }
    };
}

/// What the framework keeps of a gadget.
#[evenkeel::status]
pub struct GadgetStatus {}

kind!(Gadget, GadgetSpec, "Gadget");
kind!(Gizmo, GizmoSpec, "Gizmo");

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum GadgetCondition {
    /// The gadget of the widget is there.
    #[condition(positive)]
    Made,
}

/// Owns a kind whose CRD is installed later.
#[sub_reconciler(sets(on::Made), owns(Gadget))]
async fn make(widget: &Widget, cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
    if widget.spec.child.is_some() {
        let metadata = ObjectMeta { name: Some("gadget".into()), ..ObjectMeta::default() };
        cx.apply(&Gadget { metadata, spec: GadgetSpec { size: 1 }, status: None }).await?;
    }
    Ok(())
}

#[reconciler(conditions = GadgetCondition, requeue = "30d")]
async fn maker(widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
    make(widget, cx).await?;
    Ok(())
}

#[derive(ConditionSet)]
#[condition_set(mod = of)]
enum GizmoCondition {
    /// The gizmo was seen.
    #[condition(positive)]
    Seen,
}

#[sub_reconciler(sets(of::Seen))]
async fn see(_: &Gizmo, _cx: &mut Cx<'_, see>) -> Result<(), WidgetError> {
    Ok(())
}

#[reconciler(conditions = GizmoCondition, requeue = "30d")]
async fn gizmo(gizmo: &Gizmo, cx: &mut Pass<'_>) -> PassResult {
    see(gizmo, cx).await?;
    Ok(())
}

/// Deletes a CRD with all objects of its kind.
async fn uninstall(world: &World, crd: &CustomResourceDefinition) {
    let (crds, name) = (Api::<CustomResourceDefinition>::all(world.client.clone()), crd.metadata.name.clone().unwrap());
    let _ = crds.delete(&name, &DeleteParams::default()).await;
    eventually(PATIENCE, || async { crds.get_opt(&name).await.ok()?.is_none().then_some(()) }).await;
}

async fn has_gadget(world: &World) {
    eventually(PATIENCE, || async { world.api::<Gadget>().get_opt("gadget").await.ok()? }).await;
}

fn an_object(kind: &str, name: &str) -> Value {
    json!({ "apiVersion": "late.tests.evenkeel.dev/v1", "kind": kind, "metadata": { "name": name }, "spec": {} })
}

on_each_server!(an_owned_kind_is_watched_once_its_crd_exists, a_reconciled_kind_starts_once_its_crd_exists,);

async fn an_owned_kind_is_watched_once_its_crd_exists(world: World) -> World {
    world.install(&definition()).await;
    uninstall(&world, &Gadget::crd()).await;
    world.create::<Widget>(a_widget("free", json!({}))).await;
    world.create::<Widget>(a_widget("needy", json!({ "child": "x" }))).await;
    let operator = world.operator::<maker>(());
    world.until::<Widget>("free", "ready", is_ready).await;
    assert!(!is_ready(&world.raw::<Widget>("needy").await));
    for _ in ["it comes", "it comes back"] {
        world.install(&Gadget::crd()).await;
        has_gadget(&world).await;
        // The recreated object shows that the watch works.
        sleep(Duration::from_secs(6)).await;
        world.api::<Gadget>().delete("gadget", &DeleteParams::default()).await.unwrap();
        has_gadget(&world).await;
        uninstall(&world, &Gadget::crd()).await;
    }
    operator.stop().await.unwrap();
    world
}

async fn a_reconciled_kind_starts_once_its_crd_exists(world: World) -> World {
    world.install(&definition()).await;
    uninstall(&world, &Gizmo::crd()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.wire.observers().know::<gizmo>();
    let operator = Running::start(world.prepare::<widget>(Lab::at("a")).reconciler::<gizmo>(()));
    world.until::<Widget>("w", "ready", is_ready).await;
    for name in ["it comes", "it comes back"] {
        world.install(&Gizmo::crd()).await;
        world.create::<Gizmo>(an_object("Gizmo", "g")).await;
        let ready = || async { is_ready(&world.raw::<Gizmo>("g").await).then_some(()) };
        eventually(PATIENCE, ready).await;
        println!("{name}");
        uninstall(&world, &Gizmo::crd()).await;
    }
    operator.stop().await.unwrap();
    world
}

/// A server without these kinds, and the warnings about them after a long time.
async fn warned(prepare: impl AsyncFnOnce(&World) -> Running) -> Vec<String> {
    let (logs, _guard) = Logs::capture();
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = prepare(&world).await;
    sleep(Duration::from_secs(3600)).await;
    operator.stop().await.unwrap();
    logs.with(&["WARN", "late.tests.evenkeel.dev"])
}

#[tokio::test(start_paused = true)]
async fn a_missing_crd_logs_one_warning_with_the_fix() {
    let owned = warned(async |world| world.operator::<maker>(())).await;
    let reconciled =
        warned(async |world| Running::start(world.prepare::<widget>(Lab::at("a")).reconciler::<gizmo>(())));
    for (warnings, kind) in [(owned, "Gadget"), (reconciled.await, "Gizmo")] {
        let [warning] = &warnings[..] else { panic!("one for an hour: {warnings:?}") };
        assert!(warning.contains(&format!("install the CRD of {kind}")), "{warning}");
    }
}

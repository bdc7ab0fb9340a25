//! A set that serves types which it does not define: what the arguments `manages`, `namespaces` and `reapply` declare.

use std::collections::BTreeMap;
use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError, UpdatePolicy};
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::on_each_server;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::calls;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Plant", namespaced, status = "PlantStatus")]
pub(crate) struct PlantSpec {
    /// The pipes.
    #[serde(default)]
    pub(crate) pipes: Vec<String>,
    /// The namespace of the engine; that of the plant without it.
    #[serde(default)]
    pub(crate) engine_in: Option<String>,
    /// The Secret with the fuel.
    #[serde(default)]
    pub(crate) fuel: Option<String>,
}

#[status(dependents)]
pub(crate) struct PlantStatus {}

/// A type that the engine of a plant serves, and that no set defines.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "plant.tests.evenkeel.dev", version = "v1", kind = "Pipe", namespaced)]
pub(crate) struct PipeSpec {
    pub(crate) width: i32,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum PlantCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum PlantError {
    #[error(transparent)]
    #[class(waiting)]
    NoFuel(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(
    sets(on::Applied),
    watches(Secret, by_name),
    dependents(ConfigMap, Pipe, manages("plant.tests.evenkeel.dev/*"), namespaces = refuse, reapply = "1h")
)]
async fn build(plant: &Plant, cx: &mut Cx) -> Result<Dependents, PlantError> {
    if let Some(fuel) = &plant.spec.fuel {
        cx.require::<Secret>(fuel).await?;
    }
    let mut wanted = cx.wanted();
    for pipe in &plant.spec.pipes {
        wanted.add(&Pipe::new(pipe, PipeSpec { width: 1 })).update(UpdatePolicy::Recreate);
    }
    let mut engine = ConfigMap { data: Some(BTreeMap::new()), ..ConfigMap::default() };
    (engine.metadata.name, engine.metadata.namespace) = (Some("engine".into()), plant.spec.engine_in.clone());
    wanted.add(&engine);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = PlantCondition)]
pub(crate) async fn plant(plant: &Plant, cx: &mut Pass<'_>) -> PassResult {
    build(plant, cx).await?;
    Ok(())
}

on_each_server!(
    what_serves_a_type_comes_before_its_instances_and_goes_after_all_of_them,
    a_namespace_that_is_missing_is_refused_by_the_argument
);

async fn install(world: &World) {
    world.install(&Plant::crd()).await;
    world.install(&Pipe::crd()).await;
}

/// An operator for plants.
pub(crate) async fn start(world: &World) -> Running {
    install(world).await;
    world.operator::<plant>(())
}

pub(crate) async fn create(world: &World, spec: Value) {
    let plant =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Plant", "metadata": { "name": "a" }, "spec": spec });
    world.create::<Plant>(plant).await;
}

fn has_reason(reason: &'static str) -> impl Fn(&Value) -> bool {
    move |plant| condition(plant, "Applied").is_some_and(|applied| applied["reason"] == reason)
}

async fn what_serves_a_type_comes_before_its_instances_and_goes_after_all_of_them(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pipes": ["main"] })).await;
    world.until::<Plant>("a", "ready", is_ready).await;
    let place = |sent: &[String], method: &str, end: &str| {
        let found = sent.iter().position(|call| call.starts_with(method) && call.ends_with(end));
        found.unwrap_or_else(|| panic!("no {method} {end}: {sent:?}"))
    };
    let sent = calls(&world);
    assert!(place(&sent, "PATCH", "configmaps/engine") < place(&sent, "PATCH", "pipes/main"), "{sent:?}");
    // While another client has an instance, nothing of the component is deleted.
    let foreign = json!({ "apiVersion": "plant.tests.evenkeel.dev/v1", "kind": "Pipe", "metadata": { "name": "foreign" }, "spec": { "width": 2 } });
    world.create::<Pipe>(foreign).await;
    world.wire.clear();
    world.delete::<Plant>("a").await;
    let blocked = world.until::<Plant>("a", "blocked", has_reason("DeletionBlocked")).await;
    let text = format!(
        "the step build serves plant.tests.evenkeel.dev/*, and others have Pipe.plant.tests.evenkeel.dev {}/foreign; ",
        world.namespace
    );
    assert!(message(&blocked, "Applied").contains(&text), "{blocked}");
    world.quiet().await;
    assert!(!calls(&world).iter().any(|call| call.starts_with("DELETE")), "{:?}", calls(&world));
    // The instance of the component goes first, and what serves it waits for its end.
    world.delete::<Pipe>("foreign").await;
    world.until_gone::<Pipe>("foreign").await;
    world.merge::<Pipe>("main", json!({ "metadata": { "finalizers": ["plant.tests.evenkeel.dev/hold"] } })).await;
    world.merge::<Plant>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } })).await;
    world.until::<Pipe>("main", "deleted", |pipe| pipe["metadata"]["deletionTimestamp"].is_string()).await;
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_some());
    world.merge::<Pipe>("main", json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone::<Plant>("a").await;
    assert!(world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn a_namespace_that_is_missing_is_refused_by_the_argument(world: World) -> World {
    install(&world).await;
    let other = format!("{}-new", world.namespace);
    let operator = Running::start(world.prepare_in::<plant>(&[&world.namespace, &other], ()));
    create(&world, json!({ "engine_in": other })).await;
    world.until::<Plant>("a", "refused", has_reason("NamespaceMissing")).await;
    operator.stop().await.unwrap();
    world
}

/// A plant whose objects are applied again each hour, three hours later. The pipe has the update policy `recreate`. The wire has the calls of
/// these hours.
pub(crate) async fn three_hours_later() -> (World, Running) {
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    create(&world, json!({ "pipes": ["main"] })).await;
    world.until::<Plant>("a", "ready", is_ready).await;
    world.wire.clear();
    tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
    (world, operator)
}

#[tokio::test(start_paused = true)]
async fn unchanged_objects_are_applied_again_after_the_time_of_the_argument() {
    let (world, operator) = three_hours_later().await;
    let sent = calls(&world);
    for end in ["configmaps/engine", "pipes/main"] {
        // Each is due between half an hour and an hour after its last write.
        let count = sent.iter().filter(|call| call.ends_with(end)).count();
        assert!((2..=6).contains(&count), "{end}: {sent:?}");
    }
    // It is not a change: nothing is recreated, and the component stays ready.
    assert!(sent.iter().all(|call| call.starts_with("PATCH") && !call.contains("plants/")), "{sent:?}");
    operator.stop().await.unwrap();
}

//! Sets of components that say which types their objects serve: what the argument `manages = ..` reads.

use evenkeel::dependents::Dependents;
use evenkeel::introspection::RbacRule;
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::{ShopCondition, ShopError, calls, named, on};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Mill", namespaced, status = "MillStatus")]
pub(crate) struct MillSpec {
    /// The gears.
    #[serde(default)]
    gears: Vec<String>,
    /// The types that its engine serves.
    #[serde(default)]
    types: Option<Vec<String>>,
    /// The types that its miller serves.
    #[serde(default)]
    more: Vec<String>,
}

#[status(dependents)]
pub(crate) struct MillStatus {}

/// A type that the engine of a mill serves, and that no set defines.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "mill.tests.evenkeel.dev", version = "v1", kind = "Gear", namespaced)]
pub(crate) struct GearSpec {
    teeth: i32,
}

#[sub_reconciler(
    sets(on::Applied),
    dependents(ConfigMap, Gear, manages("other.tests.evenkeel.dev/*"), manages = spec.types)
)]
async fn grind(mill: &Mill, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    wanted.add::<ConfigMap>(&named("engine", &json!({})));
    for gear in &mill.spec.gears {
        wanted.add(&Gear::new(gear, GearSpec { teeth: 12 }));
    }
    Ok(cx.converge(wanted).await?)
}

fn more_types(mill: &Mill) -> &[String] {
    &mill.spec.more
}

#[sub_reconciler(sets(on::Healthy), dependents(ServiceAccount, manages = more_types))]
async fn sweep(_mill: &Mill, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    wanted.add::<ServiceAccount>(&named("miller", &json!({})));
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShopCondition)]
pub(crate) async fn mill(mill: &Mill, cx: &mut Pass<'_>) -> PassResult {
    grind(mill, cx).await?;
    sweep(mill, cx).await?;
    Ok(())
}

on_each_server!(
    the_object_says_whose_instances_block_its_deletion,
    an_unreadable_pattern_stops_the_set_before_anything_is_written,
    an_unreadable_pattern_deletes_nothing
);

async fn start(world: &World) -> Running {
    world.install(&Mill::crd()).await;
    world.install(&Gear::crd()).await;
    world.operator::<mill>(())
}

async fn create(world: &World, spec: Value) {
    let mill =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Mill", "metadata": { "name": "a" }, "spec": spec });
    world.create::<Mill>(mill).await;
}

async fn until_reason(world: &World, type_: &str, reason: &str) -> Value {
    let is_so = |mill: &Value| condition(mill, type_).is_some_and(|one| one["reason"] == reason);
    world.until::<Mill>("a", reason, is_so).await
}

fn deletions(world: &World) -> Vec<String> {
    calls(world).into_iter().filter(|call| call.starts_with("DELETE")).collect()
}

/// The only test with gears, since their type exists once per server.
async fn the_object_says_whose_instances_block_its_deletion(world: World) -> World {
    let operator = start(&world).await;
    create(
        &world,
        json!({ "gears": ["main"], "types": ["mill.tests.evenkeel.dev/*", "mill.tests.evenkeel.dev/Gear"] }),
    )
    .await;
    world.until::<Mill>("a", "ready", is_ready).await;
    let foreign = json!({ "apiVersion": "mill.tests.evenkeel.dev/v1", "kind": "Gear", "metadata": { "name": "foreign" }, "spec": { "teeth": 3 } });
    world.create::<Gear>(foreign).await;
    world.merge::<Gear>("main", json!({ "metadata": { "finalizers": ["mill.tests.evenkeel.dev/hold"] } })).await;
    world.wire.clear();
    world.delete::<Mill>("a").await;
    let blocked = until_reason(&world, "Healthy", "DeletionBlocked").await;
    let text = format!(
        "the step grind serves mill.tests.evenkeel.dev/*, and others have Gear.mill.tests.evenkeel.dev {}/foreign; ",
        world.namespace
    );
    assert!(message(&blocked, "Healthy").contains(&text), "{blocked}");
    world.quiet().await;
    assert!(deletions(&world).is_empty(), "{:?}", deletions(&world));
    // The engine stays until the instances of the component are gone.
    world.delete::<Gear>("foreign").await;
    world.until_gone::<Gear>("foreign").await;
    world.merge::<Mill>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } })).await;
    world.until::<Gear>("main", "deleted", |gear| gear["metadata"]["deletionTimestamp"].is_string()).await;
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_some());
    // Without the pattern, no instance is waited for.
    world.merge::<Mill>("a", json!({ "spec": { "types": null } })).await;
    world.until_gone::<ConfigMap>("engine").await;
    world.merge::<Gear>("main", json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone::<Mill>("a").await;
    operator.stop().await.unwrap();
    world
}

async fn an_unreadable_pattern_stops_the_set_before_anything_is_written(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "types": ["*r.evenkeel.dev/*"] })).await;
    let cure = "write a group and a kind, such as `cert-manager.io/Certificate`, `*.crossplane.io/*` or `*/*`";
    let mill = until_reason(&world, "Applied", "ManifestInvalid").await;
    let text = format!("the component: spec.types: `*r.evenkeel.dev/*` is no pattern of types: {cure}");
    assert_eq!(message(&mill, "Applied"), text);
    assert_eq!(condition(&mill, "Stalled").unwrap()["status"], "True");
    assert!(world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_none());
    // Another set of the component has its own patterns, from a function.
    world.delete::<Mill>("a").await;
    world.until_gone::<Mill>("a").await;
    create(&world, json!({ "more": ["Gear"] })).await;
    let mill = until_reason(&world, "Healthy", "ManifestInvalid").await;
    let text = format!("the component: the function `more_types`: `Gear` is no pattern of types: {cure}");
    assert_eq!(message(&mill, "Healthy"), text);
    assert!(world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_some());
    operator.stop().await.unwrap();
    world
}

async fn an_unreadable_pattern_deletes_nothing(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({})).await;
    world.until::<Mill>("a", "ready", is_ready).await;
    world.wire.clear();
    world.merge::<Mill>("a", json!({ "spec": { "types": ["*"] } })).await;
    until_reason(&world, "Applied", "ManifestInvalid").await;
    world.delete::<Mill>("a").await;
    let text = "the component: spec.types: `*` is no pattern of types: ";
    let is_refused = |mill: &Value| message(mill, "Healthy").starts_with(text);
    let mill = world.until::<Mill>("a", "refused", is_refused).await;
    assert_eq!(condition(&mill, "Healthy").unwrap()["reason"], "ManifestInvalid");
    world.quiet().await;
    assert!(deletions(&world).is_empty(), "{:?}", deletions(&world));
    world.merge::<Mill>("a", json!({ "spec": { "types": ["other.tests.evenkeel.dev/Gear"] } })).await;
    world.until_gone::<Mill>("a").await;
    let gone = [
        world.api::<ConfigMap>().get_opt("engine").await.unwrap().is_none(),
        world.api::<ServiceAccount>().get_opt("miller").await.unwrap().is_none(),
    ];
    assert_eq!(gone, [true; 2]);
    // A component without dependents can be deleted, whatever it says.
    create(&world, json!({ "types": ["*"] })).await;
    until_reason(&world, "Applied", "ManifestInvalid").await;
    world.delete::<Mill>("a").await;
    world.until_gone::<Mill>("a").await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn patterns_of_an_object_need_the_right_to_list_everything() {
    let world = World::on(Server::InProcess).await.unwrap();
    let rules = world.prepare::<mill>(()).rbac_rules();
    let lists =
        |rule: &&RbacRule| rule.why.contains("looks for objects of others before it deletes what serves their types");
    let found: Vec<_> = rules.iter().filter(lists).map(|rule| (&*rule.group, &*rule.resource)).collect();
    assert_eq!(found, [("*", "*"), ("other.tests.evenkeel.dev", "*")]);
}

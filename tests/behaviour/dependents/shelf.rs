//! A kind whose set has an inventory in the status, and an object that may be too large.

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::{calls, named};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Shelf", namespaced, status = "ShelfStatus")]
pub(crate) struct ShelfSpec {
    /// The names of its config maps. The last one is in a wave of its own.
    books: Vec<String>,
    /// The number of characters in each of them.
    #[serde(default)]
    characters: usize,
    /// A config map that is purged when it has been there.
    #[serde(default)]
    leaflet: Option<String>,
}

#[status(dependents)]
pub(crate) struct ShelfStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ShelfCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ShelfError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, inventory = all))]
async fn fill(shelf: &Shelf, cx: &mut Cx) -> Result<Dependents, ShelfError> {
    let mut wanted = cx.wanted();
    let text = "x".repeat(shelf.spec.characters);
    for (at, book) in shelf.spec.books.iter().enumerate() {
        let is_last = at + 1 == shelf.spec.books.len();
        wanted.add::<ConfigMap>(&named(book, &json!({ "data": { "text": text } }))).apply_order(i16::from(is_last));
    }
    if let Some(leaflet) = &shelf.spec.leaflet {
        wanted.add::<ConfigMap>(&named(leaflet, &json!({}))).purge_order(0);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShelfCondition)]
pub(crate) async fn shelf(shelf: &Shelf, cx: &mut Pass<'_>) -> PassResult {
    fill(shelf, cx).await?;
    Ok(())
}

on_each_server!(
    an_inventory_lists_the_objects_in_the_order_of_their_waves,
    an_object_that_is_too_large_is_named_and_the_others_are_applied
);

async fn create(world: &World, spec: Value) {
    let shelf =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Shelf", "metadata": { "name": "a" }, "spec": spec });
    world.create::<Shelf>(shelf).await;
}

async fn an_inventory_lists_the_objects_in_the_order_of_their_waves(world: World) -> World {
    world.install(&Shelf::crd()).await;
    let operator = world.operator::<shelf>(());
    create(&world, json!({ "books": ["b", "a"], "leaflet": "c" })).await;
    let shelf = world.until::<Shelf>("a", "ready", is_ready).await;
    let listed = |shelf: &Value| shelf["status"]["dependents"]["shelf/fill"]["objects"].clone();
    let book = |name: &str, wave: i16| json!({ "kind": "ConfigMap", "namespace": world.namespace, "name": name, "wave": wave, "ready": true });
    assert_eq!(listed(&shelf), json!([book("b", 0), book("a", 1)]));
    world.merge::<Shelf>("a", json!({ "spec": { "books": ["a"] } })).await;
    world.until::<Shelf>("a", "one book", |shelf| is_ready(shelf) && listed(shelf) == json!([book("a", 1)])).await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn an_inventory_lists_500_objects() {
    let world = World::within(evenkeel_testkit::Cluster::start().await);
    world.install(&Shelf::crd()).await;
    let operator = world.operator::<shelf>(());
    let books: Vec<String> = (0..510).map(|i| format!("book-{i:03}")).collect();
    create(&world, json!({ "books": books })).await;
    let shelf = world.until::<Shelf>("a", "ready", is_ready).await;
    let set = &shelf["status"]["dependents"]["shelf/fill"];
    assert_eq!((set["objects"].as_array().unwrap().len(), &set["wanted"]), (500, &json!(510)));
    operator.stop().await.unwrap();
}

async fn an_object_that_is_too_large_is_named_and_the_others_are_applied(world: World) -> World {
    world.install(&Shelf::crd()).await;
    let operator = world.operator::<shelf>(());
    create(&world, json!({ "books": ["large"], "characters": 1_700_000, "leaflet": "small" })).await;
    let is_large = |shelf: &Value| condition(shelf, "Stalled").is_some_and(|one| one["reason"] == "ObjectTooLarge");
    let shelf = world.until::<Shelf>("a", "too large", is_large).await;
    let text = format!(
        "ConfigMap {}/large: it is larger than the API server stores; make it smaller, or split it",
        world.namespace
    );
    assert_eq!(message(&shelf, "Applied"), text);
    world.quiet().await;
    let sent = |name: &str| calls(&world).iter().filter(|call| **call == format!("PATCH configmaps/{name}")).count();
    assert_eq!((sent("large"), sent("small")), (1, 1), "{:?}", calls(&world));
    // Before Kubernetes 1.22 the client that changes the spec holds Stalled, too, so the condition is there for a moment beside others.
    if world.server != Server::Full {
        world.merge::<Shelf>("a", json!({ "spec": { "characters": 17 } })).await;
        world.until::<Shelf>("a", "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world
}

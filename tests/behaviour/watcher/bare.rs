//! Watchers of kinds without a status of ours: two finalizers are their memory.

use std::convert::Infallible;
use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{Metadata, ReconciledKind, Reconciler, Watcher};
use evenkeel_testkit::{Verb, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{Running, SOON, World};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::service::{InfoError, Service, finalizers};

const ADDING: &str = "tests.evenkeel.dev/adding.maps";
pub(crate) const ADDED: &str = "tests.evenkeel.dev/maps";

#[derive(Clone)]
pub(crate) struct Maps {
    pub(crate) service: Arc<Service>,
}

/// The name and the value under `k`.
fn text(map: &ConfigMap) -> String {
    format!("{}={}", map.name_any(), map.data.as_ref().and_then(|data| data.get("k")).map_or("", String::as_str))
}

#[watcher(bare, finalizer = "tests.evenkeel.dev/maps", labels = "watched=yes", leave = "delete")]
impl Maps {
    async fn add(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("add", &text(map))
    }

    async fn update(&self, old: &ConfigMap, map: &ConfigMap) -> Result<(), InfoError> {
        let old = old.data.as_ref().and_then(|data| data.get("k")).map_or("", String::as_str);
        self.service.called("update", &format!("{old} {}", text(map)))
    }

    async fn sync(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("sync", &text(map))
    }

    async fn delete(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("delete", &text(map))
    }
}

impl From<Arc<Service>> for Maps {
    fn from(service: Arc<Service>) -> Self {
        Self { service }
    }
}

/// The same without a cache of the content.
#[derive(Clone)]
pub(crate) struct LeanMaps {
    service: Arc<Service>,
}

#[watcher(bare, finalizer = "tests.evenkeel.dev/maps", labels = "watched=yes", leave = "delete", cache = none)]
impl LeanMaps {
    async fn add(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("add", &text(map))
    }

    async fn update(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("update", &text(map))
    }

    async fn sync(&self, map: &ConfigMap) -> Result<(), InfoError> {
        self.service.called("sync", &text(map))
    }

    async fn delete(&self, map: &Metadata<ConfigMap>) -> Result<(), InfoError> {
        self.service.called("delete", &format!("{}=", map.name_any()))
    }
}

impl From<Arc<Service>> for LeanMaps {
    fn from(service: Arc<Service>) -> Self {
        Self { service }
    }
}

/// A watcher of maps, and what its methods get.
pub(crate) trait MapWatcher:
    Reconciler<Deps = Self, Object: ReconciledKind> + Watcher + From<Arc<Service>> + Clone
{
    /// The call of `update` for `a`, from `one` to `two`.
    const UPDATE: &str;
    /// The call of `delete` for `a` with this value.
    fn delete(value: &str) -> String;
    /// The number of objects that are read for this number of calls other than `delete`.
    fn reads(calls: usize) -> usize;
}

impl MapWatcher for Maps {
    const UPDATE: &str = "update one a=two";

    fn delete(value: &str) -> String {
        format!("delete a={value}")
    }

    fn reads(_: usize) -> usize {
        0
    }
}

impl MapWatcher for LeanMaps {
    const UPDATE: &str = "update a=two";

    fn delete(_: &str) -> String {
        "delete a=".to_owned()
    }

    fn reads(calls: usize) -> usize {
        calls
    }
}

/// The same as a function, which leaves objects alone when they leave the selection.
#[watcher(bare, finalizer = "tests.evenkeel.dev/maps", labels = "watched=yes")]
async fn map_events(event: Event<'_, ConfigMap>, service: &Arc<Service>) -> Result<(), InfoError> {
    service.called(event.action(), &text(event.object()))
}

/// Knows the names of the maps.
#[watcher(plain, on(any), cache = metadata)]
async fn names(event: Event<'_, Metadata<ConfigMap>>, service: &Arc<Service>) -> Result<(), Infallible> {
    let _ = service.called(event.action(), &event.object().name_any());
    Ok(())
}

fn a_map(value: &str) -> Value {
    a_map_named("a", value)
}

pub(crate) fn a_map_named(name: &str, value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": { "watched": "yes" } }, "data": { "k": value } })
}

fn start<W: MapWatcher>(world: &World, service: &Arc<Service>) -> Running {
    world.operator::<W>(service.clone().into())
}

/// The number of times that the operator has read the map.
fn reads(world: &World) -> usize {
    world.wire.count(|call| call.method == "GET" && call.path.ends_with("/configmaps/a"))
}

/// Waits until the map has exactly these finalizers.
async fn held(world: &World, wanted: &[&str]) {
    eventually(SOON, || async {
        let map = world.api::<ConfigMap>().get_opt("a").await.unwrap()?;
        (finalizers(&map) == wanted).then_some(())
    })
    .await;
}

async fn relabel(world: &World, value: Value) {
    world.merge::<ConfigMap>("a", json!({ "metadata": { "labels": { "watched": value } } })).await;
}

on_each_server!(
    a_bare_object_costs_two_writes_when_it_is_added_and_one_when_it_is_deleted,
    a_bare_object_without_a_cache_is_read_once_for_each_call,
    an_interrupted_add_is_repeated_after_a_restart,
    an_interrupted_add_without_a_cache_is_repeated_after_a_restart,
    an_object_that_leaves_the_selection_is_deleted,
    an_object_without_a_cache_that_leaves_the_selection_is_deleted,
    an_object_that_leaves_the_selection_is_detached,
    a_removal_that_failed_is_repeated_without_delete,
    a_removal_without_a_cache_that_failed_is_repeated_without_delete,
    a_watcher_of_metadata_sees_each_version
);

async fn a_bare_object_costs_two_writes_when_it_is_added_and_one_when_it_is_deleted(world: World) -> World {
    costs::<Maps>(world).await
}

async fn a_bare_object_without_a_cache_is_read_once_for_each_call(world: World) -> World {
    costs::<LeanMaps>(world).await
}

async fn costs<W: MapWatcher>(world: World) -> World {
    let service = Service::new();
    let operator = start::<W>(&world, &service);
    world.create::<ConfigMap>(a_map("one")).await;
    held(&world, &[ADDED]).await;
    world.quiet().await;
    assert_eq!((service.calls(), world.writes()), (vec!["add a=one".to_owned()], 2));
    world.merge::<ConfigMap>("a", json!({ "data": { "k": "two" } })).await;
    eventually(SOON, || async { (service.calls().len() == 2).then_some(()) }).await;
    world.quiet().await;
    assert_eq!((service.calls()[1].as_str(), world.writes()), (W::UPDATE, 2));
    world.delete::<ConfigMap>("a").await;
    world.until_gone::<ConfigMap>("a").await;
    world.quiet().await;
    assert_eq!((service.calls()[2..].to_vec(), world.writes()), (vec![W::delete("two")], 3));
    assert_eq!(reads(&world), W::reads(2));
    operator.stop().await.unwrap();
    world
}

async fn an_interrupted_add_is_repeated_after_a_restart(world: World) -> World {
    is_repeated::<Maps>(world).await
}

async fn an_interrupted_add_without_a_cache_is_repeated_after_a_restart(world: World) -> World {
    is_repeated::<LeanMaps>(world).await
}

async fn is_repeated<W: MapWatcher>(world: World) -> World {
    let service = Service::new();
    service.fail("add", u32::MAX, false);
    let operator = start::<W>(&world, &service);
    world.create::<ConfigMap>(a_map("one")).await;
    held(&world, &[ADDING]).await;
    eventually(SOON, || async { (!service.calls().is_empty()).then_some(()) }).await;
    operator.stop().await.unwrap();
    service.fail("add", 0, false);
    let before = service.calls().len();
    let operator = start::<W>(&world, &service);
    held(&world, &[ADDED]).await;
    operator.stop().await.unwrap();
    let operator = start::<W>(&world, &service);
    eventually(SOON, || async { (service.calls().len() == before + 2).then_some(()) }).await;
    assert_eq!(service.calls()[before..], ["add a=one", "sync a=one"]);
    world.delete::<ConfigMap>("a").await;
    world.until_gone::<ConfigMap>("a").await;
    operator.stop().await.unwrap();
    world
}

async fn an_object_that_leaves_the_selection_is_deleted(world: World) -> World {
    is_deleted_when_it_leaves::<Maps>(world).await
}

async fn an_object_without_a_cache_that_leaves_the_selection_is_deleted(world: World) -> World {
    is_deleted_when_it_leaves::<LeanMaps>(world).await
}

async fn is_deleted_when_it_leaves<W: MapWatcher>(world: World) -> World {
    let service = Service::new();
    let operator = start::<W>(&world, &service);
    world.create::<ConfigMap>(a_map("one")).await;
    held(&world, &[ADDED]).await;
    relabel(&world, Value::Null).await;
    held(&world, &[]).await;
    relabel(&world, json!("yes")).await;
    held(&world, &[ADDED]).await;
    assert_eq!(service.calls(), ["add a=one".to_owned(), W::delete("one"), "add a=one".to_owned()]);
    // It leaves while the operator is down.
    operator.stop().await.unwrap();
    relabel(&world, json!("no")).await;
    let operator = start::<W>(&world, &service);
    held(&world, &[]).await;
    assert_eq!(service.calls()[3..], [W::delete("one")]);
    operator.stop().await.unwrap();
    world
}

async fn an_object_that_leaves_the_selection_is_detached(world: World) -> World {
    let service = Service::new();
    let operator = world.operator::<map_events>(service.clone().into());
    world.create::<ConfigMap>(a_map("one")).await;
    held(&world, &[ADDED]).await;
    relabel(&world, Value::Null).await;
    held(&world, &[]).await;
    world.quiet().await;
    assert_eq!(service.calls(), ["CREATE a=one"]);
    let note = "the object has left the selection of its watcher: the finalizer was removed, and nothing was undone";
    assert_eq!(world.notes("a", "Detached"), [note]);
    operator.stop().await.unwrap();
    world
}

async fn a_removal_that_failed_is_repeated_without_delete(world: World) -> World {
    is_deleted_once::<Maps>(world).await
}

async fn a_removal_without_a_cache_that_failed_is_repeated_without_delete(world: World) -> World {
    is_deleted_once::<LeanMaps>(world).await
}

async fn is_deleted_once<W: MapWatcher>(world: World) -> World {
    let service = Service::new();
    let operator = start::<W>(&world, &service);
    world.create::<ConfigMap>(a_map("one")).await;
    held(&world, &[ADDED]).await;
    let failing = Arc::new(std::sync::atomic::AtomicU32::new(2));
    world.wire.fault({
        let failing = failing.clone();
        move |call| {
            let is_removal = call.method == "PATCH" && call.path.ends_with("/configmaps/a");
            let is_failing = is_removal
                && failing
                    .fetch_update(std::sync::atomic::Ordering::SeqCst, std::sync::atomic::Ordering::SeqCst, |left| {
                        left.checked_sub(1)
                    })
                    .is_ok();
            is_failing.then_some(Fault::Answer(500, None))
        }
    });
    world.delete::<ConfigMap>("a").await;
    world.until_gone::<ConfigMap>("a").await;
    assert_eq!(failing.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(service.calls(), ["add a=one".to_owned(), W::delete("one")]);
    operator.stop().await.unwrap();
    world
}

async fn a_watcher_of_metadata_sees_each_version(world: World) -> World {
    let service = Service::new();
    let operator = world.operator::<names>(service.clone().into());
    world.create::<ConfigMap>(a_map("one")).await;
    let until = |word: &'static str| {
        let service = service.clone();
        async move {
            let is_there = || async { service.calls().iter().any(|call| *call == format!("{word} a")).then_some(()) };
            eventually(SOON, is_there).await;
        }
    };
    until("CREATE").await;
    // Neither the labels nor a generation change.
    world.merge::<ConfigMap>("a", json!({ "data": { "k": "two" } })).await;
    until("UPDATE").await;
    world.delete::<ConfigMap>("a").await;
    until("DELETE").await;
    assert_eq!(world.writes(), 0);
    if let Some(cluster) = &world.cluster {
        let watches = cluster.log().requests().resource("configmaps").verb(Verb::Watch);
        assert!(watches.count() > 0);
        watches.entries().iter().for_each(|entry| assert!(entry.accept.contains("as=PartialObjectMetadata")));
    }
    operator.stop().await.unwrap();
    world
}

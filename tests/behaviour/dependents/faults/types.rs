//! Faults 6 and 8 to 10: types, and API groups that do not answer. Fault 7 is in `dependents/types.rs`.

use std::time::Duration;

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams};
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::dependents::estate::{self, Estate, Room, found};
use crate::dependents::shop::{Part, Shop, open, set_ready, start};

/// A kind of a group that has nothing to do with the set.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "broken.tests.evenkeel.dev", version = "v1", kind = "Gauge", namespaced)]
pub(crate) struct GaugeSpec {}

on_each_server!(fault_08_objects_that_cannot_be_listed_hold_up_the_end);

fn definitions(world: &World) -> Api<CustomResourceDefinition> {
    Api::all(world.client.clone())
}

#[tokio::test(start_paused = true)]
async fn fault_06_a_type_that_is_deleted_by_hand_comes_back_with_its_instances() {
    let world = World::within(Cluster::start().await);
    let operator = estate::start(&world, &[]).await;
    found(&world, "a", &json!({ "hasType": true, "rooms": ["kitchen"] })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    let (all, name) = (definitions(&world), Room::crd().name_any());
    let before = all.get(&name).await.unwrap();
    assert!(before.finalizers().is_empty(), "{:?}", before.finalizers());
    all.delete(&name, &DeleteParams::default()).await.unwrap();
    let is_back = || async {
        let again = all.get_opt(&name).await.unwrap()?;
        (again.uid() != before.uid()).then_some(())?;
        world.api::<Room>().get_opt("kitchen").await.ok()?.map(drop)
    };
    eventually(Duration::from_secs(3600), is_back).await;
    world.until::<Estate>("a", "ready again", is_ready).await;
    operator.stop().await.unwrap();
}

async fn fault_08_objects_that_cannot_be_listed_hold_up_the_end(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "parts": { "first": 0 } })).await;
    eventually(SOON, || async { world.api::<Part>().get_opt("first").await.unwrap().map(drop) }).await;
    set_ready(&world, "first", "True").await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.wire.fault(|call| {
        let lists = call.method == "GET" && !call.is_watch() && call.path.ends_with("/parts");
        lists.then_some(Fault::Answer(503, None))
    });
    world.delete::<Shop>("a").await;
    world.until_gone::<Part>("first").await;
    world.quiet().await;
    let shop = world.raw::<Shop>("a").await;
    assert!(!shop["metadata"]["finalizers"].as_array().unwrap().is_empty(), "{shop}");
    world.wire.mend();
    world.until_gone::<Shop>("a").await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn fault_09_a_group_that_does_not_answer_holds_up_no_other_set() {
    let world = World::within(Cluster::start().await);
    world.install(&Gauge::crd()).await;
    let operator = estate::start(&world, &[]).await;
    found(&world, "a", &json!({ "hasType": true, "rooms": ["kitchen"] })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    world.wire.fault(|call| {
        let is_broken = call.path.starts_with("/apis/broken.tests.evenkeel.dev");
        is_broken.then_some(Fault::Answer(503, None))
    });
    world.delete::<Estate>("a").await;
    world.until_gone::<Estate>("a").await;
    assert!(definitions(&world).get_opt(&Room::crd().name_any()).await.unwrap().is_none());
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_10_a_type_without_a_served_version_is_deleted() {
    let world = World::within(Cluster::start().await);
    let operator = estate::start(&world, &[]).await;
    found(&world, "a", &json!({ "hasType": true, "isUnserved": true })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    assert!(!definitions(&world).get(&Room::crd().name_any()).await.unwrap().spec.versions[0].served);
    world.delete::<Estate>("a").await;
    world.until_gone::<Estate>("a").await;
    assert!(definitions(&world).get_opt(&Room::crd().name_any()).await.unwrap().is_none());
    operator.stop().await.unwrap();
}

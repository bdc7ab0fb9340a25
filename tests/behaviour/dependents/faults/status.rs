//! Faults 21, 22 and 25: what the status of a component holds.

use evenkeel_testkit::Cluster;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use serde_json::{Map, Value, json};

use crate::dependents::shop::{Shop, open, start};

on_each_server!(
    fault_22_a_pass_that_fails_observes_no_generation,
    fault_25_a_status_that_another_client_spoils_loses_no_object
);

#[tokio::test(start_paused = true)]
async fn fault_21_the_status_does_not_grow_with_the_set() {
    const MOST_BYTES: usize = 4096;
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    let parts: Map<String, Value> = (0..500).map(|i| (format!("part-{i:03}"), json!(0))).collect();
    open(&world, "a", &json!({ "parts": parts })).await;
    let waits = |shop: &Value| shop["status"]["dependents"]["shop/install"]["wanted"] == 500;
    let shop = world.until::<Shop>("a", "500 parts", waits).await;
    let not_ready = shop["status"]["dependents"]["shop/install"]["notReady"].as_array().unwrap().len();
    let bytes = shop["status"].to_string().len();
    assert!(not_ready == 20 && bytes <= MOST_BYTES, "{not_ready} objects, {bytes} bytes: {}", shop["status"]);
    operator.stop().await.unwrap();
}

async fn fault_22_a_pass_that_fails_observes_no_generation(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.wire.fault(|call| {
        let is_second = call.method == "PATCH" && call.path.ends_with("/configmaps/two");
        is_second.then_some(Fault::Answer(500, None))
    });
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "two": "2" } } })).await;
    let fails = |shop: &Value| condition(shop, "Applied").is_some_and(|applied| applied["status"] == "False");
    let shop = world.until::<Shop>("a", "failed", fails).await;
    assert_eq!((&shop["metadata"]["generation"], &shop["status"]["observedGeneration"]), (&json!(2), &json!(1)));
    world.wire.mend();
    let shop = world.until::<Shop>("a", "ready again", |shop| is_ready(shop) && !fails(shop)).await;
    assert_eq!(shop["status"]["observedGeneration"], 2);
    operator.stop().await.unwrap();
    world
}

async fn set_dependents(world: &World, dependents: Value) {
    let patch = Patch::Merge(json!({ "status": { "dependents": dependents } }));
    world.api::<Shop>().patch_status("a", &PatchParams::default(), &patch).await.expect("it is stored");
}

async fn fault_25_a_status_that_another_client_spoils_loses_no_object(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1", "two": "2" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    let twice = json!(["ConfigMap", "ConfigMap"]);
    let nonsense = json!({ "shop/install": { "kinds": twice, "wanted": -3, "digest": "nonsense" } });
    for (spoilt, time) in [(json!(null), "first"), (nonsense, "second")] {
        set_dependents(&world, spoilt).await;
        world.merge::<Shop>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": time } } })).await;
        let is_whole = |shop: &Value| {
            let set = &shop["status"]["dependents"]["shop/install"];
            let is_known = set["digest"].as_str().is_some_and(|digest| digest.len() == 32);
            set["kinds"][0] == "ConfigMap" && is_known && set["wanted"] == 2 && is_ready(shop)
        };
        world.until::<Shop>("a", "a whole status", is_whole).await;
    }
    let lost = "2 objects have the marks of the set shop/install, but the status does not list its kinds; they are kept, and what was purged is \
                created again";
    assert_eq!(world.notes("a", "RegisterLost"), [lost]);
    set_dependents(&world, json!(null)).await;
    world.delete::<Shop>("a").await;
    world.until_gone::<Shop>("a").await;
    for map in ["one", "two"] {
        assert!(world.api::<ConfigMap>().get_opt(map).await.unwrap().is_none(), "{map} is left");
    }
    operator.stop().await.unwrap();
    world
}

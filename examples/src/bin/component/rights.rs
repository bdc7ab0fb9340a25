//! The roles of the operator are what it needs.

use std::time::Duration;

use evenkeel_testkit::{Scene, Settler, eventually, is_ready, rights, until};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::operator::{Shop, operator};

const LONG: Duration = Duration::from_secs(1_200);

/// A shop is created with all its objects, loses some of them, and is deleted.
async fn a_life(scene: Scene) {
    let _controllers = Settler::new().start(scene.cluster());
    let shops: Api<Shop> = Api::namespaced(scene.client(), "default");
    let shop: Shop = serde_json::from_value(json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "Shop",
        "metadata": { "name": "main" }, "spec": { "image": "shop:1", "discount": 20, "banner": "Sale" } }))
    .unwrap();
    shops.create(&PostParams::default(), &shop).await.unwrap();
    until(&shops, "main", LONG, is_ready).await;
    let change = async |spec: Value| {
        let patch = Patch::Merge(json!({ "spec": spec }));
        shops.patch("main", &PatchParams::default(), &patch).await.unwrap();
        until(&shops, "main", LONG, is_ready).await;
    };
    change(json!({ "image": "shop:2", "replicas": 3 })).await;
    change(json!({ "discount": null, "banner": null })).await;
    shops.delete("main", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { shops.get_opt("main").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    rights(operator).scenario("a life", a_life).prove().await;
}

//! One watch of each kind for several namespaces.

use evenkeel_testkit::{Cluster, Entry, Verb, eventually, is_ready, until};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, widget};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::rbac::{ROBOT, apply_roles};

async fn create(world: &World, namespace: &str, name: &str) {
    let widget = serde_json::from_value(a_widget(name, json!({ "child": "x" }))).unwrap();
    Api::<Widget>::namespaced(world.client.clone(), namespace).create(&PostParams::default(), &widget).await.unwrap();
}

async fn is_ready_in(world: &World, namespace: &str, name: &str) {
    until(&Api::<Widget>::namespaced(world.client.clone(), namespace), name, SOON, is_ready).await;
}

async fn objects_of_other_namespaces_are_dropped(world: World) -> World {
    world.install(&definition()).await;
    let (one, other) = (world.namespace.clone(), world.another_namespace().await);
    let lab = Lab::at("a");
    world.create::<Widget>(a_widget("mine", json!({ "child": "x" }))).await;
    create(&world, &other, "before").await;
    // The second namespace does not exist. With the first one alone, the operator would watch that namespace and not the cluster.
    let operator = world.prepare_in::<widget>(&[&one, "absent"], lab.clone()).cluster_wide_watches();
    let running = Running::start(operator);
    is_ready_in(&world, &one, "mine").await;
    create(&world, &other, "after").await;
    // A child of the same name as that of the operator's own object.
    let child = json!({ "metadata": { "name": "mine" }, "data": { "data": "y" } });
    let maps = Api::<ConfigMap>::namespaced(world.client.clone(), &other);
    maps.create(&PostParams::default(), &serde_json::from_value(child).unwrap()).await.unwrap();
    maps.delete("mine", &DeleteParams::default()).await.unwrap();
    // What the operator does after all of these.
    let drift = Patch::Merge(json!({ "data": { "data": "changed" } }));
    world.api::<ConfigMap>().patch("mine", &PatchParams::default(), &drift).await.unwrap();
    eventually(SOON, || async {
        let map = world.api::<ConfigMap>().get("mine").await.unwrap();
        (map.data.unwrap()["data"] == "x").then_some(())
    })
    .await;
    assert!(lab.log().iter().all(|step| step.contains("mine")), "{:?}", lab.log());
    let widgets = Api::<Widget>::namespaced(world.client.clone(), &other);
    for name in ["before", "after"] {
        let widget = serde_json::to_value(widgets.get(name).await.unwrap()).unwrap();
        assert!(widget["status"]["conditions"].is_null() && widget["metadata"]["finalizers"].is_null(), "{widget}");
    }
    running.stop().await.unwrap();
    world
}

on_each_server!(objects_of_other_namespaces_are_dropped);

/// The resources that the operator watched, with the namespace; sorted.
async fn watched(is_wide: bool) -> Vec<String> {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    world.install(&definition()).await;
    world.wire.observers().know::<widget>();
    let (cluster, lab) = (world.cluster().clone(), Lab::at("a"));
    let namespaces = ["team-a", "team-b"];
    for namespace in namespaces {
        let object = serde_json::from_value::<Namespace>(json!({ "metadata": { "name": namespace } })).unwrap();
        Api::all(world.client.clone()).create(&PostParams::default(), &object).await.unwrap();
        let secret = json!({ "metadata": { "name": "token" }, "stringData": { "k": "v" } });
        let secrets = Api::<k8s_openapi::api::core::v1::Secret>::namespaced(world.client.clone(), namespace);
        secrets.create(&PostParams::default(), &serde_json::from_value(secret).unwrap()).await.unwrap();
    }
    let client = world.wire.client(&cluster.client_as(ROBOT));
    let operator = evenkeel::Operator::new("tester").client(client).namespaces(namespaces).reconciler::<widget>(lab);
    let operator = if is_wide { operator.cluster_wide_watches() } else { operator };
    apply_roles(&world, &operator, ("default", "tester")).await;
    let running = Running::start(operator);
    for namespace in namespaces {
        let widget = serde_json::from_value(a_widget("w", json!({ "child": "x", "secret": "token" }))).unwrap();
        let widgets = Api::<Widget>::namespaced(world.client.clone(), namespace);
        widgets.create(&PostParams::default(), &widget).await.unwrap();
        is_ready_in(&world, namespace, "w").await;
        widgets.delete("w", &DeleteParams::background()).await.unwrap();
        eventually(SOON, || async { widgets.get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    }
    running.stop().await.unwrap();
    let log = cluster.log();
    let of_operator = |entry: &Entry| entry.user_agent.contains("evenkeel/");
    let refused = log.filter(|entry| of_operator(entry) && entry.code == 403);
    assert_eq!(refused.first().map(Entry::line), None, "with the printed roles");
    let watches = log.filter(|entry| of_operator(entry) && entry.verb == Verb::Watch);
    let mut watched: Vec<_> = watches
        .iter()
        .map(|entry| format!("{} {}", entry.resource, entry.namespace.as_deref().unwrap_or("everywhere")))
        .collect();
    watched.sort();
    watched.dedup();
    watched
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_printed_roles_allow_one_watch_for_all_namespaces_and_writes_in_each() {
    let definitions = "customresourcedefinitions everywhere";
    let (of_a, of_b) = ("secrets team-a", "secrets team-b");
    let wide = ["configmaps everywhere", definitions, of_a, of_b, "widgets everywhere"];
    assert_eq!(watched(true).await, wide, "Secrets are watched by name, in the namespace of each");
    let each = ["configmaps team-a", "configmaps team-b", definitions, of_a, of_b, "widgets team-a", "widgets team-b"];
    assert_eq!(watched(false).await, each);
}

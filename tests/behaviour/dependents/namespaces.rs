//! Namespaces of a set, and namespaces that are missing.

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::estate::{Estate, found, namespace, start, until_namespace_gone};

on_each_server!(
    fault_16_a_missing_namespace_is_created_and_stays,
    a_missing_namespace_is_refused_by_policy,
    a_missing_namespace_becomes_a_dependent_by_policy,
    an_object_waits_for_a_namespace_that_is_being_deleted,
    a_namespace_with_content_of_others_is_not_deleted
);

fn other(world: &World) -> String {
    format!("{}-new", world.namespace)
}

fn maps(world: &World) -> Api<ConfigMap> {
    Api::namespaced(world.client.clone(), &other(world))
}

async fn removed(world: &World, name: &str) {
    let _ = Api::<Namespace>::all(world.client.clone()).delete(name, &DeleteParams::default()).await;
}

async fn touch(world: &World, value: &str) {
    world.merge::<Estate>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": value } } })).await;
}

async fn fault_16_a_missing_namespace_is_created_and_stays(world: World) -> World {
    let other = other(&world);
    let operator = start(&world, &[&other]).await;
    found(&world, "a", &json!({ "maps": { "one": other, "two": other } })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    let created = namespace(&world, &other).await.expect("it is created");
    assert_eq!(
        created.annotations()["evenkeel.dev/namespace-for"],
        format!("tests.evenkeel.dev/v1/Estate/{}/a", world.namespace)
    );
    assert!(!created.labels().contains_key("evenkeel.dev/operator"), "it is no dependent");
    world.quiet().await;
    assert_eq!(
        world.notes("a", "NamespaceCreated"),
        [format!("created namespace {other}, which stays when the component is deleted")]
    );
    world.delete::<Estate>("a").await;
    world.until_gone::<Estate>("a").await;
    assert!(maps(&world).get_opt("one").await.unwrap().is_none());
    assert!(namespace(&world, &other).await.is_some_and(|one| one.metadata.deletion_timestamp.is_none()));
    operator.stop().await.unwrap();
    removed(&world, &other).await;
    world
}

async fn a_missing_namespace_is_refused_by_policy(world: World) -> World {
    let other = other(&world);
    let operator = start(&world, &[&other]).await;
    found(&world, "a", &json!({ "maps": { "one": other }, "policies": { "missingNamespaces": "refuse" } })).await;
    let is_missing =
        |estate: &Value| condition(estate, "Applied").is_some_and(|one| one["reason"] == "NamespaceMissing");
    let estate = world.until::<Estate>("a", "missing", is_missing).await;
    let text = format!("ConfigMap {other}/one: the namespace {other} does not exist; create it, or set ");
    assert!(message(&estate, "Applied").starts_with(&text), "{estate}");
    assert!(namespace(&world, &other).await.is_none());
    operator.stop().await.unwrap();
    world
}

async fn a_missing_namespace_becomes_a_dependent_by_policy(world: World) -> World {
    let other = other(&world);
    let operator = start(&world, &[&other]).await;
    found(&world, "a", &json!({ "maps": { "one": other }, "policies": { "missingNamespaces": "own" } })).await;
    let estate = world.until::<Estate>("a", "ready", is_ready).await;
    let set = &estate["status"]["dependents"]["estate/build"];
    assert_eq!((&set["kinds"], &set["wanted"]), (&json!(["ConfigMap", "Namespace"]), &json!(2)), "{estate}");
    assert!(namespace(&world, &other).await.unwrap().labels().contains_key("evenkeel.dev/operator"));
    // Another pass keeps it.
    world.merge::<Estate>("a", json!({ "spec": { "maps": { "two": other } } })).await;
    eventually(SOON, || async { maps(&world).get_opt("two").await.unwrap().map(drop) }).await;
    world.until::<Estate>("a", "ready again", is_ready).await;
    world.quiet().await;
    assert!(namespace(&world, &other).await.unwrap().metadata.deletion_timestamp.is_none());
    // It goes with the component, after its content.
    world.delete::<Estate>("a").await;
    until_namespace_gone(&world, &other).await;
    world.until_gone::<Estate>("a").await;
    operator.stop().await.unwrap();
    world
}

async fn an_object_waits_for_a_namespace_that_is_being_deleted(world: World) -> World {
    let (other, all) = (other(&world), Api::<Namespace>::all(world.client.clone()));
    let meta = json!({ "metadata": { "name": other } });
    all.create(&PostParams::default(), &serde_json::from_value(meta).unwrap()).await.unwrap();
    let holder = json!({ "metadata": { "name": "holder", "finalizers": ["tests.evenkeel.dev/hold"] } });
    maps(&world).create(&PostParams::default(), &serde_json::from_value(holder).unwrap()).await.unwrap();
    all.delete(&other, &DeleteParams::default()).await.unwrap();
    let operator = start(&world, &[&other]).await;
    found(&world, "a", &json!({ "maps": { "one": other } })).await;
    let waits =
        |estate: &Value| condition(estate, "Applied").is_some_and(|one| one["reason"] == "DependentsProgressing");
    let estate = world.until::<Estate>("a", "waiting", waits).await;
    let text =
        format!("ConfigMap {other}/one: the namespace {other} is being deleted, so nothing can be created in it");
    assert_eq!(
        (message(&estate, "Applied"), condition(&estate, "Applied").unwrap()["status"].as_str()),
        (&*text, Some("False"))
    );
    let released = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    maps(&world).patch("holder", &PatchParams::default(), &released).await.unwrap();
    until_namespace_gone(&world, &other).await;
    touch(&world, "now").await;
    world.until::<Estate>("a", "ready", is_ready).await;
    assert!(maps(&world).get_opt("one").await.unwrap().is_some());
    operator.stop().await.unwrap();
    removed(&world, &other).await;
    world
}

async fn a_namespace_with_content_of_others_is_not_deleted(world: World) -> World {
    let other = other(&world);
    let operator = start(&world, &[&other]).await;
    found(&world, "a", &json!({ "namespaces": [other], "maps": { "one": other } })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    let mut foreign = ConfigMap::default();
    foreign.metadata.name = Some("foreign".into());
    maps(&world).create(&PostParams::default(), &foreign).await.unwrap();
    world.delete::<Estate>("a").await;
    let is_blocked =
        |estate: &Value| condition(estate, "Applied").is_some_and(|one| one["reason"] == "DeletionBlocked");
    let estate = world.until::<Estate>("a", "blocked", is_blocked).await;
    let text = format!("Namespace {other} contains ConfigMap {other}/foreign, which would be deleted with it; ");
    assert!(message(&estate, "Applied").starts_with(&text), "{estate}");
    assert!(maps(&world).get_opt("one").await.unwrap().is_none(), "our content goes first");
    // Another client annotates the namespace, so that it stays. This event starts the next pass.
    let keep = json!({ "metadata": { "annotations": { "evenkeel.dev/delete-policy": "orphan" } } });
    let all = Api::<Namespace>::all(world.client.clone());
    all.patch(&other, &PatchParams::default(), &Patch::Merge(keep)).await.unwrap();
    world.until_gone::<Estate>("a").await;
    let kept = namespace(&world, &other).await.unwrap();
    assert!(kept.metadata.deletion_timestamp.is_none() && !kept.labels().contains_key("evenkeel.dev/operator"));
    operator.stop().await.unwrap();
    removed(&world, &other).await;
    world
}

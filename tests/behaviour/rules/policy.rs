//! A real API server enforces the policy of a rule about requests.

use std::time::Duration;

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::applied_policies::AppliedPolicies;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::test_env::{SOON, Server, World};
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::kind::Depot;
use super::printed::operator;

const NAME: &str = "robots-tag.depots.rules.tests.evenkeel.dev";

fn a_depot(name: &str, tags: &[&str]) -> Value {
    json!({
        "apiVersion": "rules.tests.evenkeel.dev/v1", "kind": "Depot", "metadata": { "name": name, "finalizers": ["tests.evenkeel.dev/a"] },
        "spec": { "url": "https://a", "replicas": 1, "namespace": "b", "tags": tags },
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_refuses_what_the_function_refuses() {
    let Some(world) = World::on(Server::Modern).await else { return };
    world.install(&operator().definitions()[0]).await;
    world.create::<Depot>(a_depot("tagged", &["a"])).await;
    let applied = AppliedPolicies::new(&world, operator().admission_policies(), |name| name == NAME).await;
    let resource = kube::core::ApiResource::erase::<Depot>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), &world.namespace, &resource);
    // A policy takes effect after a moment.
    let refusal = eventually(SOON, || async {
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        let object: DynamicObject = serde_json::from_value(a_depot("another", &["a"])).unwrap();
        api.create(&dry, &object).await.err()
    });
    let kube::Error::Api(status) = refusal.await else { panic!("a refusal by the server") };
    assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
    assert!(status.message.ends_with("denied request: Only the release robot may tag"), "{}", status.message);
    world.create::<Depot>(a_depot("untagged", &[])).await;
    // The object from before the policy: its tags cannot change, other fields can, and its finalizer can be removed.
    let merge = |patch: Value| {
        let api = api.clone();
        async move { api.patch("tagged", &PatchParams::default(), &Patch::Merge(patch)).await }
    };
    let refusal = merge(json!({ "spec": { "tags": ["https://a"] } })).await.unwrap_err();
    assert!(refusal.to_string().contains("Only the release robot may tag"), "{refusal}");
    merge(json!({ "spec": { "replicas": 2 } })).await.unwrap();
    merge(json!({ "metadata": { "finalizers": null } })).await.unwrap();
    applied.remove().await;
    world.merge::<Depot>("untagged", json!({ "metadata": { "finalizers": null } })).await;
    world.clean().await;
}

#[tokio::test]
async fn the_start_names_rules_that_the_server_does_not_check() {
    let warning = ["serves no ValidatingAdmissionPolicies", NAME];
    let cluster = Cluster::start().await;
    cluster.seed(&operator().definitions()[0]).await.unwrap();
    let (logs, guard) = Logs::capture();
    let seen = logs.clone();
    let started = async move {
        while seen.with(&["started"]).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    operator().client(cluster.client()).run_until(started).await.unwrap();
    assert!(logs.with(&warning).is_empty());
    drop(guard);
    let Some(world) = World::on(Server::Full).await else { return };
    let (logs, _guard) = Logs::capture();
    // This server cannot have the CRD, so the operator ends by itself.
    operator().client(world.client.clone()).run_until(std::future::pending()).await.unwrap_err();
    assert_eq!(logs.with(&warning).len(), 1);
    world.clean().await;
}

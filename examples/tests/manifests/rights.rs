//! The printed roles are what the operator needs: proven in the test kit, and shown on a server with real RBAC.

#[path = "../../src/bin/hello.rs"]
mod hello;

use std::num::NonZeroU32;
use std::time::Duration;

use evenkeel::manifests::ManifestOptions;
use evenkeel::{Operator, Replicas};
use evenkeel_testkit::{Scene, eventually, is_ready, rights, until};
use evenkeel_tests::real::{RealServer, Version};
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::SOON;
use hello::{Greeting, GreetingSpec, greeting};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::apply::apply;
use crate::printed::Example;

const LONG: Duration = Duration::from_secs(1_200);

fn operator() -> Operator {
    Operator::new("greeter").reconciler::<greeting>(())
}

/// A greeting is created, renamed and deleted; its map is deleted by others in the meantime.
async fn a_life(client: Client, patience: Duration) {
    let (greetings, maps): (Api<Greeting>, Api<ConfigMap>) =
        (Api::namespaced(client.clone(), "default"), Api::namespaced(client, "default"));
    let spec = GreetingSpec { name: "you".to_owned() };
    greetings.create(&PostParams::default(), &Greeting::new("g", spec)).await.unwrap();
    until(&greetings, "g", patience, is_ready).await;
    let renamed = Patch::Merge(json!({ "spec": { "name": "there" } }));
    greetings.patch("g", &PatchParams::default(), &renamed).await.unwrap();
    let greets = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["text"] == "Hello, there!");
    until(&maps, "g", patience, greets).await;
    maps.delete("g", &DeleteParams::default()).await.unwrap();
    eventually(patience, || async { maps.get_opt("g").await.unwrap() }).await;
    greetings.delete("g", &DeleteParams::default()).await.unwrap();
}

/// An earlier version of the operator has put a finalizer on a greeting, which is being deleted.
async fn an_upgrade(scene: Scene) {
    let greetings: Api<Greeting> = Api::namespaced(scene.client(), "default");
    let mut greeting = Greeting::new("old", GreetingSpec { name: "you".to_owned() });
    greeting.metadata.finalizers = Some(vec!["demo.evenkeel.dev/greeter".to_owned()]);
    greetings.create(&PostParams::default(), &greeting).await.unwrap();
    greetings.delete("old", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { greetings.get_opt("old").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_of_hello_are_enough_and_no_more() {
    let life = |scene: Scene| a_life(scene.client(), LONG);
    rights(operator).scenario("a life", life).scenario("an upgrade", an_upgrade).prove().await;
}

/// The options for two replicas.
fn two_replicas() -> ManifestOptions {
    let mut options = ManifestOptions::new("registry.example/greeter:1", "greeter");
    options.replicas = NonZeroU32::new(2);
    options
}

#[tokio::test(start_paused = true)]
async fn the_roles_of_replicas_are_enough_for_a_crash_and_a_stop_of_the_leader() {
    let life = |scene: Scene| a_life(scene.client(), LONG);
    rights(operator).options(two_replicas()).scenario("a life", life).scenario("an upgrade", an_upgrade).prove().await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "forbidden in the scenario \"a life\": watch leases")]
async fn a_missing_rule_for_the_lease_fails_the_proof() {
    let without = || {
        operator().manifests(|set| {
            let role =
                set.roles.iter_mut().find(|role| role.metadata.name.as_deref() == Some("greeter-leader-election"));
            let rules = role.unwrap().rules.as_mut().unwrap();
            rules.iter_mut().for_each(|rule| rule.verbs.retain(|verb| verb != "watch"));
        })
    };
    let life = |scene: Scene| a_life(scene.client(), LONG);
    rights(without).options(two_replicas()).scenario("a life", life).scenario("an upgrade", an_upgrade).prove().await;
}

/// A client with a token of the ServiceAccount, as a pod has one.
async fn as_service_account(server: &RealServer, client: &Client) -> Client {
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "greeter");
    let request: TokenRequest = serde_json::from_value(json!({ "spec": { "expirationSeconds": 3_600 } })).unwrap();
    let token = accounts.create_token_request("greeter", &PostParams::default(), &request).await.unwrap();
    let token = serde_json::to_value(token).unwrap()["status"]["token"].as_str().map(ToOwned::to_owned);
    server.client_with_token(&token.unwrap()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cold_apply_brings_the_operator_up_as_its_service_account() {
    let Some(server) = RealServer::start(Version::Full, true).await else { return };
    let admin = server.client().await;
    apply(&admin, &Example::Hello.objects(&[])).await;
    let client = as_service_account(&server, &admin).await;
    let refused = Api::<ServiceAccount>::namespaced(client.clone(), "greeter").get("greeter").await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 403), "the server has RBAC");
    let running = Running::start(operator().client(client));
    a_life(admin, SOON).await;
    running.stop().await.unwrap();
}

/// Waits for a later term than this one, and returns it.
async fn next_term(admin: &Client, term: Option<i32>) -> Option<i32> {
    let leases: Api<Lease> = Api::namespaced(admin.clone(), "greeter");
    eventually(SOON, || async {
        let spec = leases.get_opt("greeter").await.unwrap()?.spec?;
        let holder = spec.holder_identity.filter(|holder| !holder.is_empty());
        let next = Some(spec.lease_transitions.unwrap_or_default());
        (holder.is_some() && next > term).then_some(next)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_replace_a_crashed_and_a_stopped_leader_as_their_service_account() {
    let Some(server) = RealServer::start(Version::Full, true).await else { return };
    let admin = server.client().await;
    apply(&admin, &Example::Hello.objects(&["--replicas", "2"])).await;
    let client = as_service_account(&server, &admin).await;
    let start = || {
        let [lease, deadline, renew] = [5, 3, 1].map(Duration::from_secs);
        let replicas =
            Replicas { lease, deadline, renew, namespace: Some("greeter".to_owned()), ..Replicas::default() };
        Running::start(operator().test_client(client.clone()).replicas_with(replicas))
    };
    let first = start();
    let made = next_term(&admin, None).await;
    let second = start();
    a_life(admin.clone(), SOON).await;
    first.crash().await;
    let taken = next_term(&admin, made).await;
    a_life(admin.clone(), SOON).await;
    let third = start();
    second.stop().await.unwrap();
    next_term(&admin, taken).await;
    a_life(admin.clone(), SOON).await;
    third.stop().await.unwrap();
    let events: Api<Event> = Api::namespaced(admin, "greeter");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let of_lease =
        events.iter().filter(|event| event.regarding.as_ref().is_some_and(|it| it.kind.as_deref() == Some("Lease")));
    assert!(of_lease.count() >= 3, "each leader records an event: {events:#?}");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "no request uses: patch greetings of demo.evenkeel.dev, in ClusterRole greeter")]
async fn a_rule_that_no_scenario_needs_fails_the_proof() {
    rights(operator).scenario("a life", |scene: Scene| a_life(scene.client(), LONG)).prove().await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "remove the exception \"list greetings\" (a mistake)")]
async fn an_exception_without_effect_fails_the_proof() {
    let proof = rights(operator).scenario("an upgrade", an_upgrade).except("list greetings", "a mistake");
    proof.prove().await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "forbidden in the scenario \"a life\": patch configmaps")]
async fn a_missing_rule_fails_the_proof() {
    let without = || {
        operator().manifests(|set| {
            let rules = set.cluster_roles[0].rules.as_mut().unwrap();
            rules.retain(|rule| !rule.resources.as_ref().unwrap().contains(&"configmaps".to_owned()));
            let reads = PolicyRule {
                api_groups: Some(vec![String::new()]),
                resources: Some(vec!["configmaps".to_owned()]),
                verbs: ["get", "list", "watch"].map(ToOwned::to_owned).into(),
                ..PolicyRule::default()
            };
            rules.push(reads);
        })
    };
    rights(without).scenario("a life", |scene: Scene| a_life(scene.client(), Duration::from_secs(100))).prove().await;
}

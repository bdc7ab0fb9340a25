//! Calls that the role does not allow: the message names the rule to grant.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use evenkeel::flux::{ClientPort, Part, Port};
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::role::{Missing, Role};
use evenkeel_tests::test_env::{Running, SOON, Server, World, servers};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, message, widget};
use kube::api::{Api, ListParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;

/// An object of an operator without the rule is reported; with the rule it becomes ready.
async fn without(world: &World, client: &Client, role: &Role, missing: Missing, shows: impl AsyncFn(&str) -> bool) {
    let prepare = || {
        let client = world.wire.client(client);
        Operator::new("tester").client(client).namespaces([&*world.namespace]).reconciler::<widget>(Lab::at("a"))
    };
    role.allow(&prepare(), &[missing].into()).await;
    // Authorizers read roles through a watch.
    let widgets = Api::<Widget>::namespaced(client.clone(), &world.namespace);
    eventually(SOON, || async { widgets.list(&ListParams::default()).await.ok() }).await;
    let running = Running::start(prepare());
    let name = role.name.clone();
    world.create::<Widget>(a_widget(&name, json!({ "child": "x" }))).await;
    eventually(SOON, || async { shows(&name).await.then_some(()) }).await;
    role.allow(&prepare(), &[].into()).await;
    world.until::<Widget>(&name, "ready", is_ready).await;
    running.stop().await.unwrap();
    world.delete::<Widget>(&name).await;
    role.remove().await;
}

/// The rules of an owned object, one missing at a time, and the rule of the status.
async fn each_names_its_rule(world: &World, client_of: impl AsyncFn(&str) -> Client) {
    world.install(&definition()).await;
    world.wire.observers().know::<widget>();
    let namespace = &world.namespace;
    for verb in ["create", "patch"] {
        let role = Role { admin: world.client.clone(), name: format!("{namespace}-{verb}") };
        let rule = format!("; grant the verbs create, patch on configmaps in namespace {namespace}");
        let shows = async |name: &str| message(&world.raw::<Widget>(name).await, "Ready").ends_with(&rule);
        without(world, &client_of(&role.name).await, &role, ("configmaps", verb), shows).await;
    }
    let role = Role { admin: world.client.clone(), name: format!("{namespace}-status") };
    let rule = format!("; grant the verb patch on widgets.tests.evenkeel.dev/status in namespace {namespace}");
    let shows = async |name: &str| world.notes(name, "StatusNotWritten").iter().any(|note| note.ends_with(&rule));
    without(world, &client_of(&role.name).await, &role, ("widgets/status", "patch"), shows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_403_in_a_pass_names_the_rule_to_grant() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    let cluster = world.cluster().clone();
    each_names_its_rule(&world, async |user| cluster.client_as(user)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_403_in_a_pass_names_the_rule_to_grant_on_a_real_server() {
    // The other real server allows everything.
    let Some(world) = World::on(Server::Full).await else { return };
    each_names_its_rule(&world, async |user| impersonating(user).await).await;
    world.clean().await;
}

/// The calls of a hand-written controller, each without its rule.
async fn each_classic_call_names_its_rule(world: &World, client_of: impl AsyncFn(&str) -> Client) {
    world.install(&definition()).await;
    let widget = world.create::<Widget>(a_widget("w", json!({}))).await;
    let operator = || Operator::new("tester").client(world.client.clone()).reconciler::<widget>(Lab::at("a"));
    let calls = [
        ("widgets", "get", None),
        ("widgets", "patch", Some(Part::Main)),
        ("widgets/status", "patch", Some(Part::Status)),
    ];
    for (resource, verb, part) in calls {
        let (kind, subresource) = resource.split_at("widgets".len());
        let role = Role { admin: world.client.clone(), name: format!("{}-classic", world.namespace) };
        role.allow(&operator(), &[(resource, verb)].into()).await;
        let port = ClientPort::new(client_of(&role.name).await, &widget);
        // Authorizers read roles through a watch: before an update arrives, they allow either all calls or none.
        let wanted = format!(
            "cannot {verb} resource \"{resource}\" in API group \"tests.evenkeel.dev\" in the namespace \"{namespace}\"; \
             grant the verb {verb} on {kind}.tests.evenkeel.dev{subresource} in namespace {namespace}",
            namespace = world.namespace
        );
        eventually(SOON, || async {
            let refused = match part {
                None => port.read().await,
                Some(part) => port.write(part, json!({ "metadata": { "labels": { "a": "b" } } }), Some("tester")).await,
            };
            refused.err().filter(|error| error.to_string().ends_with(&wanted))
        })
        .await;
        role.remove().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_403_of_the_classic_client_names_the_rule_to_grant() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    let cluster = world.cluster().clone();
    each_classic_call_names_its_rule(&world, async |user| cluster.client_as(user)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_403_of_the_classic_client_names_the_rule_to_grant_on_a_real_server() {
    let Some(world) = World::on(Server::Full).await else { return };
    each_classic_call_names_its_rule(&world, async |user| impersonating(user).await).await;
    world.clean().await;
}

/// A client of the real server with RBAC that impersonates this user.
async fn impersonating(user: &str) -> Client {
    let file = Kubeconfig::read_from(servers().unwrap().join("kubeconfig")).unwrap();
    let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    config.auth_info.impersonate = Some(user.to_owned());
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

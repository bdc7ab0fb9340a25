//! Calls of a pass that the role does not allow: the message names the rule to grant.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, message, widget};
use evenkeel_tests::world::{Running, SOON, Server, World, servers};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};

/// A rule that is taken away: resource, verb.
type Missing = (&'static str, &'static str);

/// A role of this name, and the user of this name that it is bound to.
struct Role<'a> {
    admin: &'a Client,
    name: String,
}

impl Role<'_> {
    /// Allows what the operator needs but for this.
    async fn allow(&self, operator: &Operator, missing: Option<Missing>) {
        let rights = operator.rights();
        let rules = rights.iter().flat_map(|right| right.verbs.iter().map(move |verb| (right, verb.as_str())));
        let rules = rules.filter(|(right, verb)| missing != Some((&*right.resource, *verb)));
        let rules: Vec<Value> = rules
            .map(|(right, verb)| json!({ "apiGroups": [right.group], "resources": [right.resource], "verbs": [verb] }))
            .collect();
        let group = "rbac.authorization.k8s.io";
        let version = format!("{group}/v1");
        let role =
            json!({ "apiVersion": version, "kind": "ClusterRole", "metadata": { "name": self.name }, "rules": rules });
        let bound = json!({ "apiVersion": version, "kind": "ClusterRoleBinding", "metadata": { "name": self.name },
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": self.name },
            "subjects": [{ "kind": "User", "name": self.name, "apiGroup": group }] });
        let params = PatchParams::apply("tests").force();
        Api::<ClusterRole>::all(self.admin.clone()).patch(&self.name, &params, &Patch::Apply(role)).await.unwrap();
        let bindings = Api::<ClusterRoleBinding>::all(self.admin.clone());
        bindings.patch(&self.name, &params, &Patch::Apply(bound)).await.unwrap();
    }

    async fn remove(&self) {
        let params = DeleteParams::default();
        Api::<ClusterRoleBinding>::all(self.admin.clone()).delete(&self.name, &params).await.unwrap();
        Api::<ClusterRole>::all(self.admin.clone()).delete(&self.name, &params).await.unwrap();
    }
}

/// An object whose operator lacks the rule, until `shows` finds it reported; with the rule it becomes ready.
async fn without(world: &World, client: &Client, role: &Role<'_>, missing: Missing, shows: impl AsyncFn(&str) -> bool) {
    let prepare = || {
        let client = world.wire.client(client);
        Operator::new("tester").client(client).namespaces([&*world.namespace]).reconciler::<widget>(Lab::at("a"))
    };
    role.allow(&prepare(), Some(missing)).await;
    // Authorizers read roles from a watch.
    let widgets = Api::<Widget>::namespaced(client.clone(), &world.namespace);
    eventually(SOON, || async { widgets.list(&ListParams::default()).await.ok() }).await;
    let running = Running::start(prepare());
    let name = role.name.clone();
    world.create::<Widget>(a_widget(&name, json!({ "child": "x" }))).await;
    eventually(SOON, || async { shows(&name).await.then_some(()) }).await;
    role.allow(&prepare(), None).await;
    world.until::<Widget>(&name, "ready", is_ready).await;
    running.stop().await.unwrap();
    world.delete::<Widget>(&name).await;
    role.remove().await;
}

/// The rules of an owned object, one missing at a time, and that of the status.
async fn each_names_its_rule(world: &World, client_of: impl AsyncFn(&str) -> Client) {
    world.install(&definition()).await;
    world.wire.observers().know::<widget>();
    let namespace = &world.namespace;
    for verb in ["create", "patch"] {
        let role = Role { admin: &world.client, name: format!("{namespace}-{verb}") };
        let rule = format!("; grant the verbs create, patch on configmaps in namespace {namespace}");
        let shows = async |name: &str| message(&world.raw::<Widget>(name).await, "Ready").ends_with(&rule);
        without(world, &client_of(&role.name).await, &role, ("configmaps", verb), shows).await;
    }
    let role = Role { admin: &world.client, name: format!("{namespace}-status") };
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

/// A client of the real server with RBAC, as this user.
async fn impersonating(user: &str) -> Client {
    let file = Kubeconfig::read_from(servers().unwrap().join("kubeconfig")).unwrap();
    let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    config.auth_info.impersonate = Some(user.to_owned());
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

//! RBAC rules: the rules from the wiring match the requests of the operator exactly.

use std::collections::BTreeSet;
use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Entry, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret, Service};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RightfulCondition {
    /// The neighbours were looked at.
    #[condition(positive)]
    Looked,
    /// The child is as it should be.
    #[condition(positive)]
    Made,
}

/// Reads everything that it may read.
#[sub_reconciler(sets(on::Looked), watches(Secret, by_name), watches(Service, labels = "look=yes"), polls(Node))]
async fn look(_: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, look>) -> Result<(), WidgetError> {
    let _ = (cx.get::<Secret>("s").await?, cx.get::<Service>("v").await?, cx.get::<Node>("n").await?);
    lab.note("look");
    drop(lab.hold.lock().await);
    Ok(())
}

/// Applies or deletes the child.
#[sub_reconciler(sets(on::Made), owns(ConfigMap), external)]
async fn make(widget: &Widget, cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(widget.name_any());
    if widget.spec.child.is_some() {
        cx.apply(&map).await?;
    } else if cx.get::<ConfigMap>(&widget.name_any()).await?.is_some() {
        cx.delete::<ConfigMap>(&widget.name_any()).await?;
    }
    Ok(())
}

#[cleanup(of = make)]
async fn unmake(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
    lab.note("unmake");
    Ok(())
}

#[reconciler(conditions = RightfulCondition)]
async fn rightful(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(widget, lab, cx).await?;
    make(widget, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Looked))]
async fn glance(_: &Widget, _cx: &mut Cx<'_, glance>) -> Result<(), WidgetError> {
    Ok(())
}

#[sub_reconciler(sets(on::Made), owns(Secret), external)]
async fn export(widget: &Widget, cx: &mut Cx<'_, export>) -> Result<(), WidgetError> {
    cx.export_secret(&widget.name_any(), [("password", "hunter2")]).await?;
    Ok(())
}

#[cleanup(of = export)]
async fn forget(_: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, export>) -> Result<(), WidgetError> {
    lab.note("forgotten");
    Ok(())
}

#[reconciler(conditions = RightfulCondition)]
async fn exporter(widget: &Widget, _: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    glance(widget, cx).await?;
    export(widget, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Made), owns(Secret), external)]
async fn keep(widget: &Widget, cx: &mut Cx<'_, keep>) -> Result<(), WidgetError> {
    cx.export_secret(&widget.name_any(), [("password", "hunter2")]).await?;
    Ok(())
}

#[cleanup(of = keep)]
async fn erase(widget: &Widget, cx: &mut Cx<'_, keep>) -> Result<(), WidgetError> {
    cx.delete::<Secret>(&widget.name_any()).await?;
    Ok(())
}

/// Its cleanup deletes the Secret.
#[reconciler(conditions = RightfulCondition)]
async fn eraser(widget: &Widget, _: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    glance(widget, cx).await?;
    keep(widget, cx).await?;
    Ok(())
}

/// Group, resource with its subresource, verb.
type Asked = (String, String, String);

fn asked(entry: &Entry) -> Asked {
    let resource = entry.subresource.iter().fold(entry.resource.clone(), |resource, sub| format!("{resource}/{sub}"));
    (entry.group.clone(), resource, format!("{:?}", entry.verb).to_lowercase())
}

fn allowed(operator: &Operator) -> BTreeSet<Asked> {
    let rights = operator.rbac_rules();
    let each = |right: &evenkeel::introspection::RbacRule| {
        let verbs = right.verbs.clone().into_iter();
        let (group, resource) = (right.group.clone(), right.resource.clone());
        verbs.map(move |verb| (group.clone(), resource.clone(), verb.as_str().to_owned())).collect::<Vec<_>>()
    };
    rights.iter().flat_map(each).collect()
}

/// Everything that can happen to an object: creation, change, conflict, deletion.
async fn live(world: &World, lab: &Lab) {
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let held = lab.hold.lock().await;
    let before = lab.log().len();
    world.merge::<Widget>("w", json!({ "spec": { "child": null } })).await;
    eventually(SOON, || async { (lab.log().len() > before).then_some(()) }).await;
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": { "another": "writer" } } })).await;
    drop(held);
    world.until::<Widget>("w", "ready", is_ready).await;
    world.api::<Widget>().delete("w", &DeleteParams::background()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
}

/// Lists in pages: on a server with streaming lists the operator does not need the verb list.
fn tester(world: &World, client: &Client, lab: &Arc<Lab>) -> Operator {
    let operator = Operator::new("tester").client(world.wire.client(client)).namespaces([&*world.namespace]);
    operator.paged_lists().reconciler::<rightful>(lab.clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_uses_exactly_its_rbac_rules() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.wire.observers().know::<rightful>();
    let lab = Lab::at("a");
    let operator = tester(&world, &world.client, &lab);
    let allowed = allowed(&operator);
    let running = Running::start(operator);
    live(&world, &lab).await;
    running.stop().await.unwrap();
    let log = world.cluster.as_ref().unwrap().log();
    let ours = log.filter(|entry| entry.user_agent.contains("evenkeel/") && !entry.resource.is_empty());
    let used: BTreeSet<Asked> = ours.iter().map(asked).collect();
    assert_eq!(used.difference(&allowed).collect::<Vec<_>>(), Vec::<&Asked>::new(), "used, and not allowed");
    let spare: Vec<&Asked> = allowed.difference(&used).collect();
    let known = |group: &str, resource: &str, verb: &str| (group.to_owned(), resource.to_owned(), verb.to_owned());
    // An apply that creates an object is checked for create as well; a repeated event is a patch; the admission plugin for owner references
    // checks the last rule.
    let expected = [
        known("", "configmaps", "create"),
        known("events.k8s.io", "events", "patch"),
        known("tests.evenkeel.dev", "widgets/finalizers", "update"),
    ];
    assert_eq!(spare, expected.iter().collect::<Vec<_>>(), "allowed, and not used");
}

/// The user whose rules are checked.
pub(crate) const ROBOT: &str = "system:serviceaccount:default:tester";

/// Grants these rules and no others.
async fn grant(client: &Client, rights: &BTreeSet<Asked>) {
    let rule =
        |(group, resource, verb): &Asked| json!({ "apiGroups": [group], "resources": [resource], "verbs": [verb] });
    let rules: Vec<_> = rights.iter().map(rule).collect();
    let role = json!({ "metadata": { "name": "tester" }, "rules": rules });
    let bound = json!({ "metadata": { "name": "tester" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "tester" },
        "subjects": [{ "kind": "ServiceAccount", "name": "tester", "namespace": "default" }] });
    let (role, bound): (ClusterRole, ClusterRoleBinding) =
        (serde_json::from_value(role).unwrap(), serde_json::from_value(bound).unwrap());
    Api::all(client.clone()).create(&PostParams::default(), &role).await.unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &bound).await.unwrap();
}

/// Waits for the first forbidden request.
async fn forbidden(cluster: &Cluster) -> Entry {
    loop {
        if let Some(entry) = cluster.log().filter(|entry| entry.code == 403).into_iter().next() {
            return entry;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

/// The first forbidden request of an operator that lacks one of its rules; `None` if there is none.
async fn refused(missing: Option<&Asked>) -> Option<Asked> {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    world.install(&definition()).await;
    world.wire.observers().know::<rightful>();
    let (lab, cluster) = (Lab::at("a"), world.cluster().clone());
    let operator = tester(&world, &cluster.client_as(ROBOT), &lab);
    let mut rights = allowed(&operator);
    rights.retain(|right| Some(right) != missing);
    grant(&world.client, &rights).await;
    let running = Running::start(operator);
    let first = tokio::select! {
        entry = forbidden(&cluster) => Some(asked(&entry)),
        () = live(&world, &lab) => cluster.log().filter(|entry| entry.code == 403).first().map(asked),
    };
    running.crash().await;
    first
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rbac_rules_suffice() {
    assert_eq!(refused(None).await, None, "forbidden, with all rights");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rbac_rule_is_necessary() {
    let world = World::on(Server::InProcess).await.unwrap();
    let mut rights = allowed(&tester(&world, &world.client, &Lab::at("a")));
    let before = rights.len();
    // A repeated event is a patch; the other rule is checked by a plugin that only the real server has.
    rights.retain(|(_, resource, verb)| resource != "widgets/finalizers" && (resource != "events" || verb != "patch"));
    assert_eq!(before - rights.len(), 2);
    let runs = futures::stream::iter(&rights).map(|right| async move { (right, refused(Some(right)).await) });
    let runs: Vec<_> = runs.buffer_unordered(4).collect().await;
    let spare: Vec<_> = runs.iter().filter(|(right, first)| first.as_ref() != Some(&as_seen(right))).collect();
    assert!(spare.is_empty(), "the operator gets along without: {spare:?}");
}

/// An apply without create is rejected as a patch.
fn as_seen(right: &Asked) -> Asked {
    match (right.1.as_str(), right.2.as_str()) {
        ("configmaps", "create") => (right.0.clone(), right.1.clone(), "patch".to_owned()),
        _ => right.clone(),
    }
}

fn verbs_on_secrets(operator: &Operator) -> Vec<String> {
    allowed(operator).into_iter().filter(|(_, resource, _)| resource == "secrets").map(|(_, _, verb)| verb).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_only_exports_a_secret_may_not_delete_it() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    world.install(&definition()).await;
    world.wire.observers().know::<exporter>();
    let (lab, cluster) = (Lab::at("a"), world.cluster().clone());
    let client = world.wire.client(&cluster.client_as(ROBOT));
    let operator = Operator::new("tester").client(client).namespaces([&*world.namespace]);
    let operator = operator.paged_lists().reconciler::<exporter>(lab.clone());
    assert_eq!(verbs_on_secrets(&operator), ["create", "get", "list", "patch", "watch"]);
    grant(&world.client, &allowed(&operator)).await;
    let running = Running::start(operator);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.api::<Widget>().delete("w", &DeleteParams::background()).await.unwrap();
    eventually(SOON, || async { world.api::<Secret>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert!(lab.log().contains(&"forgotten".to_owned()));
    running.stop().await.unwrap();
    assert_eq!(cluster.log().filter(|entry| entry.code == 403).len(), 0);
}

#[test]
fn a_cleanup_that_deletes_a_secret_may_do_so() {
    let operator = Operator::new("tester").reconciler::<eraser>(Lab::at("a"));
    assert_eq!(verbs_on_secrets(&operator), ["create", "delete", "get", "list", "patch", "watch"]);
}

/// Applies the printed roles and bindings as `kubectl apply --server-side` does. Returns their kinds.
pub(crate) async fn apply_roles(
    world: &World,
    operator: &Operator,
    (namespace, account): (&str, &str),
) -> Vec<&'static str> {
    let roles = operator.roles();
    let (cluster, bindings) = roles.bindings(namespace, account);
    let mut kinds = Vec::new();
    if let (Some(role), Some(binding)) = (&roles.cluster_role, &cluster) {
        apply(Api::all(world.client.clone()), role).await;
        apply(Api::all(world.client.clone()), binding).await;
        kinds.extend(["ClusterRole", "ClusterRoleBinding"]);
    }
    for (role, binding) in roles.roles.iter().zip(&bindings) {
        let of = role.metadata.namespace.as_ref().unwrap();
        apply(Api::namespaced(world.client.clone(), of), role).await;
        apply(Api::namespaced(world.client.clone(), of), binding).await;
        kinds.extend(["Role", "RoleBinding"]);
    }
    kinds
}

async fn apply<K>(api: Api<K>, object: &K)
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    let params = PatchParams::apply("tests").force();
    api.patch(object.meta().name.as_ref().unwrap(), &params, &Patch::Apply(object)).await.unwrap();
}

async fn the_printed_roles_are_accepted(world: World) -> World {
    let operator = Operator::new(&world.namespace).namespaces([&*world.namespace]);
    let operator = operator.reconciler::<rightful>(Lab::at("a"));
    let kinds = apply_roles(&world, &operator, (&world.namespace, "tester")).await;
    assert_eq!(kinds, ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
    let everywhere = Operator::new(&world.namespace).reconciler::<rightful>(Lab::at("a"));
    let kinds = apply_roles(&world, &everywhere, (&world.namespace, "tester")).await;
    assert_eq!(kinds, ["ClusterRole", "ClusterRoleBinding"]);
    let params = DeleteParams::default();
    Api::<ClusterRoleBinding>::all(world.client.clone()).delete(&world.namespace, &params).await.unwrap();
    Api::<ClusterRole>::all(world.client.clone()).delete(&world.namespace, &params).await.unwrap();
    world
}

on_each_server!(the_printed_roles_are_accepted);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_printed_roles_suffice() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    world.install(&definition()).await;
    world.wire.observers().know::<rightful>();
    let (lab, cluster) = (Lab::at("a"), world.cluster().clone());
    let operator = tester(&world, &cluster.client_as(ROBOT), &lab);
    apply_roles(&world, &operator, ("default", "tester")).await;
    let running = Running::start(operator);
    live(&world, &lab).await;
    running.stop().await.unwrap();
    let forbidden = cluster.log().filter(|entry| entry.code == 403);
    assert_eq!(forbidden.first().map(asked), None);
}

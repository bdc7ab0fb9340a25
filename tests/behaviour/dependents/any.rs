//! Sets with `any`: their kinds are known when they are rendered.

use evenkeel::dependents::{Dependents, DependentsError, ObjectStatus};
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Effect, Fault, Verb, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Locker", namespaced, status = "LockerStatus")]
pub(crate) struct LockerSpec {
    /// The manifests.
    text: String,
    /// Whether the step is skipped.
    #[serde(default)]
    closed: bool,
}

#[status(dependents)]
pub(crate) struct LockerStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum LockerCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum LockerError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(sets(on::Applied), dependents(any, within = namespace))]
async fn stow(Locker { spec, .. }: &Locker, cx: &mut Cx) -> Result<Dependents, LockerError> {
    let mut wanted = cx.wanted();
    wanted.yaml(&spec.text);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = LockerCondition)]
pub(crate) async fn locker(locker: &Locker, cx: &mut Pass<'_>) -> PassResult {
    if locker.spec.closed {
        skip(stow, "Closed");
    } else {
        stow(locker, cx).await?;
    }
    Ok(())
}

/// The same for trusted users, with an account that the code adds to each set.
///
/// A drawer is ready when it is deep enough, in whatever version.
#[sub_reconciler(sets(on::Applied), dependents(any, trusted, ready("any.tests.evenkeel.dev/v2/Drawer" = is_deep)))]
async fn stow_anywhere(Locker { spec, .. }: &Locker, cx: &mut Cx) -> Result<Dependents, LockerError> {
    let mut wanted = cx.wanted();
    let mut account = ServiceAccount::default();
    account.metadata.name = Some("keeper".into());
    wanted.add(&account).apply_order(-1);
    wanted.yaml(&spec.text);
    Ok(cx.converge(wanted).await?)
}

fn is_deep(drawer: &Value) -> ObjectStatus {
    match drawer["spec"]["depth"].as_u64() {
        Some(depth) if depth > 0 => ObjectStatus::Current,
        _ => ObjectStatus::InProgress("it is too flat".into()),
    }
}

#[reconciler(conditions = LockerCondition)]
pub(crate) async fn vault(locker: &Locker, cx: &mut Pass<'_>) -> PassResult {
    stow_anywhere(locker, cx).await?;
    Ok(())
}

on_each_server!(
    kinds_that_no_step_declares_are_watched_and_removed_also_after_a_restart,
    a_type_and_its_instances_are_in_one_set_and_in_two_versions,
    a_kind_that_is_not_served_is_waited_for,
    objects_outside_the_namespace_are_refused
);

async fn create(world: &World, name: &str, text: &str) {
    let locker = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Locker", "metadata": { "name": name },
        "spec": { "text": text } });
    world.create::<Locker>(locker).await;
}

const PAIR: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\ndata: { mode: one }\n---\n\
    apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: user }\n";

async fn kinds_that_no_step_declares_are_watched_and_removed_also_after_a_restart(world: World) -> World {
    world.install(&Locker::crd()).await;
    let operator = world.operator::<locker>(());
    create(&world, "a", PAIR).await;
    world.until::<Locker>("a", "ready", is_ready).await;
    assert!(world.api::<ServiceAccount>().get_opt("user").await.unwrap().is_some());
    // What another client deletes or changes comes back.
    world.delete::<ConfigMap>("map").await;
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("map").await.ok()? }).await;
    let patch = json!({ "data": { "mode": "two" } });
    let is_back = |map: &Value| map["data"]["mode"] == "one";
    world.until::<ConfigMap>("map", "back", is_back).await;
    world.merge::<ConfigMap>("map", patch).await;
    world.until::<ConfigMap>("map", "corrected", is_back).await;
    world.quiet().await;
    operator.stop().await.unwrap();
    // The next process does not know the kinds before the step runs, and here it does not run.
    world.merge::<Locker>("a", json!({ "spec": { "closed": true } })).await;
    let operator = world.operator::<locker>(());
    world.until_gone::<ConfigMap>("map").await;
    world.until_gone::<ServiceAccount>("user").await;
    world.merge::<Locker>("a", json!({ "spec": { "closed": false } })).await;
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("map").await.ok()? }).await;
    world.until::<Locker>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
    // Also an object whose deletion is the first that the process sees.
    let operator = world.operator::<locker>(());
    world.delete::<Locker>("a").await;
    world.until_gone::<Locker>("a").await;
    assert!(world.api::<ConfigMap>().get_opt("map").await.unwrap().is_none());
    assert!(world.api::<ServiceAccount>().get_opt("user").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

const GROUP: &str = "any.tests.evenkeel.dev";

/// A CRD with two versions, which differ in nothing.
fn drawers() -> Value {
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": {
        "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } } });
    let version =
        |name: &str, storage: bool| json!({ "name": name, "served": true, "storage": storage, "schema": schema });
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("drawers.{GROUP}") },
        "spec": { "group": GROUP, "scope": "Namespaced",
            "names": { "kind": "Drawer", "plural": "drawers", "singular": "drawer", "listKind": "DrawerList" },
            "versions": [version("v2", true), version("v1", false)] } })
}

fn drawer(version: &str, name: &str, depth: u8) -> String {
    let drawer = json!({ "apiVersion": format!("{GROUP}/{version}"), "kind": "Drawer", "metadata": { "name": name },
        "spec": { "depth": depth } });
    drawer.to_string()
}

/// One test, since the type exists once per server.
async fn a_type_and_its_instances_are_in_one_set_and_in_two_versions(world: World) -> World {
    let crds = Api::<CustomResourceDefinition>::all(world.client.clone());
    let name = format!("drawers.{GROUP}");
    let _ = crds.delete(&name, &DeleteParams::default()).await;
    eventually(SOON, || async { crds.get_opt(&name).await.ok()?.is_none().then_some(()) }).await;
    world.install(&Locker::crd()).await;
    let operator = world.operator::<vault>(());
    let text =
        |depth: u8| format!("{}\n---\n{}\n---\n{}\n", drawer("v1", "old", depth), drawers(), drawer("v2", "new", 1));
    create(&world, "a", &text(0)).await;
    let is_flat = |locker: &Value| message(locker, "Applied").contains("it is too flat");
    world.until::<Locker>("a", "too flat", is_flat).await;
    world.merge::<Locker>("a", json!({ "spec": { "text": text(1) } })).await;
    world.until::<Locker>("a", "ready", is_ready).await;
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, "v2", "Drawer"), "drawers");
    let all = Api::<DynamicObject>::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let uid = |name: &'static str| {
        let all = all.clone();
        async move { all.get_opt(name).await.ok()??.metadata.uid }
    };
    assert!(world.api::<ServiceAccount>().get_opt("keeper").await.unwrap().is_some());
    for name in ["old", "new"] {
        let before = uid(name).await.expect("it was created");
        all.delete(name, &DeleteParams::default()).await.unwrap();
        eventually(SOON, || async { uid(name).await.filter(|uid| *uid != before) }).await;
    }
    world.quiet().await;
    world.delete::<Locker>("a").await;
    world.until_gone::<Locker>("a").await;
    assert!(crds.get_opt(&name).await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn a_kind_that_is_not_served_is_waited_for(world: World) -> World {
    world.install(&Locker::crd()).await;
    let operator = world.operator::<locker>(());
    create(
        &world,
        "a",
        &format!("{PAIR}---\napiVersion: absent.tests.evenkeel.dev/v1\nkind: Ghost\nmetadata: {{ name: g }}\n"),
    )
    .await;
    let is_missing =
        |locker: &Value| condition(locker, "Applied").is_some_and(|applied| applied["reason"] == "KindMissing");
    let locker = world.until::<Locker>("a", "missing", is_missing).await;
    let text = "the API server does not serve absent.tests.evenkeel.dev/v1/Ghost; install its CRD";
    assert!(message(&locker, "Applied").starts_with(text), "{locker}");
    assert!(world.api::<ConfigMap>().get_opt("map").await.unwrap().is_none());
    world.merge::<Locker>("a", json!({ "spec": { "text": PAIR } })).await;
    world.until::<Locker>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn objects_outside_the_namespace_are_refused(world: World) -> World {
    world.install(&Locker::crd()).await;
    let operator = world.operator::<locker>(());
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: all }\n";
    for (name, object) in [("a", PAIR.replace("name: map", "name: map, namespace: default")), ("b", role.to_owned())] {
        create(&world, name, &object).await;
        let is_stalled = |locker: &Value| condition(locker, "Stalled").is_some();
        let locker = world.until::<Locker>(name, "stalled", is_stalled).await;
        assert!(message(&locker, "Applied").contains("the set is limited to the namespace"), "{locker}");
    }
    operator.stop().await.unwrap();
    world
}

#[test]
fn a_set_of_any_kind_needs_all_rights() {
    let operator = Operator::new("lockers").reconciler::<locker>(());
    let rule = operator.rbac_rules().into_iter().find(|rule| rule.resource == "*").expect("there is one");
    let verbs: Vec<&str> = rule.verbs.iter().map(|verb| verb.as_str()).collect();
    assert_eq!((&*rule.group, verbs.join(",")), ("*", "get,list,watch,create,patch,delete".to_owned()));
}

/// One component that has a kind which the operator may not list does not hold up the others.
#[tokio::test]
async fn a_kind_that_may_not_be_listed_holds_up_its_own_components_only() {
    let world = World::within(Cluster::start().await);
    world.install(&Locker::crd()).await;
    for verb in [Verb::List, Verb::Watch] {
        world.cluster().faults().add(Fault::new(Effect::Forbidden).resource("serviceaccounts").verb(verb).always());
    }
    let operator = world.operator::<locker>(());
    create(&world, "a", PAIR).await;
    let is_forbidden =
        |locker: &Value| condition(locker, "Applied").is_some_and(|applied| applied["reason"] == "Forbidden");
    let locker = world.until::<Locker>("a", "forbidden", is_forbidden).await;
    assert!(message(&locker, "Applied").contains("serviceaccounts"), "{locker}");
    create(&world, "b", &PAIR[..PAIR.find("---").unwrap()].replace("map", "other")).await;
    world.until::<Locker>("b", "ready", is_ready).await;
    operator.stop().await.unwrap();
}

//! Steps that act as another user, whose rights the API server checks.

use evenkeel::dependents::{Dependents, DependentsError, Site};
use evenkeel::prelude::*;
use evenkeel::{ApiError, Operator};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::role::Role;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::{Role as NamespaceRole, RoleBinding};
use kube::api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Config, CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Stall", namespaced, status = "StallStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct StallSpec {
    /// The service account; `missing` makes the site fail.
    #[serde(default)]
    account: Option<String>,
    /// The namespace of its config maps; that of the stall without it.
    #[serde(default)]
    elsewhere: Option<String>,
    /// The names of its config maps.
    #[serde(default)]
    maps: Vec<String>,
    /// The operator deletes what the service account may not delete any more.
    #[serde(default)]
    last_resort: bool,
    /// The step is skipped.
    #[serde(default)]
    closed: bool,
}

#[status(dependents)]
pub(crate) struct StallStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum StallCondition {
    /// The secret is stored.
    #[condition(positive)]
    Signed,
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum StallError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(transparent)]
    Call(#[from] ApiError),
    #[error("the account is missing")]
    #[class(stalled)]
    AccountMissing,
}

fn site(stall: &Stall) -> Result<Site, StallError> {
    match &stall.spec.account {
        None => Ok(Site::here()),
        Some(name) if name == "missing" => Err(StallError::AccountMissing),
        Some(name) if stall.spec.last_resort => Ok(Site::here().service_account(name).last_resort_operator()),
        Some(name) => Ok(Site::here().service_account(name)),
    }
}

async fn place_of_secret(stall: &Stall, _: &mut Cx<'_, sign>) -> Result<Site, StallError> {
    site(stall)
}

async fn place(stall: &Stall, _: &mut Cx<'_, stock>) -> Result<Site, StallError> {
    site(stall)
}

#[sub_reconciler(sets(on::Signed), owns(Secret), site = place_of_secret)]
async fn sign(stall: &Stall, cx: &mut Cx) -> Result<(), StallError> {
    let mut secret = Secret::default();
    secret.metadata.name = stall.metadata.name.clone();
    cx.apply(&secret).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, empty = allow, within = namespace), site = place)]
async fn stock(Stall { spec, .. }: &Stall, cx: &mut Cx) -> Result<Dependents, StallError> {
    let mut wanted = cx.wanted();
    for name in &spec.maps {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        map.metadata.namespace.clone_from(&spec.elsewhere);
        wanted.add(&map);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = StallCondition)]
pub(crate) async fn stall(stall: &Stall, cx: &mut Pass<'_>) -> PassResult {
    sign(stall, cx).await?;
    if stall.spec.closed {
        skip(stock, "Closed");
    } else {
        stock(stall, cx).await?;
    }
    Ok(())
}

on_each_server!(a_set_that_is_limited_to_its_namespace_has_no_objects_elsewhere);

async fn a_set_that_is_limited_to_its_namespace_has_no_objects_elsewhere(world: World) -> World {
    world.install(&Stall::crd()).await;
    let operator = world.operator::<stall>(());
    let other = world.another_namespace().await;
    create(&world, "a", json!({ "maps": ["one"], "elsewhere": other })).await;
    let text =
        format!("ConfigMap {other}/one: metadata.namespace: the set is limited to the namespace {}", world.namespace);
    let is_refused = |stall: &Value| message(stall, "Ready").starts_with(&text);
    world.until::<Stall>("a", &text, is_refused).await;
    create(&world, "b", json!({ "maps": ["one"] })).await;
    world.until::<Stall>("b", "ready", is_ready).await;
    // A mark that another client sets there, with a finalizer that would hold up the end.
    let maps: Api<ConfigMap> = Api::namespaced(world.client.clone(), &other);
    let mut forged = world.api::<ConfigMap>().get("one").await.unwrap();
    let owner = forged.annotations_mut().get_mut("evenkeel.dev/owner").unwrap();
    *owner = owner.replace(&format!("for ConfigMap/{}/one", world.namespace), &format!("for ConfigMap/{other}/one"));
    assert!(owner.ends_with(&format!("for ConfigMap/{other}/one")), "{owner}");
    forged.metadata = ObjectMeta {
        name: forged.metadata.name,
        labels: forged.metadata.labels,
        annotations: forged.metadata.annotations,
        finalizers: Some(vec!["tests.evenkeel.dev/held".into()]),
        ..ObjectMeta::default()
    };
    maps.create(&PostParams::default(), &forged).await.unwrap();
    world.delete::<Stall>("b").await;
    world.until_gone::<Stall>("b").await;
    let kept = maps.get("one").await.unwrap();
    assert!(kept.metadata.deletion_timestamp.is_none());
    maps.patch("one", &PatchParams::default(), &Patch::Merge(json!({ "metadata": { "finalizers": null } })))
        .await
        .unwrap();
    operator.stop().await.unwrap();
    world
}

async fn create(world: &World, name: &str, spec: Value) {
    let stall =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Stall", "metadata": { "name": name }, "spec": spec });
    world.create::<Stall>(stall).await;
}

/// Allows the service account what the role for sites says, without these verbs for config maps.
async fn allow(world: &World, account: &str, operator: &Operator, without: &[&str]) {
    let rules = operator.site_rules().into_iter().map(|rule| {
        let verbs = rule.verbs.iter().map(|verb| verb.as_str());
        let verbs: Vec<&str> = verbs.filter(|verb| rule.resource != "configmaps" || !without.contains(verb)).collect();
        json!({ "apiGroups": [rule.group], "resources": [rule.resource], "verbs": verbs })
    });
    let (group, params) = ("rbac.authorization.k8s.io", PatchParams::apply("tests").force());
    let version = format!("{group}/v1");
    let role = json!({ "apiVersion": version, "kind": "Role", "metadata": { "name": account },
        "rules": rules.collect::<Vec<_>>() });
    let binding = json!({ "apiVersion": version, "kind": "RoleBinding", "metadata": { "name": account },
        "roleRef": { "apiGroup": group, "kind": "Role", "name": account },
        "subjects": [{ "kind": "ServiceAccount", "name": account, "namespace": world.namespace }] });
    world.api::<NamespaceRole>().patch(account, &params, &Patch::Apply(role)).await.unwrap();
    world.api::<RoleBinding>().patch(account, &params, &Patch::Apply(binding)).await.unwrap();
}

/// Waits until Ready has this message, which names the user of the namespace that may not do it.
async fn until_refused(world: &World, name: &str, verb: &str, resource: &str) {
    let user =
        format!("User \"system:serviceaccount:{}:clerk\" cannot {verb} resource \"{resource}\"", world.namespace);
    world.until::<Stall>(name, &user, |stall| message(stall, "Ready").contains(&user)).await;
}

/// One life of a component, each call with the rights of a service account. `operator` prepares an operator with all rights that it says it
/// needs.
async fn one_life(world: &World, operator: impl AsyncFn() -> Operator) {
    world.install(&Stall::crd()).await;
    world.wire.observers().know::<stall>();
    let prepared = operator().await;
    let running = Running::start(operator().await);
    create(world, "a", json!({ "account": "clerk", "maps": ["one", "two"] })).await;
    until_refused(world, "a", "patch", "secrets").await;
    allow(world, "clerk", &prepared, &["patch"]).await;
    until_refused(world, "a", "patch", "configmaps").await;
    allow(world, "clerk", &prepared, &["delete"]).await;
    world.until::<Stall>("a", "ready", is_ready).await;
    // Objects that are no longer wanted, of a step that runs and of one that is skipped.
    world.merge::<Stall>("a", json!({ "spec": { "maps": ["two"] } })).await;
    until_refused(world, "a", "delete", "configmaps").await;
    allow(world, "clerk", &prepared, &[]).await;
    world.until_gone::<ConfigMap>("one").await;
    world.until::<Stall>("a", "ready", is_ready).await;
    allow(world, "clerk", &prepared, &["delete"]).await;
    world.merge::<Stall>("a", json!({ "spec": { "closed": true } })).await;
    until_refused(world, "a", "delete", "configmaps").await;
    allow(world, "clerk", &prepared, &[]).await;
    world.until_gone::<ConfigMap>("two").await;
    world.merge::<Stall>("a", json!({ "spec": { "closed": false } })).await;
    eventually(SOON, || async { world.api::<ConfigMap>().get("two").await.ok() }).await;
    world.until::<Stall>("a", "ready", is_ready).await;
    // The end.
    allow(world, "clerk", &prepared, &["delete"]).await;
    world.api::<Stall>().delete("a", &DeleteParams::default()).await.unwrap();
    until_refused(world, "a", "delete", "configmaps").await;
    allow(world, "clerk", &prepared, &[]).await;
    world.until_gone::<Stall>("a").await;
    assert!(world.api::<ConfigMap>().get_opt("two").await.unwrap().is_none());
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_call_of_a_step_has_the_rights_of_its_user() {
    let cluster = Cluster::builder().rbac().bearer("token", "operator").start().await;
    let served = cluster.serve().await.unwrap();
    let world = World::beside(cluster).await;
    // The operator has the rights that it says it needs, and no others.
    let role = Role { admin: world.client.clone(), name: "operator".into() };
    role.allow(&Operator::new("tester").client(world.client.clone()).reconciler::<stall>(()), &[].into()).await;
    one_life(&world, async || {
        let mut config = Config::new(served.url().parse().unwrap());
        config.auth_info.token = Some("token".to_owned().into());
        config.default_retry = false;
        let client = world.wire.client(&Client::try_from(config).unwrap());
        Operator::new("tester").client(client).namespaces([&*world.namespace]).reconciler::<stall>(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_call_of_a_step_has_the_rights_of_its_user_on_a_real_server() {
    // The other real server allows everything.
    let Some(world) = World::on(Server::Full).await else { return };
    one_life(&world, async || world.prepare::<stall>(())).await;
    world.clean().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_deletes_what_the_user_may_not_delete_any_more_only_as_the_last_resort() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    world.install(&Stall::crd()).await;
    // The operator may do everything.
    let running = world.operator::<stall>(());
    allow(&world, "clerk", &world.prepare::<stall>(()), &[]).await;
    create(&world, "a", json!({ "account": "clerk", "maps": ["one"] })).await;
    create(&world, "b", json!({ "account": "clerk", "maps": ["two", "three"], "lastResort": true })).await;
    for name in ["a", "b"] {
        world.until::<Stall>(name, "ready", is_ready).await;
    }
    // As in a namespace that is being deleted.
    world.delete::<RoleBinding>("clerk").await;
    world.merge::<Stall>("b", json!({ "spec": { "maps": ["two"] } })).await;
    until_refused(&world, "b", "delete", "configmaps").await;
    for name in ["a", "b"] {
        world.delete::<Stall>(name).await;
    }
    world.until_gone::<Stall>("b").await;
    until_refused(&world, "a", "delete", "configmaps").await;
    for (map, is_there) in [("one", true), ("two", false), ("three", false)] {
        assert_eq!(world.api::<ConfigMap>().get_opt(map).await.unwrap().is_some(), is_there, "{map}");
    }
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_that_is_not_known_is_reported_and_nothing_is_written() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&Stall::crd()).await;
    let running = world.operator::<stall>(());
    for (name, account, reason, text) in [
        ("a", "missing", "AccountMissing", "the account is missing"),
        (
            "b",
            "kube-system:admin",
            "Forbidden",
            "the site of the step `sign` is invalid: \"kube-system:admin\" is no name of a service account",
        ),
    ] {
        create(&world, name, json!({ "account": account, "maps": ["one"] })).await;
        let is_so = |stall: &Value| condition(stall, "Ready").is_some_and(|ready| ready["reason"] == reason);
        let found = world.until::<Stall>(name, reason, is_so).await;
        assert_eq!(message(&found, "Ready"), text);
    }
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_none());
    assert!(world.api::<Secret>().get_opt("a").await.unwrap().is_none());
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_that_may_not_impersonate_says_so() {
    let cluster = Cluster::builder().rbac().bearer("token", "operator").start().await;
    let served = cluster.serve().await.unwrap();
    let world = World::beside(cluster).await;
    world.install(&Stall::crd()).await;
    let role = Role { admin: world.client.clone(), name: "operator".into() };
    let missing = [("serviceaccounts", "impersonate")].into();
    role.allow(&Operator::new("tester").client(world.client.clone()).reconciler::<stall>(()), &missing).await;
    let mut config = Config::new(served.url().parse().unwrap());
    config.auth_info.token = Some("token".to_owned().into());
    config.default_retry = false;
    let operator = Operator::new("tester").client(Client::try_from(config).unwrap());
    let running = Running::start(operator.reconciler::<stall>(()));
    create(&world, "a", json!({ "account": "clerk" })).await;
    let text = "cannot impersonate resource \"serviceaccounts\"";
    let found = world.until::<Stall>("a", text, |stall| message(stall, "Ready").contains(text)).await;
    assert!(message(&found, "Ready").contains("; grant the verb impersonate on it to the operator"), "{found}");
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sets_without_a_site_act_as_the_default_service_account() {
    let world = World::beside(Cluster::builder().rbac().start().await).await;
    for definition in super::shop::definitions() {
        world.install(&definition).await;
    }
    let prepare = || world.prepare::<super::shop::shop>(()).default_service_account("clerk");
    let running = Running::start(prepare());
    let shop = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Shop", "metadata": { "name": "a" },
        "spec": { "maps": { "one": "1" } } });
    world.create::<super::shop::Shop>(shop).await;
    let user = format!("User \"system:serviceaccount:{}:clerk\" cannot patch", world.namespace);
    let is_refused = |shop: &Value| message(shop, "Ready").contains(&user);
    world.until::<super::shop::Shop>("a", &user, is_refused).await;
    allow(&world, "clerk", &prepare(), &[]).await;
    world.until::<super::shop::Shop>("a", "ready", is_ready).await;
    running.stop().await.unwrap();
    // The operator only reads what these sets consist of.
    let verbs = |rules: Vec<evenkeel::introspection::RbacRule>| {
        let maps = rules.into_iter().find(|rule| rule.resource == "configmaps").unwrap();
        maps.verbs.iter().map(|verb| verb.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(verbs(prepare().rbac_rules()), ["get", "list", "watch"]);
    assert_eq!(verbs(prepare().site_rules()), ["get", "create", "patch", "delete"]);
}

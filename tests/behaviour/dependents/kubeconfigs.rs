//! Sets of dependents in other clusters, whose kubeconfigs are in Secrets.

use evenkeel::ApiError;
use evenkeel::dependents::{Dependents, DependentsError, Site};
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Serving, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{DeleteParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Outlet", namespaced, status = "OutletStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutletSpec {
    /// The Secret with the kubeconfig; this cluster without one.
    #[serde(default)]
    kubeconfig: Option<String>,
    /// The names of its config maps.
    #[serde(default)]
    maps: Vec<String>,
    /// The step is skipped.
    #[serde(default)]
    closed: bool,
}

#[status(dependents)]
pub(crate) struct OutletStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum OutletCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum OutletError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(waiting)]
    Absent(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(transparent)]
    Call(#[from] ApiError),
}

async fn place(outlet: &Outlet, cx: &mut Cx<'_, stock>) -> Result<Site, OutletError> {
    let Some(name) = &outlet.spec.kubeconfig else { return Ok(Site::here()) };
    Ok(Site::kubeconfig(&cx.require::<Secret>(name).await?))
}

#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, events, empty = allow), watches(Secret, by_name), site = place)]
async fn stock(Outlet { spec, .. }: &Outlet, cx: &mut Cx) -> Result<Dependents, OutletError> {
    let mut wanted = cx.wanted();
    for name in &spec.maps {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        map.data = Some([("stock".to_owned(), "full".to_owned())].into());
        wanted.add(&map);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = OutletCondition)]
pub(crate) async fn outlet(outlet: &Outlet, cx: &mut Pass<'_>) -> PassResult {
    if outlet.spec.closed {
        skip(stock, "Closed");
    } else {
        stock(outlet, cx).await?;
    }
    Ok(())
}

/// Another cluster.
struct Far {
    cluster: Cluster,
    served: Serving,
}

impl Far {
    /// One with the namespace of the world.
    async fn start(world: &World) -> Self {
        let cluster = Cluster::start().await;
        let served = cluster.serve().await.unwrap();
        let far = Self { cluster, served };
        create_namespace(&far.cluster.client(), &world.namespace).await;
        far
    }

    fn maps(&self, world: &World) -> Api<ConfigMap> {
        Api::namespaced(self.cluster.client(), &world.namespace)
    }

    async fn uid(&self) -> String {
        Api::<Namespace>::all(self.cluster.client()).get("kube-system").await.unwrap().metadata.uid.unwrap()
    }

    /// The number of times that a client was made for it.
    fn clients(&self) -> usize {
        self.cluster.log().count(|entry| entry.resource == "namespaces" && entry.name.as_deref() == Some("kube-system"))
    }
}

async fn create_namespace(client: &Client, name: &str) {
    let namespace = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
    Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap();
}

/// Creates or replaces the Secret: it has this key only.
async fn store(world: &World, name: &str, key: &str, kubeconfig: &str) {
    let secret = json!({ "metadata": { "name": name }, "stringData": { key: kubeconfig } });
    let (secrets, secret) = (world.api::<Secret>(), serde_json::from_value(secret).unwrap());
    match secrets.get_opt(name).await.unwrap() {
        Some(_) => secrets.replace(name, &PostParams::default(), &secret).await.unwrap(),
        None => secrets.create(&PostParams::default(), &secret).await.unwrap(),
    };
}

async fn create(world: &World, name: &str, spec: Value) {
    let outlet =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Outlet", "metadata": { "name": name }, "spec": spec });
    world.create::<Outlet>(outlet).await;
}

async fn until_reason(world: &World, name: &str, reason: &str, text: &str) -> Value {
    let is_so = |outlet: &Value| {
        condition(outlet, "Ready").is_some_and(|ready| ready["reason"] == reason)
            && message(outlet, "Ready").contains(text)
    };
    world.until::<Outlet>(name, &format!("{reason}: {text}"), is_so).await
}

async fn until_there(maps: &Api<ConfigMap>, name: &str) -> ConfigMap {
    eventually(SOON, || async { maps.get(name).await.ok() }).await
}

async fn until_gone(maps: &Api<ConfigMap>, name: &str) {
    eventually(SOON, || async { maps.get_opt(name).await.unwrap().is_none().then_some(()) }).await;
}

on_each_server!(a_component_lives_in_another_cluster);

async fn a_component_lives_in_another_cluster(world: World) -> World {
    let far = Far::start(&world).await;
    let maps = far.maps(&world);
    one_life(&world, &maps, &far.served.kubeconfig()).await;
    assert_eq!(far.clients(), 2, "one for each operator");
    // The word `events` is for the cluster of the operator only.
    assert_eq!(far.cluster.log().count(|entry| entry.resource == "events"), 0);
    assert_eq!(["Created", "Updated", "Deleted"].map(|reason| world.events_sent(reason)), [0; 3]);
    world
}

/// One life of a component whose objects are in the cluster of `maps`.
async fn one_life(world: &World, maps: &Api<ConfigMap>, kubeconfig: &str) {
    world.install(&Outlet::crd()).await;
    let operator = world.operator::<outlet>(());
    create(world, "a", json!({ "kubeconfig": "far", "maps": ["one", "two"] })).await;
    until_reason(world, "a", "Absent", "far").await;
    store(world, "far", "value", kubeconfig).await;
    let ready = world.until::<Outlet>("a", "ready", is_ready).await;
    let set = &ready["status"]["dependents"]["outlet/stock"];
    assert!(set["cluster"].is_string() && set["readyObjects"] == 2, "{set}");
    let owner = |map: &ConfigMap| map.metadata.annotations.clone().unwrap()["evenkeel.dev/owner"].clone();
    let one = until_there(maps, "one").await;
    assert!(owner(&one).contains("/a/outlet/stock@") && one.metadata.owner_references.is_none(), "{one:?}");
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_none());
    // What others do there is undone.
    maps.delete("one", &DeleteParams::default()).await.unwrap();
    let again = until_there(maps, "one").await;
    assert_ne!(again.metadata.uid, one.metadata.uid);
    operator.stop().await.unwrap();
    // Also what they do while no operator runs.
    maps.delete("two", &DeleteParams::default()).await.unwrap();
    let operator = world.operator::<outlet>(());
    until_there(maps, "two").await;
    world.merge::<Outlet>("a", json!({ "spec": { "maps": ["two"] } })).await;
    until_gone(maps, "one").await;
    world.until::<Outlet>("a", "ready", is_ready).await;
    world.merge::<Outlet>("a", json!({ "spec": { "closed": true } })).await;
    until_gone(maps, "two").await;
    world.merge::<Outlet>("a", json!({ "spec": { "closed": false } })).await;
    until_there(maps, "two").await;
    world.until::<Outlet>("a", "ready", is_ready).await;
    world.delete::<Outlet>("a").await;
    world.until_gone::<Outlet>("a").await;
    assert!(maps.get_opt("two").await.unwrap().is_none());
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_lives_in_a_real_cluster() {
    let Some(folder) = std::env::var_os("EVENKEEL_REAL_APISERVER") else { return };
    let path = std::path::Path::new(&folder).join("kubeconfig");
    let text = std::fs::read_to_string(&path).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(Kubeconfig::read_from(&path).unwrap(), &options).await.unwrap();
    let client = Client::try_from(config).unwrap();
    let mut world = World::on(Server::InProcess).await.unwrap();
    world.namespace = format!("outlets-{}", std::process::id());
    world.create_namespace().await;
    create_namespace(&client, &world.namespace).await;
    one_life(&world, &Api::namespaced(client.clone(), &world.namespace), &text).await;
    Api::<Namespace>::all(client).delete(&world.namespace, &DeleteParams::default()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn components_of_the_same_name_in_two_clusters_do_not_share_objects() {
    let world = World::on(Server::InProcess).await.unwrap();
    let (far, other) = (Far::start(&world).await, World::on(Server::InProcess).await.unwrap());
    let mut other = other;
    other.namespace.clone_from(&world.namespace);
    other.create_namespace().await;
    for (world, maps) in [(&world, json!(["one"])), (&other, json!(["one", "two"]))] {
        world.install(&Outlet::crd()).await;
        store(world, "far", "value.yaml", &far.served.kubeconfig()).await;
        create(world, "a", json!({ "kubeconfig": "far", "maps": maps, "closed": true })).await;
    }
    let operator = world.operator::<outlet>(());
    world.merge::<Outlet>("a", json!({ "spec": { "closed": false } })).await;
    world.until::<Outlet>("a", "ready", is_ready).await;
    let second = other.operator::<outlet>(());
    other.merge::<Outlet>("a", json!({ "spec": { "closed": false } })).await;
    until_reason(&other, "a", "DependentForeign", "Outlet a of another cluster").await;
    let maps = far.maps(&world);
    let owner = |map: ConfigMap| map.metadata.annotations.unwrap()["evenkeel.dev/owner"].clone();
    let (one, two) = (owner(maps.get("one").await.unwrap()), owner(until_there(&maps, "two").await));
    assert_ne!(one.split_once(" for ").unwrap().0, two.split_once(" for ").unwrap().0);
    other.delete::<Outlet>("a").await;
    other.until_gone::<Outlet>("a").await;
    assert!(maps.get_opt("two").await.unwrap().is_none());
    assert_eq!(owner(maps.get("one").await.unwrap()), one);
    second.stop().await.unwrap();
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_17_a_kubeconfig_that_would_run_a_program_is_refused() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&Outlet::crd()).await;
    let far = Far::start(&world).await;
    let ran = std::env::temp_dir().join(format!("evenkeel-exec-{}", std::process::id()));
    let good = far.served.kubeconfig();
    let program = format!(
        "user: {{exec: {{apiVersion: client.authentication.k8s.io/v1, command: touch, args: [{:?}], interactiveMode: Never}}}}",
        ran.display().to_string()
    );
    let bad = good.replace("user: {}", &program);
    assert!(bad.contains("exec"), "{bad}");
    store(&world, "far", "value.yml", &bad).await;
    let operator = world.operator::<outlet>(());
    create(&world, "a", json!({ "kubeconfig": "far", "maps": ["one"] })).await;
    until_reason(&world, "a", "SiteInvalid", "the user testkit has `exec`, which is not allowed; give it a `token`")
        .await;
    assert!(!ran.exists() && far.clients() == 0);
    store(&world, "far", "other", &good).await;
    until_reason(&world, "a", "SiteInvalid", "the Secret far has none of the keys value, value.yaml, value.yml").await;
    store(&world, "far", "value", &good).await;
    world.until::<Outlet>("a", "ready", is_ready).await;
    // The end waits for the Secret.
    let maps = far.maps(&world);
    world.delete::<Secret>("far").await;
    until_reason(&world, "a", "Absent", "far").await;
    world.delete::<Outlet>("a").await;
    store(&world, "far", "value", &bad).await;
    until_reason(&world, "a", "SiteInvalid", "`exec`").await;
    assert!(maps.get_opt("one").await.unwrap().is_some());
    store(&world, "far", "value", &good).await;
    world.until_gone::<Outlet>("a").await;
    assert!(maps.get_opt("one").await.unwrap().is_none());
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_that_moved_loses_no_object() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&Outlet::crd()).await;
    let (far, farther) = (Far::start(&world).await, Far::start(&world).await);
    store(&world, "far", "value", &far.served.kubeconfig()).await;
    let operator = world.operator::<outlet>(());
    create(&world, "a", json!({ "kubeconfig": "far", "maps": ["one"] })).await;
    world.until::<Outlet>("a", "ready", is_ready).await;
    let (maps, uids) = (far.maps(&world), (far.uid().await, farther.uid().await));
    // Other credentials of the same cluster.
    store(&world, "far", "value", &far.served.kubeconfig().replace("user: {}", "user: {token: rotated}")).await;
    maps.delete("one", &DeleteParams::default()).await.unwrap();
    until_there(&maps, "one").await;
    let clients = far.clients();
    assert!(clients >= 1, "{clients}");
    // Another cluster, and this one.
    store(&world, "far", "value", &farther.served.kubeconfig()).await;
    let found = until_reason(&world, "a", "SiteInvalid", "let the site lead there until they are gone").await;
    let text = message(&found, "Ready");
    assert!(text.contains(&uids.0) && text.contains(&uids.1), "{text}");
    world.merge::<Outlet>("a", json!({ "spec": { "kubeconfig": null } })).await;
    until_reason(&world, "a", "SiteInvalid", "the site of the step is in the cluster that of the operator").await;
    // Also when it wants none any more.
    world.merge::<Outlet>("a", json!({ "spec": { "closed": true } })).await;
    let is_refused = |outlet: &Value| {
        let of_generation = condition(outlet, "Ready").map(|ready| ready["observedGeneration"].clone());
        of_generation.as_ref() == Some(&outlet["metadata"]["generation"]) && message(outlet, "Ready").contains(&uids.0)
    };
    world.until::<Outlet>("a", "refused again", is_refused).await;
    assert!(maps.get_opt("one").await.unwrap().is_some());
    world.delete::<Outlet>("a").await;
    world.merge::<Outlet>("a", json!({ "spec": { "kubeconfig": "far" } })).await;
    until_reason(&world, "a", "SiteInvalid", &uids.1).await;
    assert!(maps.get_opt("one").await.unwrap().is_some());
    assert!(farther.maps(&world).get_opt("one").await.unwrap().is_none());
    store(&world, "far", "value", &far.served.kubeconfig()).await;
    world.until_gone::<Outlet>("a").await;
    assert!(maps.get_opt("one").await.unwrap().is_none());
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_that_does_not_answer_is_reported_and_tried_again() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&Outlet::crd()).await;
    let Far { cluster, served } = Far::start(&world).await;
    let (kubeconfig, url) = (served.kubeconfig(), served.url());
    drop(served);
    store(&world, "far", "value", &kubeconfig).await;
    let operator = world.operator::<outlet>(());
    create(&world, "a", json!({ "kubeconfig": "far", "maps": ["one"] })).await;
    create(&world, "b", json!({ "maps": ["two"] })).await;
    until_reason(&world, "a", "SiteUnreachable", "the cluster of the site of the step `stock`").await;
    world.until::<Outlet>("b", "ready", is_ready).await;
    let port = url.rsplit_once(':').unwrap().1.parse().unwrap();
    let _served = cluster.serve_on(port).await.unwrap();
    world.until::<Outlet>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn components_share_the_watches_of_a_cluster() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&Outlet::crd()).await;
    let far = Far::start(&world).await;
    store(&world, "far", "value", &far.served.kubeconfig()).await;
    let operator = world.operator::<outlet>(());
    for name in ["a", "b", "c"] {
        create(&world, name, json!({ "kubeconfig": "far", "maps": [name] })).await;
    }
    for name in ["a", "b", "c"] {
        world.until::<Outlet>(name, "ready", is_ready).await;
    }
    assert_eq!(far.clients(), 1);
    let lists = far.cluster.log().count(|entry| entry.resource == "configmaps" && entry.namespace.is_none());
    assert!(lists <= 2, "a list and a watch: {lists}");
    operator.stop().await.unwrap();
}

//! Where and as whom the calls of a component act, and how long a client of another cluster is kept.

use std::collections::BTreeSet;
use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError, Site};
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Serving};
use evenkeel_tests::role::Role;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{is_ready, message};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::PostParams;
use kube::{Api, Client, Config, CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Tenant", namespaced, status = "TenantStatus")]
pub(crate) struct TenantSpec {
    /// The user that its calls in this cluster have.
    #[serde(default)]
    user: Option<String>,
    /// The Secret with the kubeconfig of the cluster of its objects; this one without it.
    #[serde(default)]
    kubeconfig: Option<String>,
    /// Its config maps.
    #[serde(default)]
    maps: Vec<String>,
}

#[status(dependents)]
pub(crate) struct TenantStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum TenantCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum TenantError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
    #[error(transparent)]
    #[class(waiting)]
    Absent(#[from] Absent<Secret>),
}

async fn place(Tenant { spec, .. }: &Tenant, cx: &mut Cx<'_, settle>) -> Result<Site, TenantError> {
    Ok(match (&spec.kubeconfig, &spec.user) {
        (Some(name), _) => Site::kubeconfig(&cx.require::<Secret>(name).await?),
        (None, Some(user)) => Site::here().user(user),
        (None, None) => Site::here(),
    })
}

#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, empty = allow), watches(Secret, by_name), site = place)]
async fn settle(Tenant { spec, .. }: &Tenant, cx: &mut Cx) -> Result<Dependents, TenantError> {
    let mut wanted = cx.wanted();
    for name in &spec.maps {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        wanted.add(&map);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = TenantCondition)]
pub(crate) async fn tenant(tenant: &Tenant, cx: &mut Pass<'_>) -> PassResult {
    settle(tenant, cx).await?;
    Ok(())
}

/// Another cluster is served on a port, so the case needs the real time.
pub(super) async fn adapter(given: Value) -> Value {
    let case = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            match (&given["same_key_twice"], given["idle_s"].as_u64()) {
                (Value::Bool(true), None) => json!({ "clients_built": twice().await }),
                (Value::Null, Some(idle)) => json!({ "evicted": evicted(Duration::from_secs(idle)).await }),
                (Value::Null, None) => users(&given).await,
                other => panic!("{other:?}"),
            }
        })
    });
    tokio::task::spawn_blocking(|| case.join().unwrap()).await.unwrap()
}

/// A cluster in which the operator may do everything but write config maps, and one in which the user of the kubeconfig may do nothing. Each
/// refusal names the user.
async fn users(given: &Value) -> Value {
    let world = World::within(Cluster::builder().rbac().bearer("o", "operator").start().await);
    world.install(&Tenant::crd()).await;
    let here = world.cluster().serve().await.unwrap();
    let far = Cluster::builder().rbac().bearer("k", "user of k").start().await;
    let served = far.serve().await.unwrap();
    let prepare = || {
        let mut config = Config::new(here.url().parse().unwrap());
        config.auth_info.token = Some("o".to_owned().into());
        let operator = evenkeel::Operator::new("tester").client(Client::try_from(config).unwrap());
        let operator = operator.namespaces([&*world.namespace]).reconciler::<tenant>(());
        match given["option.default_service_account"].as_str() {
            Some(account) => operator.default_service_account(account),
            None => operator,
        }
    };
    let role = Role { admin: world.client.clone(), name: "operator".into() };
    role.allow(&prepare(), &BTreeSet::from([("configmaps", "patch")])).await;
    allow_impersonation(&world).await;
    let running = Running::start(prepare());
    let user = given["component.impersonation"].as_str().map(|text| text.strip_prefix("user ").unwrap());
    let local = json!({ "user": user, "maps": ["one"] });
    let mut target = local.clone();
    if let Some(name) = given["component.kubeconfig"].as_str() {
        store(&world, name, &served).await;
        target["kubeconfig"] = json!(name);
    }
    create(&world, "local", local).await;
    create(&world, "target", target).await;
    let found = json!({ "local": refused(&world, "local").await, "target": refused(&world, "target").await });
    running.stop().await.unwrap();
    found
}

/// Allows the operator to act as every user. Its own role does not, since the users of a site are named in the code.
async fn allow_impersonation(world: &World) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let role = json!({ "metadata": { "name": "impersonator" },
        "rules": [{ "apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"] }] });
    let binding = json!({ "metadata": { "name": "impersonator" },
        "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": "impersonator" },
        "subjects": [{ "kind": "User", "name": "operator", "apiGroup": GROUP }] });
    let params = PostParams::default();
    let (roles, bindings) = (Api::<ClusterRole>::all(world.client.clone()), Api::all(world.client.clone()));
    roles.create(&params, &serde_json::from_value(role).unwrap()).await.unwrap();
    let binding: ClusterRoleBinding = serde_json::from_value(binding).unwrap();
    bindings.create(&params, &binding).await.unwrap();
}

/// The user whose call was refused.
async fn refused(world: &World, name: &str) -> String {
    let is_refused = |tenant: &Value| message(tenant, "Ready").contains("User \"");
    let found = world.until::<Tenant>(name, "a user is refused", is_refused).await;
    let text = message(&found, "Ready");
    let user = text.split_once("User \"").unwrap().1.split_once('"').unwrap().0;
    if user == "user of k" { "as in k, no impersonation".into() } else { user.into() }
}

/// A cluster, another one whose kubeconfig is in the Secret `k`, and an operator.
struct Two {
    world: World,
    far: Cluster,
    _served: Serving,
    operator: Running,
}

impl Two {
    async fn start() -> Self {
        let (world, far) = (World::within(Cluster::start().await), Cluster::start().await);
        world.install(&Tenant::crd()).await;
        let served = far.serve().await.unwrap();
        store(&world, "k", &served).await;
        let operator = world.operator::<tenant>(());
        Self { world, far, _served: served, operator }
    }

    /// Each new client reads the uid of its cluster once.
    fn clients(&self) -> usize {
        let is_uid = |name: Option<&str>| name == Some("kube-system");
        self.far.log().count(|entry| entry.resource == "namespaces" && is_uid(entry.name.as_deref()))
    }
}

async fn twice() -> usize {
    let two = Two::start().await;
    for name in ["a", "b"] {
        create(&two.world, name, json!({ "kubeconfig": "k", "maps": [name] })).await;
        two.world.until::<Tenant>(name, "ready", is_ready).await;
    }
    let clients = two.clients();
    two.operator.stop().await.unwrap();
    clients
}

/// Whether the client is gone this long after its last component has left.
async fn evicted(idle: Duration) -> bool {
    let two = Two::start().await;
    create(&two.world, "a", json!({ "kubeconfig": "k" })).await;
    two.world.until::<Tenant>("a", "ready", is_ready).await;
    change(&two.world, json!({ "kubeconfig": null })).await;
    assert_eq!(two.clients(), 1);
    tokio::time::pause();
    tokio::time::advance(idle).await;
    tokio::time::resume();
    change(&two.world, json!({ "kubeconfig": "k" })).await;
    let clients = two.clients();
    two.operator.stop().await.unwrap();
    clients == 2
}

async fn change(world: &World, spec: Value) {
    world.merge::<Tenant>("a", json!({ "spec": spec })).await;
    world.until::<Tenant>("a", "ready again", is_ready).await;
}

async fn store(world: &World, name: &str, served: &Serving) {
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name },
        "stringData": { "value": served.kubeconfig() } });
    world.create::<Secret>(secret).await;
}

async fn create(world: &World, name: &str, spec: Value) {
    let tenant = json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Tenant", "metadata": { "name": name },
        "spec": spec });
    world.create::<Tenant>(tenant).await;
}

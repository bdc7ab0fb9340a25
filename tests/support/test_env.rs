//! A world for one test: its own namespace on one of the servers, and an operator that can be stopped and restarted.

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use evenkeel::{Operator, ReconciledKind, Reconciler};
use evenkeel_testkit::{Cluster, eventually};
use k8s_openapi::api::core::v1::{Event, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::NamespaceResourceScope;
use kube::{Client, Config, Resource};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::leftovers::Leftovers;
use crate::recording_client::Wire;
pub use crate::running::Running;

/// The time limit for effects that should be immediate; only an overloaded machine needs it.
pub const SOON: Duration = Duration::from_secs(60);

/// The servers on which a behaviour is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// The server of the test kit, in this process.
    InProcess,
    /// Kubernetes 1.36 libraries.
    Modern,
    /// Kubernetes 1.20, complete.
    Full,
}

/// The environment of one test.
pub struct World {
    /// A direct client of the server: not counted, never faulty.
    pub client: Client,
    /// The wire between the operator and the server.
    pub wire: Wire,
    /// The namespace of this test.
    pub namespace: String,
    /// The kind of server.
    pub server: Server,
    /// The in-process server, if it is one.
    pub cluster: Option<Cluster>,
    leftovers: Leftovers,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl World {
    /// Creates a world on the server; `None`, with a visible line, if the real servers are not available.
    ///
    /// # Panics
    /// The server cannot be used.
    pub async fn on(server: Server) -> Option<Self> {
        // RUST_LOG=evenkeel=debug shows the log of the operator; a second test finds the subscriber installed.
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init();
        let (client, cluster) = match server {
            Server::InProcess => return Some(Self::beside(Cluster::start().await).await),
            Server::Modern => (real("kubeconfig-modern").await?, None),
            Server::Full => (real("kubeconfig").await?, None),
        };
        Some(Self::made(server, client, cluster).await)
    }

    /// Creates a world on an existing in-process server.
    ///
    /// # Panics
    /// The server cannot be used.
    pub async fn beside(cluster: Cluster) -> Self {
        Self::made(Server::InProcess, cluster.client(), Some(cluster)).await
    }

    /// Creates a world on a separate real server.
    ///
    /// # Panics
    /// The server cannot be used.
    pub async fn over(server: Server, client: Client) -> Self {
        Self::made(server, client, None).await
    }

    /// Creates a world in the default namespace of an in-process server, so that its objects have stable names.
    #[must_use]
    pub fn within(cluster: Cluster) -> Self {
        let (client, namespace) = (cluster.client(), "default".to_owned());
        Self::of(Server::InProcess, client, Some(cluster), namespace)
    }

    async fn made(server: Server, client: Client, cluster: Option<Cluster>) -> Self {
        let namespace = format!("evenkeel-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let world = Self::of(server, client, cluster, namespace);
        world.create_namespace().await;
        world
    }

    fn of(server: Server, client: Client, cluster: Option<Cluster>, namespace: String) -> Self {
        Self { client, wire: Wire::default(), namespace, server, cluster, leftovers: Leftovers::default() }
    }

    /// Creates the namespace of this test, at the start or in a wiped store.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn create_namespace(&self) {
        self.create_namespace_named(&self.namespace).await;
    }

    /// Creates another namespace and returns its name.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn another_namespace(&self) -> String {
        let name = format!("{}-other", self.namespace);
        self.create_namespace_named(&name).await;
        name
    }

    async fn create_namespace_named(&self, name: &str) {
        let object: Namespace =
            serde_json::from_value(serde_json::json!({ "metadata": { "name": name } })).expect("a namespace");
        Api::all(self.client.clone()).create(&PostParams::default(), &object).await.expect("a namespace of its own");
        self.leftovers.add_namespace(name);
    }

    /// Installs a CRD and waits until it is served.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn install(&self, crd: &CustomResourceDefinition) {
        let crds: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let name = crd.metadata.name.clone().expect("a definition has a name");
        let params = PatchParams::apply("evenkeel-tests").force();
        crds.patch(&name, &params, &Patch::Apply(crd)).await.expect("the definition is accepted");
        self.leftovers.add_kind(crd);
        eventually(SOON, || async {
            let status = crds.get(&name).await.ok()?.status?;
            let conditions = status.conditions.unwrap_or_default();
            conditions.iter().any(|c| c.type_ == "Established" && c.status == "True").then_some(())
        })
        .await;
    }

    /// The typed API of the objects of this test.
    #[must_use]
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Creates an object in the namespace of this test from raw JSON: a typed object would send `status: null`, with which Kubernetes 1.20
    /// makes its creator the owner of the whole status.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn create<K>(&self, object: Value) -> K
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + DeserializeOwned,
    {
        let object: DynamicObject = serde_json::from_value(object).expect("an object");
        let api = self.raw_api::<K>();
        let created = eventually(SOON, || async {
            // A CRD that was just established may not be served yet.
            match api.create(&PostParams::default(), &object).await {
                Ok(object) => Some(object),
                Err(kube::Error::Api(status)) if status.code == 404 => None,
                Err(error) => panic!("the object is refused: {error}"),
            }
        });
        let created = serde_json::to_value(created.await).and_then(serde_json::from_value);
        created.expect("the object fits its kind")
    }

    fn raw_api<K: Resource<DynamicType = (), Scope = NamespaceResourceScope>>(&self) -> Api<DynamicObject> {
        let resource = kube::core::ApiResource::erase::<K>(&());
        Api::namespaced_with(self.client.clone(), &self.namespace, &resource)
    }

    /// Merges a patch into an object.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn merge<K>(&self, name: &str, patch: Value) -> K
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug,
    {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.expect("the patch is taken")
    }

    /// The raw object from the server.
    ///
    /// # Panics
    /// It does not exist.
    pub async fn raw<K: Resource<DynamicType = (), Scope = NamespaceResourceScope>>(&self, name: &str) -> Value {
        let api = self.raw_api::<K>();
        serde_json::to_value(api.get(name).await.expect("the object is there")).expect("an object is JSON")
    }

    /// Waits until the raw object satisfies `wanted`, and returns it.
    ///
    /// # Panics
    /// It never does.
    pub async fn until<K>(&self, name: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        let start = tokio::time::Instant::now();
        loop {
            let object = self.raw::<K>(name).await;
            if wanted(&object) {
                return object;
            }
            assert!(start.elapsed() < SOON, "{name} not within {SOON:?}: {what}; it is {:#}", object["status"]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Deletes an object.
    ///
    /// # Panics
    /// The server rejects it.
    pub async fn delete<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug,
    {
        self.api::<K>().delete(name, &DeleteParams::default()).await.expect("the object is there");
    }

    /// Waits until an object is gone.
    ///
    /// # Panics
    /// It is not removed.
    pub async fn until_gone<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug,
    {
        let gone = || async { self.api::<K>().get_opt(name).await.expect("an answer").is_none().then_some(()) };
        eventually(SOON, gone).await;
    }

    /// Waits until the operator has finished: each of its requests has an answer, and none was sent for 700 ms.
    ///
    /// # Panics
    /// It still sends requests after `SOON`.
    pub async fn quiet(&self) {
        self.wire.quiet(Duration::from_millis(700), SOON).await;
    }

    /// The number of writes of the operator, without events.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.wire.count(|call| call.is_write() && !call.is_event())
    }

    /// The number of events with this reason that the operator sent.
    #[must_use]
    pub fn events_sent(&self, reason: &str) -> usize {
        let quoted = format!("\"{reason}\"");
        self.wire.count(|call| call.is_event() && call.is_write() && call.body.contains(&quoted))
    }

    /// The events with this reason about an object, as the operator sent them.
    #[must_use]
    pub fn sent(&self, name: &str, reason: &str) -> Vec<Value> {
        let sent = self.wire.calls().into_iter().filter(|call| call.is_event() && call.method == "POST");
        let events = sent.filter_map(|call| serde_json::from_str::<Value>(&call.body).ok());
        events.filter(|event| event["reason"] == reason && event["regarding"]["name"] == name).collect()
    }

    /// Their notes.
    #[must_use]
    pub fn notes(&self, name: &str, reason: &str) -> Vec<String> {
        self.sent(name, reason).iter().filter_map(|event| event["note"].as_str().map(ToOwned::to_owned)).collect()
    }

    /// The events about an object.
    ///
    /// # Panics
    /// They cannot be listed.
    pub async fn events(&self, name: &str) -> Vec<Event> {
        let all = self.api::<Event>().list(&ListParams::default()).await.expect("events can be listed");
        all.items.into_iter().filter(|event| event.involved_object.name.as_deref() == Some(name)).collect()
    }

    /// Starts an operator for the namespace of this test, over the wire.
    #[must_use]
    pub fn operator<R: Reconciler<Object: ReconciledKind>>(&self, deps: R::Deps) -> Running {
        Running::start(self.prepare::<R>(deps))
    }

    /// Prepares an operator for the namespace of this test, over the wire; start it with [`Running::start`].
    pub fn prepare<R: Reconciler<Object: ReconciledKind>>(&self, deps: R::Deps) -> Operator {
        self.prepare_in::<R>(&[&self.namespace], deps)
    }

    /// The same as [`prepare`](Self::prepare), for these namespaces.
    pub fn prepare_in<R: Reconciler<Object: ReconciledKind>>(&self, namespaces: &[&str], deps: R::Deps) -> Operator {
        self.wire.observers().know::<R>();
        let operator = Operator::new("tester").client(self.wire.client(&self.client)).namespaces(namespaces);
        // Each form of the cache has to serve all tests: text on the real servers, whole objects in the process.
        let operator = if self.cluster.is_none() { operator.compact_cache(NonZeroUsize::MIN) } else { operator };
        operator.reconciler::<R>(deps)
    }

    /// The in-process server.
    ///
    /// # Panics
    /// The server is a real one.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("this test runs on the in-process server")
    }

    /// Removes the objects of the test from a real server.
    pub async fn clean(self) {
        if self.cluster.is_none() {
            self.leftovers.remove(&self.client).await;
        }
    }
}

/// Fails the test if a status misled observers.
impl Drop for World {
    fn drop(&mut self) {
        let complaints = self.wire.observers().complaints();
        assert!(std::thread::panicking() || complaints.is_empty(), "kstatus is misled:\n{}", complaints.join("\n"));
    }
}

/// The folder of the real API servers; `None`, with a visible line, if they are not available.
#[must_use]
pub fn servers() -> Option<PathBuf> {
    let folder = std::env::var_os("EVENKEEL_REAL_APISERVER").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: EVENKEEL_REAL_APISERVER is not set, so the real API servers are not asked");
    }
    folder
}

async fn real(kubeconfig: &str) -> Option<Client> {
    Some(client_of(&servers()?.join(kubeconfig)).await)
}

/// A client for the server of a kubeconfig.
///
/// # Panics
/// The kubeconfig cannot be used.
pub async fn client_of(kubeconfig: &Path) -> Client {
    let config = Kubeconfig::read_from(kubeconfig).expect("the kubeconfig of the real server");
    let mut config =
        Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await.expect("a usable kubeconfig");
    config.default_retry = false;
    Client::try_from(config).expect("a client")
}

/// Tests a behaviour on each server: `on_each_server!(a_sentence);` runs `async fn a_sentence(world: World)`.
#[macro_export]
macro_rules! on_each_server {
    ($($case:ident),* $(,)?) => {
        mod in_process { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() { $crate::test_env::show($crate::test_env::Server::InProcess, super::$case).await }
        )* }
        mod modern { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() { $crate::test_env::show($crate::test_env::Server::Modern, super::$case).await }
        )* }
        mod full { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() { $crate::test_env::show($crate::test_env::Server::Full, super::$case).await }
        )* }
    };
}

/// Runs a case in a world on the server, if that is available.
pub async fn show<F: Future<Output = World>>(server: Server, case: impl FnOnce(World) -> F) {
    if let Some(world) = World::on(server).await {
        case(world).await.clean().await;
    }
}

//! The public face: a cluster to start, to take clients from, and to look into.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use serde_json::json;

use crate::apply::{Actor, Lists, Rules, track_update};
use crate::counters::Work;
use crate::discovery::Release;
use crate::fault::Faults;
use crate::gc;
use crate::log::Log;
use crate::rbac;
use crate::registry::Storage;
use crate::state::{Options, Server};
use crate::store::Write;
use crate::strategy;
use crate::transport::{http, inprocess};

pub use crate::transport::http::Serving;

/// The namespaces every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// A Kubernetes API server in this process. Cheap to clone; all clones are one cluster.
///
/// ```
/// use evenkeel_testkit::Cluster;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::Api;
/// use kube::api::PostParams;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// let cluster = Cluster::start().await;
/// let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("colours".into());
/// let map = maps.create(&PostParams::default(), &map).await?;
/// assert!(map.metadata.resource_version.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    server: Arc<Server>,
}

/// Choices made before a cluster starts.
///
/// ```
/// use std::time::Duration;
/// use evenkeel_testkit::Cluster;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cluster = Cluster::builder().bookmark_interval(Duration::from_secs(1)).minor_version(34).start().await;
/// # let _ = cluster;
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
}

impl Builder {
    /// How many changes of each resource a watch can go back; 10,000 unless set.
    #[must_use]
    pub fn watch_history(mut self, changes: usize) -> Self {
        self.options.history = changes;
        self
    }

    /// Time between two bookmarks of a watch that asked for them; a minute unless set.
    #[must_use]
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.options.bookmarks = interval;
        self
    }

    /// Time the garbage collector and the namespace controller let pass before they act; none unless set.
    #[must_use]
    pub fn gc_delay(mut self, delay: Duration) -> Self {
        self.options.gc_delay = delay;
        self
    }

    /// The minor version of Kubernetes 1 the server says it is, which kubectl chooses its own by. Before 22 whoever creates an object comes to
    /// own all of its status, and before 23 an apply that creates a Service may not name a version, as the servers of that time have it; all
    /// other rules stay those of today.
    #[must_use]
    pub fn minor_version(mut self, minor: u16) -> Self {
        self.options.release = Release { minor };
        self
    }

    /// Lets the roles in the store decide who may do what; without it everyone may do everything.
    ///
    /// [`Cluster::client`] and plain HTTP stay the administrator's; others come by [`Cluster::client_as`], by a bearer token
    /// or by the headers of impersonation. The roles `cluster-admin`, `system:basic-user`, `system:discovery` and
    /// `system:public-info-viewer` are there from the start.
    ///
    /// ```
    /// use evenkeel_testkit::Cluster;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube::Api;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let cluster = Cluster::builder().rbac().start().await;
    /// let maps: Api<ConfigMap> = Api::namespaced(cluster.client_as("jane"), "default");
    /// let refused = maps.get("a").await.unwrap_err().to_string();
    /// assert!(refused.contains(r#"User "jane" cannot get resource "configmaps""#));
    /// # }
    /// ```
    #[must_use]
    pub fn rbac(mut self) -> Self {
        self.options.rbac = true;
        self
    }

    /// Lets requests with this bearer token be those of a user, `system:admin` being the administrator. From the first one on HTTP needs a token: a request without is
    /// refused (401) or, with [`Builder::rbac`], anonymous. In both cases the tokens that service accounts request are theirs.
    #[must_use]
    pub fn bearer(mut self, token: &str, user: &str) -> Self {
        self.options.identities.add(token, user);
        self
    }

    /// Starts the cluster: the four namespaces of every cluster exist, and nothing else.
    ///
    /// Runs inside the calling tokio runtime, and under its clock: with paused time all timers of the server are virtual.
    pub async fn start(self) -> Cluster {
        let server = Arc::new(Server::new(self.options));
        gc::spawn(&server);
        plant(&server);
        Cluster { server }
    }
}

impl Cluster {
    /// Starts a cluster with the usual choices.
    pub async fn start() -> Cluster {
        Cluster::builder().start().await
    }

    /// Chooses before the start.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A client whose requests reach the server without a socket; its namespace is `default`.
    ///
    /// Call it inside the tokio runtime that is to run the client.
    #[must_use]
    pub fn client(&self) -> Client {
        inprocess::client(&self.server, "default", None)
    }

    /// A client that asks as this user, as by impersonation: `jane`, `system:serviceaccount:default:robot` or `system:anonymous`.
    ///
    /// It differs from [`Cluster::client`] only in a cluster that was built with [`Builder::rbac`].
    #[must_use]
    pub fn client_as(&self, user: &str) -> Client {
        inprocess::client(&self.server, "default", http_header(user))
    }

    /// Serves on a free loopback port until the result is dropped.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn serve(&self) -> io::Result<Serving> {
        self.serve_on(0).await
    }

    /// Serves on a given loopback port until the result is dropped.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn serve_on(&self, port: u16) -> io::Result<Serving> {
        http::serve(Arc::clone(&self.server), port).await
    }

    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The request log.
    #[must_use]
    pub fn log(&self) -> Log {
        self.server.log.clone()
    }

    /// The fault rules.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.server.faults.clone()
    }

    /// Forgets the past, as etcd's compaction does: versions and continue tokens from before answer 410.
    pub fn compact(&self) {
        self.server.store.compact();
        self.server.pages.clear();
    }

    /// Ends all running watches, as a restart of an API server does.
    pub fn drop_watches(&self) {
        self.server.drops.send_modify(|drops| *drops += 1);
    }

    /// What `kubectl logs` and [`kube::Api::logs`] tell of a container from now on.
    ///
    /// Nobody runs here: without it a pod has an empty log until it has a `nodeName`, and one that is refused (400) until the status
    /// says that the container runs or has run. `tailLines` and `limitBytes` are heeded; following, previous logs, time stamps and the
    /// logs since some time are not done (501).
    ///
    /// ```
    /// use evenkeel_testkit::Cluster;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube::Api;
    /// use kube::api::{LogParams, PostParams};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cluster = Cluster::start().await;
    /// let pods: Api<Pod> = Api::namespaced(cluster.client(), "default");
    /// let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    /// pods.create(&PostParams::default(), &serde_json::from_value(pod)?).await?;
    /// cluster.set_log("default", "p", "c", "one\ntwo\n");
    /// let last = LogParams { tail_lines: Some(1), ..LogParams::default() };
    /// assert_eq!(pods.logs("p", &last).await?, "two\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_log(&self, namespace: &str, pod: &str, container: &str, text: &str) {
        self.server.texts.set([namespace, pod, container], text);
    }

    /// What the cluster has done so far, in counts; the difference of two shows the cost of what came between.
    #[must_use]
    pub fn work(&self) -> Work {
        self.server.store.tally.read()
    }

    /// The newest resource version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.server.store.version()
    }
}

/// A name that is no header value is nobody's: asked as such it has no rights.
fn http_header(user: &str) -> Option<::http::HeaderValue> {
    Some(::http::HeaderValue::from_str(user).unwrap_or(::http::HeaderValue::from_static("system:anonymous")))
}

/// What every cluster has.
pub(crate) fn plant(server: &Arc<Server>) {
    for name in NAMESPACES {
        seed_namespace(server, name);
    }
    if server.options.rbac {
        rbac::plant(server);
    }
}

fn seed_namespace(server: &Server, name: &str) {
    let Some(kind) = server.catalog().registry.lookup("", "v1", "namespaces") else { return };
    let mut object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    if strategy::fresh(&kind, None, &server.clock.stamp(), &mut object).is_ok() {
        own(server, &mut object);
        strategy::complete(&kind, &mut object);
        let key = (String::new(), name.to_owned());
        // The store is empty, so nothing can come between.
        let _ =
            server.store.commit(Write { resource: Storage::new("", "namespaces"), key, old: None, new: Some(object) });
    }
}

/// The API server writes its own namespaces.
fn own(server: &Server, object: &mut serde_json::Value) {
    let time = server.clock.stamp();
    let actor =
        Actor { manager: "kube-apiserver", api_version: "v1", subresource: None, time: &time, rules: Rules::default() };
    track_update(None, object, Lists::Deduced, &actor);
}

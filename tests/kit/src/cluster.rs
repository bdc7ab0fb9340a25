//! The public API of the server: starts a cluster, and returns its clients, its log and its state.

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

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An in-process Kubernetes API server. Clones are cheap and share the same state.
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

/// Options of a cluster, set before its start.
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
    /// Sets the number of retained changes per resource; 10,000 by default.
    ///
    /// A watch from an older version fails with 410 Expired.
    #[must_use]
    pub fn watch_history(mut self, changes: usize) -> Self {
        self.options.history = changes;
        self
    }

    /// Sets the interval between bookmarks of a watch; one minute by default.
    #[must_use]
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.options.bookmarks = interval;
        self
    }

    /// Sets the delay of garbage collection; zero by default.
    ///
    /// It also applies to the deletion of namespaces and CRDs.
    #[must_use]
    pub fn gc_delay(mut self, delay: Duration) -> Self {
        self.options.gc_delay = delay;
        self
    }

    /// Sets the reported minor version of Kubernetes 1.
    ///
    /// Clients such as kubectl read it. Two rules depend on it; all others are those of current servers:
    ///
    /// - Before 1.22, the creator of an object owns all fields of its status.
    /// - Before 1.23, an apply that creates a Service must not contain a resource version.
    #[must_use]
    pub fn minor_version(mut self, minor: u16) -> Self {
        self.options.release = Release { minor };
        self
    }

    /// Enables RBAC. By default, every request is allowed.
    ///
    /// [`Cluster::client`] and HTTP requests without credentials act as the administrator. Requests act as another user
    /// through [`Cluster::client_as`], a bearer token or the impersonation headers. The cluster roles `cluster-admin`,
    /// `system:basic-user`, `system:discovery` and `system:public-info-viewer` exist from the start.
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

    /// Adds a bearer token for a user; `system:admin` is the administrator.
    ///
    /// As soon as there is a token, HTTP requests require one. A request without a token is rejected (401) or, with
    /// [`Builder::rbac`], anonymous. A token from a TokenRequest authenticates its ServiceAccount in both cases.
    #[must_use]
    pub fn bearer(mut self, token: &str, user: &str) -> Self {
        self.options.identities.add(token, user);
        self
    }

    /// Starts the cluster.
    ///
    /// It contains the four initial namespaces and, with [`Builder::rbac`], the initial roles.
    ///
    /// The server runs in the calling tokio runtime and uses its clock: under paused time, all its timers are virtual.
    pub async fn start(self) -> Cluster {
        let server = Arc::new(Server::new(self.options));
        gc::spawn(&server);
        plant(&server);
        Cluster { server }
    }
}

impl Cluster {
    /// Starts a cluster with default options.
    pub async fn start() -> Cluster {
        Cluster::builder().start().await
    }

    /// Returns a builder, to set options before the start.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns a client that calls the server without a socket.
    ///
    /// Its default namespace is `default`. Call this inside the tokio runtime that runs the client.
    #[must_use]
    pub fn client(&self) -> Client {
        inprocess::client(&self.server, "default", None)
    }

    /// Returns a client that impersonates a user.
    ///
    /// The user is a name such as `jane`, `system:serviceaccount:default:robot` or `system:anonymous`.
    ///
    /// The client differs from [`Cluster::client`] only if the cluster was built with [`Builder::rbac`].
    #[must_use]
    pub fn client_as(&self, user: &str) -> Client {
        inprocess::client(&self.server, "default", http_header(user))
    }

    /// Serves the API over HTTP on a free loopback port until the result is dropped.
    ///
    /// # Errors
    /// Returns an error if no port can be bound.
    pub async fn serve(&self) -> io::Result<Serving> {
        self.serve_on(0).await
    }

    /// Serves the API over HTTP on the given loopback port until the result is dropped.
    ///
    /// # Errors
    /// Returns an error if the port is in use.
    pub async fn serve_on(&self, port: u16) -> io::Result<Serving> {
        http::serve(Arc::clone(&self.server), port).await
    }

    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Returns the request log.
    #[must_use]
    pub fn log(&self) -> Log {
        self.server.log.clone()
    }

    /// Returns the fault rules.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.server.faults.clone()
    }

    /// Discards the history, as an etcd compaction does.
    ///
    /// Requests with older resource versions or continue tokens then fail with 410 Expired.
    pub fn compact(&self) {
        self.server.store.compact();
        self.server.pages.clear();
    }

    /// Closes all running watches, as a restart of an API server does.
    pub fn drop_watches(&self) {
        self.server.drops.send_modify(|drops| *drops += 1);
    }

    /// Deletes an object in spite of its finalizers. Returns whether it existed.
    ///
    /// An API server does so if it receives a delete request just before the first finalizer is added
    /// (kubernetes/kubernetes#77988). The deleted object was never marked for deletion.
    ///
    /// ```
    /// use evenkeel_testkit::Cluster;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let cluster = Cluster::start().await;
    /// let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/a]}}";
    /// cluster.seed(map).await.unwrap();
    /// assert!(cluster.delete_despite_finalizers::<ConfigMap>("default", "a"));
    /// assert_eq!(cluster.snapshot().to_string(), "");
    /// # }
    /// ```
    pub fn delete_despite_finalizers<K: kube::Resource<DynamicType = ()>>(&self, namespace: &str, name: &str) -> bool {
        let (resource, key) = (Storage::new(&K::group(&()), &K::plural(&())), (namespace.to_owned(), name.to_owned()));
        let store = &self.server.store;
        // Another write may come in between.
        while let Some(old) = store.get(&resource, &key) {
            let write = Write { resource: resource.clone(), key: key.clone(), old: Some(old), new: None };
            if store.commit(write).is_ok() {
                return true;
            }
        }
        false
    }

    /// Sets the log of a container, as [`kube::Api::logs`] returns it.
    ///
    /// Without it, the log is empty while the pod has no `nodeName`. Once it has one, the request fails (400) until the
    /// status reports the container as running or terminated.
    ///
    /// `tailLines` and `limitBytes` are supported. Following a log, previous logs, timestamps and logs since a given time
    /// are not (501).
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

    /// Returns counts of the work done so far.
    ///
    /// The difference of two values is the cost of the operations in between.
    #[must_use]
    pub fn work(&self) -> Work {
        self.server.store.tally.read()
    }

    /// Returns the latest resource version.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.server.store.version()
    }
}

/// Returns the user as a header value. A name that no header can contain becomes the anonymous user, without permissions.
fn http_header(user: &str) -> Option<::http::HeaderValue> {
    Some(::http::HeaderValue::from_str(user).unwrap_or(::http::HeaderValue::from_static("system:anonymous")))
}

/// Creates the initial objects of every cluster.
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
        // The store is empty, so there can be no conflict.
        let _ =
            server.store.commit(Write { resource: Storage::new("", "namespaces"), key, old: None, new: Some(object) });
    }
}

/// Records the API server as the manager of a namespace that it creates.
fn own(server: &Server, object: &mut serde_json::Value) {
    let time = server.clock.stamp();
    let actor =
        Actor { manager: "kube-apiserver", api_version: "v1", subresource: None, time: &time, rules: Rules::default() };
    track_update(None, object, Lists::Deduced, &actor);
}

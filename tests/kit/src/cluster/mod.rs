//! The public API of the server: starts a cluster, and returns its clients, its log and its state.

mod builder;
mod initial;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use ::http::{Request, Response};
use axum::body::Body;
use kube::Client;
use tower::Service;

use crate::counters::Work;
use crate::fault::Faults;
use crate::gc;
use crate::log::Log;
use crate::registry::Storage;
use crate::state::Server;
use crate::store::Write;
use crate::transport::http;
use crate::transport::inprocess::ClusterService;
use crate::webhook_backend::Backend;

pub use crate::transport::http::Serving;
pub use builder::Builder;
pub(crate) use initial::plant;

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

impl Builder {
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
        Client::new(self.service(), "default")
    }

    /// Returns a client that impersonates a user.
    ///
    /// The user is a name such as `jane`, `system:serviceaccount:default:robot` or `system:anonymous`.
    ///
    /// The client differs from [`Cluster::client`] only if the cluster was built with [`Builder::rbac`].
    #[must_use]
    pub fn client_as(&self, user: &str) -> Client {
        Client::new(self.service().acting_as(http_header(user)), "default")
    }

    /// Returns a client of a pod: it acts as its ServiceAccount, and its default namespace is that of the pod.
    #[cfg(feature = "manifests")]
    pub(crate) fn client_in(&self, namespace: &str, user: &str) -> Client {
        Client::new(self.service().acting_as(http_header(user)), namespace)
    }

    /// Returns the HTTP client of [`Cluster::client`], for a client with layers of its own.
    ///
    /// It takes requests with bodies of any type, and reads a body only when it handles the request.
    #[must_use]
    pub fn service(&self) -> ClusterService {
        ClusterService::new(&self.server)
    }

    /// Returns a client with a name, by which faults and the [log](crate::Entry::client) find its requests.
    ///
    /// It is for several processes of one program, whose user agents and field managers are the same.
    #[must_use]
    pub fn client_of(&self, process: &str) -> Client {
        Client::new(self.service_of(process), "default")
    }

    /// Returns the HTTP client of [`Cluster::client_of`], for a client with layers of its own.
    #[must_use]
    pub fn service_of(&self, process: &str) -> ClusterService {
        self.service().named(process)
    }

    /// Holds all requests of a caller and all responses to it, as if its process were stopped.
    ///
    /// The caller is the name of a [client](Cluster::client_of), the first word of a User-Agent, or a field manager. The
    /// bodies of its requests are not read: a stopped process has not handed them to its connection. A request that its
    /// caller gives up in the meantime never arrives. [`Cluster::resume`] ends the pause.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use evenkeel_testkit::Cluster;
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use kube::Api;
    /// use tokio::time::timeout;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> kube::Result<()> {
    /// let cluster = Cluster::start().await;
    /// let (one, other) = (Api::<Namespace>::all(cluster.client_of("one")), Api::<Namespace>::all(cluster.client_of("other")));
    /// cluster.pause("one");
    /// assert!(timeout(Duration::from_secs(60), one.get("default")).await.is_err());
    /// other.get("default").await?;
    /// cluster.resume("one");
    /// one.get("default").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn pause(&self, caller: &str) {
        self.server.holds.pause(caller);
    }

    /// Ends a [pause](Cluster::pause).
    pub fn resume(&self, caller: &str) {
        self.server.holds.resume(caller);
    }

    /// Holds all requests of a caller and all responses to it, as a network does that loses every packet.
    ///
    /// In contrast to a [pause](Cluster::pause), the caller hands its requests to the connection: their bodies are read at
    /// once, and they arrive as soon as [`Cluster::heal`] ends the partition, even those that the caller has given up.
    pub fn partition(&self, caller: &str) {
        self.server.holds.partition(caller);
    }

    /// Ends a [partition](Cluster::partition).
    pub fn heal(&self, caller: &str) {
        self.server.holds.heal(caller);
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

    /// Answers the webhooks of a Service in process, without a socket and without TLS.
    ///
    /// Webhook configurations name the Service in `clientConfig.service`. The service receives the reviews that a real
    /// server would send, such as an axum `Router` with the route of the webhook. A panic of the service fails the call. A
    /// second call with the same names replaces the service. Webhooks with a `clientConfig.url` are called over TLS and
    /// need no registration; under paused time their timeouts expire at once.
    ///
    /// ```
    /// use axum::{Json, Router, routing::post};
    /// use evenkeel_testkit::Cluster;
    /// use serde_json::{Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let refuse = |Json(review): Json<Value>| async move {
    ///     let response = json!({"uid": review["request"]["uid"], "allowed": false, "status": {"message": "not today"}});
    ///     Json(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
    /// };
    /// let cluster = Cluster::start().await;
    /// cluster.webhook_service("default", "checks", Router::new().route("/maps", post(refuse)));
    /// cluster.seed(r#"
    /// apiVersion: admissionregistration.k8s.io/v1
    /// kind: ValidatingWebhookConfiguration
    /// metadata: {name: checks}
    /// webhooks:
    /// - name: maps.checks.example.com
    ///   rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    ///   clientConfig: {service: {namespace: default, name: checks, path: /maps}}
    ///   admissionReviewVersions: [v1]
    ///   sideEffects: None
    /// "#).await.unwrap();
    /// let refused = cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap_err();
    /// assert!(refused.to_string().contains("denied the request: not today"), "{refused}");
    /// # }
    /// ```
    pub fn webhook_service<S>(&self, namespace: &str, name: &str, service: S)
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        self.server.webhooks.set(namespace, name, Backend::new(service));
    }

    /// Removes the service of [`Cluster::webhook_service`], so that calls of its webhooks fail.
    pub fn remove_webhook_service(&self, namespace: &str, name: &str) {
        self.server.webhooks.remove(namespace, name);
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

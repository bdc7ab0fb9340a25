//! The options of a cluster.

use std::time::Duration;

use crate::discovery::Release;
use crate::state::Options;

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
    pub(super) options: Options,
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
    /// [`Cluster::client`](crate::Cluster::client) and HTTP requests without credentials act as the administrator. Requests act as another user
    /// through [`Cluster::client_as`](crate::Cluster::client_as), a bearer token or the impersonation headers. The cluster roles `cluster-admin`,
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

    /// Enables shard selectors (`shardSelector`), as the feature gate `ShardedListAndWatch` of an API server does.
    ///
    /// It is an alpha feature (KEP-5866). By default, the parameter is ignored, as on other API servers.
    ///
    /// ```
    /// use evenkeel_testkit::Cluster;
    /// use kube::client::Body;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let list = || http::Request::get("/api/v1/namespaces?shardSelector=rubbish").body(Body::empty());
    /// assert_eq!(Cluster::start().await.client().send(list()?).await?.status(), 200);
    /// let cluster = Cluster::builder().sharding().start().await;
    /// assert_eq!(cluster.client().send(list()?).await?.status(), 500);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn sharding(mut self) -> Self {
        self.options.sharding = true;
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
}

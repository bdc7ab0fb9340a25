//! Initial objects of a cluster, from YAML or from typed values.

mod bulk;
mod create;
mod document;
mod error;
mod stored;
mod uid;

pub use error::SeedError;

use kube::Resource;
use serde::Serialize;
use serde_json::Value;

use crate::cluster::Cluster;
use document::Document;

/// Initial objects for [`Cluster::seed`].
///
/// They are created from YAML or JSON text (`"..".into()`), from a JSON value, or from a typed object
/// (`(&object).into()`), and combined with [`and`](Seed::and).
///
/// ```
/// # use evenkeel_testkit::{Cluster, Seed};
/// # use k8s_openapi::api::core::v1::Secret;
/// # use kube::Api;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cluster = Cluster::start().await;
/// let mut token = Secret::default();
/// token.metadata.name = Some("token".into());
/// let seed = Seed::from("{apiVersion: v1, kind: ConfigMap, metadata: {name: colours, namespace: paint}}").and(&token);
/// cluster.seed(seed).await.unwrap();
/// assert!(Api::<Secret>::namespaced(cluster.client(), "default").get("token").await.is_ok());
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Seed {
    documents: Vec<Document>,
    status_manager: Option<String>,
    error: Option<SeedError>,
}

impl Seed {
    /// Adds further objects.
    #[must_use]
    pub fn and(mut self, more: impl Into<Seed>) -> Self {
        let more = more.into();
        let before = self.documents.len();
        self.documents.extend(more.documents.into_iter().map(|document| document.after(before)));
        self.status_manager = self.status_manager.or(more.status_manager);
        self.error = self.error.or(more.error);
        self
    }

    /// Adds the CRD of a reconciled kind, if the program has it.
    #[cfg(feature = "evenkeel")]
    pub(crate) fn and_definition<K: evenkeel::ReconciledKind>(self) -> Self {
        match K::definition() {
            Some(definition) => self.and(&definition),
            None => self,
        }
    }

    /// Creates this many copies of each object, for tests with many objects.
    ///
    /// Their names are `<name>-0`, `<name>-1` and so on.
    ///
    /// Only the last one passes through the validation of the server. The others are copies of it with another name, uid
    /// and version, which take some microseconds each. A validation rule that reads the name is therefore evaluated only
    /// for the last one. CRDs and Services are exceptions: each of them is created separately.
    ///
    /// ```
    /// # use evenkeel_testkit::{Cluster, Seed};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube::Api;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> kube::Result<()> {
    /// let cluster = Cluster::start().await;
    /// let map = Seed::from("{apiVersion: v1, kind: ConfigMap, metadata: {name: map}, data: {sky: blue}}");
    /// cluster.seed(map.times(100)).await.unwrap();
    /// let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    /// assert_eq!(maps.get("map-7").await?.data.unwrap()["sky"], "blue");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn times(mut self, count: usize) -> Self {
        self.documents.iter_mut().for_each(|document| document.times = Some(count));
        self
    }

    /// Sets the field manager of the given statuses; `seed` by default.
    ///
    /// With server-side apply, only that manager can remove conditions again. The manager of a reconciler of evenkeel is
    /// `<operator>/<reconciler>`.
    #[must_use]
    pub fn status_by(mut self, manager: &str) -> Self {
        self.status_manager = Some(manager.to_owned());
        self
    }
}

#[cfg(feature = "evenkeel")]
impl Seed {
    /// Returns the objects as they were given.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Value> {
        self.documents.iter().map(|document| &document.object)
    }

    /// Changes each object.
    pub(crate) fn each(&mut self, change: &mut dyn FnMut(&mut Value)) {
        self.documents.iter_mut().for_each(|document| change(&mut document.object));
    }

    /// Returns the number of objects of a kind.
    pub(crate) fn count(&self, kind: &str) -> usize {
        let of_kind = self.documents.iter().filter(|document| document.object["kind"] == kind);
        of_kind.map(|document| document.times.unwrap_or(1)).sum()
    }
}

impl From<&str> for Seed {
    fn from(text: &str) -> Self {
        match document::read(text) {
            Ok(documents) => Seed { documents, ..Seed::default() },
            Err(error) => Seed { error: Some(error), ..Seed::default() },
        }
    }
}

impl From<String> for Seed {
    fn from(text: String) -> Self {
        Seed::from(text.as_str())
    }
}

/// One object, a `List`, or an array of objects.
impl From<Value> for Seed {
    fn from(value: Value) -> Self {
        Seed { documents: document::unpack(value, 1), ..Seed::default() }
    }
}

/// A typed object, of k8s-openapi or of `#[derive(CustomResource)]`.
impl<K: Resource<DynamicType = ()> + Serialize> From<&K> for Seed {
    fn from(object: &K) -> Self {
        match serde_json::to_value(object) {
            Ok(mut value) => {
                // Types of k8s-openapi serialize both, some hand-written types do not.
                value["apiVersion"] = K::api_version(&()).into();
                value["kind"] = K::kind(&()).into();
                Seed::from(value)
            }
            Err(error) => Seed { error: Some(SeedError::unread(1, error.to_string())), ..Seed::default() },
        }
    }
}

impl Cluster {
    /// Creates objects before a test begins.
    ///
    /// These requests are not in the request log, and fault rules do not apply to them.
    ///
    /// - Order: CRDs are created first, then namespaces, then all other objects in the given order.
    /// - Namespaces: a missing namespace is created. An object without a namespace is created in `default`.
    /// - Status: it is stored as given.
    /// - Deletion: an object with a `deletionTimestamp` is deleted after its creation, so it needs a finalizer.
    /// - Owner references: the owner is found among the seeds, by uid or, if there is none, by kind and name.
    /// - Metadata: a given uid is stored. It must be a UUID that no other object has. The server sets a missing uid, and
    ///   the resource version and the timestamps of each object.
    ///
    /// ```
    /// # use evenkeel_testkit::Cluster;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube::Api;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> kube::Result<()> {
    /// let cluster = Cluster::start().await;
    /// cluster.seed("
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: colours, namespace: paint}
    /// data: {sky: blue}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: web}
    /// spec: {ports: [{port: 80}]}
    /// status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}
    /// ").await.unwrap();
    /// let colours = Api::<ConfigMap>::namespaced(cluster.client(), "paint").get("colours").await?;
    /// assert_eq!(colours.data.unwrap()["sky"], "blue");
    ///
    /// let refused = cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dat: {}}").await;
    /// let message = refused.unwrap_err().to_string();
    /// assert!(message.starts_with("document 1 (ConfigMap default/a) is refused: "));
    /// assert!(message.ends_with("unknown field \"dat\""));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error for the first document that cannot be read or that the server rejects. It contains the number, the
    /// object and the field. If the server rejects a document, the objects before it stay in the cluster.
    pub async fn seed(&self, seed: impl Into<Seed>) -> Result<(), SeedError> {
        let Seed { documents, status_manager, error } = seed.into();
        match error {
            Some(error) => Err(error),
            None => create::plant(self.server(), documents, status_manager).await,
        }
    }
}

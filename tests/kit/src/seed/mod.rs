//! Objects that a cluster starts with, from YAML or from typed values.

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

/// Objects for [`Cluster::seed`]: text in YAML or JSON (`"..".into()`), a value, a typed object (`(&object).into()`), and any of them
/// added to others.
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
    /// These objects and those.
    #[must_use]
    pub fn and(mut self, more: impl Into<Seed>) -> Self {
        let more = more.into();
        let before = self.documents.len();
        self.documents.extend(more.documents.into_iter().map(|document| document.after(before)));
        self.status_manager = self.status_manager.or(more.status_manager);
        self.error = self.error.or(more.error);
        self
    }

    /// So many of each object instead of one, called `<name>-0`, `<name>-1` and so on: a crowd for a test of many.
    ///
    /// The last of them is stored by all rules of the server. The others are its copies, but for name, uid and version, which takes some
    /// microseconds each; a validation rule that reads the name is asked about the last one only.
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

    /// Statuses are stored as this field manager applied them, which then may take conditions away again; `seed` owns them otherwise.
    ///
    /// The manager of a reconciler of evenkeel is `<operator>/<reconciler>`.
    #[must_use]
    pub fn status_by(mut self, manager: &str) -> Self {
        self.status_manager = Some(manager.to_owned());
        self
    }
}

#[cfg(feature = "evenkeel")]
impl Seed {
    /// The objects as they were given.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Value> {
        self.documents.iter().map(|document| &document.object)
    }

    /// Changes each object.
    pub(crate) fn each(&mut self, change: &mut dyn FnMut(&mut Value)) {
        self.documents.iter_mut().for_each(|document| change(&mut document.object));
    }

    /// How many objects of the kind there are.
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
                // Types of k8s-openapi write both already; some hand-written ones do not.
                value["apiVersion"] = K::api_version(&()).into();
                value["kind"] = K::kind(&()).into();
                Seed::from(value)
            }
            Err(error) => Seed { error: Some(SeedError::unread(1, error.to_string())), ..Seed::default() },
        }
    }
}

impl Cluster {
    /// Puts objects into the cluster before a test begins. Neither the request log nor fault rules take note of it.
    ///
    /// Definitions go first, then namespaces, then the rest in the order given. Namespaces that nobody declared are made; an object
    /// without a namespace goes to `default`. Statuses are kept. An object with a `deletionTimestamp` is deleted after it was made,
    /// so it needs a finalizer. Owner references find their owner among the seeds, by uid or, without one, by kind and name. A uid is
    /// kept; one that is no UUID, or that another object has, is refused. The server sets it where there is none, and version and
    /// times of every new object.
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
    /// let told = refused.unwrap_err().to_string();
    /// assert!(told.starts_with("document 1 (ConfigMap default/a) is refused: "));
    /// assert!(told.ends_with("unknown field \"dat\""));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first document that cannot be read or that the server refuses, with its number, object and field. Those before it stay.
    pub async fn seed(&self, seed: impl Into<Seed>) -> Result<(), SeedError> {
        let Seed { documents, status_manager, error } = seed.into();
        match error {
            Some(error) => Err(error),
            None => create::plant(self.server(), documents, status_manager).await,
        }
    }
}

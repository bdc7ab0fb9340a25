//! Objects that a server stored earlier, for upgrade tests.

use serde_json::Value;

use super::SeedError;
use crate::cluster::Cluster;
use crate::registry::split;
use crate::strategy::meta;

impl Cluster {
    /// Stores objects exactly as given, as after a restore of etcd.
    ///
    /// This includes uid, resource version, generation, timestamps and field owners. The server does not validate the
    /// objects. Seed their CRDs first.
    ///
    /// An upgrade test can store the objects of a released version of an operator in a file, and start the current version
    /// with them.
    ///
    /// ```
    /// # use evenkeel_testkit::Cluster;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube::{Api, ResourceExt};
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> kube::Result<()> {
    /// let cluster = Cluster::start().await;
    /// let meta = json!({ "name": "a", "namespace": "default", "uid": "00000000-0000-4000-8000-000000000001", "resourceVersion": "700" });
    /// cluster.seed_stored([json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta })]).unwrap();
    /// let map = Api::<ConfigMap>::default_namespaced(cluster.client()).get("a").await?;
    /// assert_eq!((map.resource_version().as_deref(), cluster.version()), (Some("700"), 700));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the kind of an object is not served, or if an object has no name or no resource version. No
    /// object is stored then.
    pub fn seed_stored(&self, objects: impl IntoIterator<Item = Value>) -> Result<(), SeedError> {
        let server = self.server();
        let (mut saved, catalog) = (server.store.saved(), server.catalog());
        for (nth, object) in objects.into_iter().enumerate() {
            let (api_version, kind) = (text(&object, "apiVersion"), text(&object, "kind"));
            let refused = |why: &str| SeedError::about(nth + 1, &format!("{kind} {}", meta(&object, "name")), why);
            let (group, version) = split(api_version);
            let served = catalog.registry.by_gvk(group, version, kind);
            let served = served.ok_or_else(|| refused("its kind is not served; seed its definition first"))?;
            let version = meta(&object, "resourceVersion").parse().map_err(|_| refused("metadata.resourceVersion"))?;
            let key = (meta(&object, "namespace").to_owned(), meta(&object, "name").to_owned());
            if key.1.is_empty() || served.namespaced == key.0.is_empty() {
                return Err(refused("metadata.name and metadata.namespace: not as its kind has them"));
            }
            saved.put(&served.storage, key, object, version);
        }
        server.store.restore(&saved);
        Ok(())
    }
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

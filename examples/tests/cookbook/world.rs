//! A cluster for the test of a recipe, in virtual time.

use std::fmt::Debug;
use std::time::Duration;

use evenkeel::{Operator, condition};
use evenkeel_testkit::{Cluster, Seed, eventually, until};
use futures::FutureExt;
use k8s_openapi::NamespaceResourceScope;
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use kube::{CustomResourceExt, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::kinds::Site;

const LONG: Duration = Duration::from_secs(3_600);

/// An object that a test reads.
pub trait Object: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + 'static {}
impl<K: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + 'static> Object for K {}

/// A site with this name and this spec.
pub fn site(name: &str, spec: &str) -> String {
    format!("{{apiVersion: cookbook.evenkeel.dev/v1, kind: Site, metadata: {{name: {name}}}, spec: {spec}}}")
}

/// The site `shop` with this spec.
pub fn shop(spec: &str) -> String {
    site("shop", spec)
}

/// An operator that runs until the test ends or stops it.
pub struct Running(oneshot::Sender<()>, tokio::task::JoinHandle<evenkeel::Result>);

impl Running {
    /// Stops the operator as SIGTERM does.
    pub async fn stop(self) {
        let _ = self.0.send(());
        self.1.await.unwrap().unwrap();
    }
}

/// The cluster of a test.
pub struct World {
    pub cluster: Cluster,
}

impl World {
    /// A cluster with the CRD of the sites, and with these objects.
    pub async fn with(objects: impl Into<Seed>) -> Self {
        let cluster = Cluster::start().await;
        cluster.seed(Seed::from(&Site::crd()).and(objects)).await.unwrap();
        Self { cluster }
    }

    /// Runs the operator.
    pub fn run(&self, operator: Operator) -> Running {
        let (stop, stopped) = oneshot::channel();
        let operator = operator.test_client(self.cluster.client()).run_until(stopped.map(drop));
        Running(stop, tokio::spawn(operator))
    }

    /// The objects of a kind in the namespace `default`.
    pub fn api<K: Object<Scope = NamespaceResourceScope>>(&self) -> Api<K> {
        Api::default_namespaced(self.cluster.client())
    }

    /// Changes an object.
    pub async fn change<K: Object<Scope = NamespaceResourceScope>>(&self, name: &str, change: Value) {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
    }

    /// Deletes an object.
    pub async fn delete<K: Object<Scope = NamespaceResourceScope>>(&self, name: &str) {
        self.api::<K>().delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Waits until the site `shop` has this condition, for example `False HostUnknown`, and returns its message.
    pub async fn shows(&self, type_: &str, wanted: &str) -> String {
        let found = |site: &Site| {
            let found = condition::find(&site.status.as_ref()?.conditions, type_)?;
            (format!("{} {}", found.status.as_str(), found.reason) == wanted).then(|| found.message.clone())
        };
        found(&until(&self.api::<Site>(), "shop", LONG, |site| found(site).is_some()).await).unwrap()
    }

    /// Waits until the object is gone.
    pub async fn is_gone<K: Object<Scope = NamespaceResourceScope>>(&self, name: &str) {
        let api = self.api::<K>();
        eventually(LONG, || async { api.get_opt(name).await.unwrap().is_none().then_some(()) }).await;
    }
}

/// Lets this many seconds of virtual time pass.
pub async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

//! All that surrounds one operator: an API server behind the proxy, the store, a namespace, and access to the objects in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::runtime::{conditions, wait};
use kube::{Api, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Result;
use crate::framework::{Framework, read};
use crate::gate::Gate;
use crate::operator::Operator;
use crate::proxy::Proxy;
use crate::requests::Counts;
use crate::service::Service;

/// How long the scenario waits for a state: longer than the longest usual pause between two tries.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// An operator has finished if it sends no request for this time.
pub const QUIET: Duration = Duration::from_secs(2);
/// The interval of an operator that is not to repeat anything during a test.
pub const NEVER: Duration = Duration::from_secs(36_000);
/// The Secret that exists from the beginning.
pub const LOGIN: &str = "login";
const NAMESPACE: &str = "comparison";

pub struct Site {
    pub framework: Framework,
    pub client: Client,
    pub proxy: Proxy,
    pub store: Service,
    pub gate: Arc<Gate>,
    folder: TempDir,
    operator: Option<Operator>,
}

impl Site {
    /// Prepares an API server for a framework: the CRD, a namespace, and a Secret in it.
    pub async fn open(framework: Framework, client: Client) -> Result<Self> {
        let crd: Value = serde_saphyr::from_str(&read("crd.yaml")?)?;
        let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
        let name = "buckets.storage.example.com";
        crds.patch(name, &PatchParams::apply("comparison"), &Patch::Apply(crd)).await?;
        wait::await_condition(crds, name, conditions::is_crd_established()).await?;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        namespaces.patch(NAMESPACE, &PatchParams::apply("comparison"), &Patch::Apply(namespace)).await?;
        let gate = Arc::new(Gate::default());
        let proxy = Proxy::start(client.clone(), gate.clone()).await?;
        let store = Service::start(gate.clone()).await?;
        let folder = tempfile::tempdir()?;
        let site = Self { framework, client, proxy, store, gate, folder, operator: None };
        site.write_secret(LOGIN, "alice").await?;
        Ok(site)
    }

    /// Starts the operator, with this interval between two checks of an unchanged object, and waits until it has nothing to do.
    pub async fn start(&mut self, interval: Duration) -> Result<()> {
        self.kill();
        let before = self.proxy.counts().watches;
        self.launch(interval)?;
        self.while_running("does not watch", || self.proxy.counts().watches == before).await?;
        self.rest().await
    }

    /// Starts the operator.
    pub fn launch(&mut self, interval: Duration) -> Result<()> {
        self.kill();
        let kubeconfig = self.folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, kubeconfig_for(&self.proxy.url()))?;
        let mut command = self.framework.command()?;
        command.env("KUBECONFIG", kubeconfig).env("STORE_URL", self.store.url());
        command.env("RESYNC_SECONDS", interval.as_secs().to_string());
        self.operator = Some(Operator::start(&mut command, &self.log())?);
        Ok(())
    }

    /// Kills the operator, if it runs.
    pub fn kill(&mut self) {
        self.operator = None;
    }

    pub fn operator(&self) -> Result<&Operator> {
        Ok(self.operator.as_ref().ok_or("the operator was not started")?)
    }

    /// The file with the output of the operator.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Waits until the operator has sent no request for a while.
    pub async fn rest(&self) -> Result<()> {
        self.while_running("is not idle", || self.proxy.quiet_for() < QUIET).await
    }

    /// Waits while something holds. The operator must not end meanwhile.
    async fn while_running(&self, state: &str, holds: impl Fn() -> bool) -> Result<()> {
        let start = Instant::now();
        while holds() {
            if !self.operator()?.is_running() {
                return Err(format!("the operator has ended: {}", self.last_lines()).into());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("the operator {state} after {PATIENCE:?}").into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    fn last_lines(&self) -> String {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// The requests of the operator during some work.
    pub async fn counted<T>(&self, work: impl Future<Output = Result<T>>) -> Result<(Counts, T)> {
        let before = self.proxy.counts();
        let result = work.await?;
        Ok((self.proxy.counts() - before, result))
    }

    #[must_use]
    pub fn buckets(&self) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("storage.example.com", "v1", "Bucket");
        Api::namespaced_with(self.client.clone(), NAMESPACE, &ApiResource::from_gvk(&kind))
    }

    #[must_use]
    pub fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    #[must_use]
    pub fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    /// Creates a Secret, or changes its user.
    pub async fn write_secret(&self, name: &str, user: &str) -> Result<()> {
        let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": { "user": user } });
        self.secrets().patch(name, &PatchParams::apply("comparison").force(), &Patch::Apply(secret)).await?;
        Ok(())
    }

    /// Creates a bucket, and returns its uid.
    pub async fn create(&self, name: &str, region: &str, secret: &str) -> Result<String> {
        let object = json!({
            "apiVersion": "storage.example.com/v1", "kind": "Bucket", "metadata": { "name": name },
            "spec": { "name": name, "region": region, "secret": secret },
        });
        let created = self.buckets().create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        Ok(created.metadata.uid.unwrap_or_default())
    }

    /// Changes the region of a bucket.
    pub async fn move_to(&self, name: &str, region: &str) -> Result<()> {
        let patch = json!({ "spec": { "region": region } });
        self.buckets().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await?;
        Ok(())
    }

    pub async fn delete(&self, name: &str) -> Result<()> {
        self.buckets().delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// The object as JSON; null if it does not exist.
    pub async fn bucket(&self, name: &str) -> Result<Value> {
        Ok(serde_json::to_value(self.buckets().get_opt(name).await?)?)
    }

    /// Waits until the object is as wanted, and returns it.
    pub async fn until(&self, what: &str, name: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let start = Instant::now();
        loop {
            let bucket = self.bucket(name).await?;
            if wanted(&bucket) {
                return Ok(bucket);
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{name} is not {what}; its status is {}", bucket["status"]).into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a condition outside of the object is met.
    pub async fn eventually<F: Future<Output = Result<bool>>>(&self, what: &str, met: impl Fn() -> F) -> Result<()> {
        let start = Instant::now();
        while !met().await? {
            if start.elapsed() > PATIENCE {
                return Err(format!("not within {PATIENCE:?}: {what}").into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}

fn kubeconfig_for(url: &str) -> String {
    let entry = |kind: &str, value: Value| json!([{ "name": "proxy", kind: value }]);
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "proxy",
        "clusters": entry("cluster", json!({ "server": url })),
        "users": entry("user", json!({})),
        "contexts": entry("context", json!({ "cluster": "proxy", "user": "proxy", "namespace": "default" })),
    });
    config.to_string()
}

/// A condition of an object; null if it is absent.
#[must_use]
pub fn condition<'a>(bucket: &'a Value, type_: &str) -> &'a Value {
    let conditions = bucket["status"]["conditions"].as_array();
    conditions.and_then(|list| list.iter().find(|condition| condition["type"] == type_)).unwrap_or(&Value::Null)
}

#[must_use]
pub fn is_ready(bucket: &Value) -> bool {
    let ready = condition(bucket, "Ready");
    ready["status"] == "True" && ready["observedGeneration"] == bucket["metadata"]["generation"]
}

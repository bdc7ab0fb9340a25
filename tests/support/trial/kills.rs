//! Kills an operator under load on a real API server, and checks the result.

use std::time::Duration;

use evenkeel_testkit::eventually;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::core::{CustomResourceExt, NamespaceResourceScope};
use kube::runtime::{conditions, wait};
use kube::{Client, Config, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::process::end_with_parent;
use super::{Process, Proxy, below, long, settle, skipped, wanted};
use crate::real::{RealServer, Version};

/// The variable with the address of the API server, for the process of the operator.
const API: &str = "EVENKEEL_TRIAL_API";

/// The objects of an operator under load.
pub trait Load {
    /// Creates, changes and deletes objects.
    fn change(&mut self) -> impl Future<Output = ()>;
    /// Deletes all objects.
    fn delete(&mut self) -> impl Future<Output = ()>;
    /// The objects that are not as they should be.
    fn wrong(&self) -> impl Future<Output = Vec<String>>;
}

/// A real API server with the CRD of an operator, and a proxy in front of it.
pub struct Site {
    /// A direct client of the server.
    pub client: Client,
    version: Version,
    proxy: Proxy,
    _server: RealServer,
}

impl Site {
    /// Starts a server of this version; `None`, with a visible line, if trials are disabled or the server is not available. The early
    /// version belongs to the long trials.
    ///
    /// # Panics
    /// The server rejects the CRD.
    pub async fn of<K>(version: Version) -> Option<Self>
    where
        K: CustomResourceExt + Resource<DynamicType = (), Scope = NamespaceResourceScope>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        if version == Version::Full && !long() {
            skipped("the long trials (EVENKEEL_TRIALS=all) run this");
            return None;
        }
        if !wanted() {
            return None;
        }
        let server = RealServer::start(version, true).await?;
        let client = server.client().await;
        install::<K>(&client, version).await;
        let proxy = Proxy::start(client.clone(), None).await;
        Some(Self { client, version, proxy, _server: server })
    }

    /// The variable with the address of the server for the operator's process.
    #[must_use]
    pub fn variable(&self) -> (&'static str, String) {
        (API, self.proxy.url())
    }

    /// Kills the operator that `start` starts, again and again, while the load changes `changes` times in each of its lives. In the end
    /// every object is correct, and nothing is left after all are deleted.
    ///
    /// # Panics
    /// Something is still wrong after the deadline.
    pub async fn endure(&self, load: &mut impl Load, changes: usize, start: impl Fn() -> Process) {
        let (version, kills) = (self.version, if long() { 30 } else { 3 });
        for _ in 0..kills {
            let mut operator = start();
            for _ in 0..changes {
                load.change().await;
            }
            tokio::time::sleep(Duration::from_millis(below(2_000))).await;
            operator.kill();
        }
        let _operator = start();
        settle(&format!("{version:?}, {kills} kills under load"), || load.wrong()).await;
        load.delete().await;
        settle(&format!("{version:?}, all objects deleted"), || load.wrong()).await;
    }
}

/// In the process of the operator: a client of the server, through the proxy; `None` if a test run started this process. The process ends
/// with its parent.
///
/// # Panics
/// The address is invalid.
#[must_use]
pub fn client_of_the_process() -> Option<Client> {
    let address = std::env::var(API).ok()?.parse().expect("an address");
    end_with_parent();
    Some(Client::try_from(Config::new(address)).expect("a client"))
}

/// Removes what Kubernetes 1.20 does not support: CEL rules, and a default of an empty string, which it reads as null.
fn fit_for_1_20(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "x-kubernetes-validations" && !(name == "default" && *value == ""));
            fields.values_mut().for_each(fit_for_1_20);
        }
        Value::Array(items) => items.iter_mut().for_each(fit_for_1_20),
        _ => {}
    }
}

async fn install<K>(client: &Client, version: Version)
where
    K: CustomResourceExt + Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + std::fmt::Debug + DeserializeOwned,
{
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let (name, mut crd) = (K::crd_name(), json!(K::crd()));
    if version == Version::Full {
        fit_for_1_20(&mut crd["spec"]["versions"]);
    }
    crds.patch(name, &PatchParams::apply("trial"), &Patch::Apply(crd)).await.expect("the CRD is accepted");
    wait::await_condition(crds, name, conditions::is_crd_established()).await.expect("it is established");
    // Its routes are available a moment later.
    let objects = Api::<K>::default_namespaced(client.clone());
    eventually(Duration::from_secs(60), || async { objects.list(&ListParams::default()).await.ok() }).await;
}

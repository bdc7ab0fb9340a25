//! Servers accept the objects, and a second apply changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::real::{RealServer, Version};
use evenkeel_tests::test_env::SOON;
use kube::api::{Patch, PatchParams};
use kube::core::{DynamicObject, GroupVersionKind};
use kube::discovery::{Scope, pinned_kind};
use kube::{Api, Client};
use serde_json::Value;

use crate::printed::{Example, id};

/// The versions of the applied objects, and the kinds that the server does not serve.
#[derive(Debug, Default, PartialEq)]
pub struct Applied {
    pub versions: BTreeMap<(String, String, String, String), String>,
    pub unserved: BTreeSet<String>,
}

/// Where the object is stored; `None`: the server does not serve its kind.
async fn api(client: &Client, object: &Value) -> Option<Api<DynamicObject>> {
    let (version, kind, namespace, _) = id(object);
    let (group, version) = version.split_once('/').unwrap_or(("", &version));
    let (resource, capabilities) = pinned_kind(client, &GroupVersionKind::gvk(group, version, &kind)).await.ok()?;
    Some(match capabilities.scope {
        Scope::Cluster => Api::all_with(client.clone(), &resource),
        Scope::Namespaced => Api::namespaced_with(client.clone(), &namespace, &resource),
    })
}

/// Applies the objects in their order, as `kubectl apply --server-side` does.
pub async fn apply(client: &Client, objects: &[Value]) -> Applied {
    let mut applied = Applied::default();
    for object in objects {
        let Some(api) = api(client, object).await else {
            applied.unserved.insert(id(object).1);
            continue;
        };
        let name = id(object).3;
        let stored = api.patch(&name, &PatchParams::apply("kubectl"), &Patch::Apply(object)).await;
        let mut stored = stored.unwrap_or_else(|error| panic!("{:?} is refused: {error}", id(object)));
        if id(object).1 == "CustomResourceDefinition" {
            stored = eventually(SOON, || established(&api, &name)).await;
        }
        applied.versions.insert(id(object), version(&stored));
    }
    applied
}

/// The version of an object. For a policy, whose status a controller of the server writes soon after, it is that of its spec. So it is for a
/// Deployment: the 1.36 server of these tests, which has a registry of its own for built-in kinds, stores an equal one again now and then.
fn version(stored: &DynamicObject) -> String {
    let kind = stored.types.as_ref().map_or("", |types| &types.kind);
    let is_rewritten = ["Deployment", "ValidatingAdmissionPolicy"].contains(&kind);
    match stored.metadata.generation.filter(|_| is_rewritten) {
        Some(generation) => format!("generation {generation}"),
        None => stored.metadata.resource_version.clone().unwrap_or_default(),
    }
}

/// The CRD, when the server has stopped changing its status.
async fn established(api: &Api<DynamicObject>, name: &str) -> Option<DynamicObject> {
    let definition = api.get(name).await.ok()?;
    let conditions = definition.data["status"]["conditions"].as_array()?;
    let is_true = |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
    conditions.iter().any(is_true).then_some(definition)
}

/// Applies examples twice. Returns the kinds that the server does not serve.
async fn twice(client: &Client, examples: &[Example]) -> BTreeSet<String> {
    let mut unserved = BTreeSet::new();
    for example in examples {
        let objects = example.all_objects();
        let first = apply(client, &objects).await;
        let second = apply(client, &objects).await;
        assert_eq!(first, second, "{example:?}");
        assert!(first.versions.len() + 5 > objects.len(), "{example:?}: {:?}", first.unserved);
        unserved.extend(first.unserved);
    }
    unserved
}

fn kinds(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn the_test_kit_accepts_the_objects_twice() {
    let unserved = twice(&Cluster::start().await.client(), &Example::ALL).await;
    assert_eq!(unserved, kinds(&["FlowSchema", "PrometheusRule", "ServiceMonitor"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kubernetes_1_36_accepts_the_objects_twice() {
    let Some(server) = RealServer::start(Version::Modern, false).await else { return };
    let unserved = twice(&server.client().await, &Example::ALL).await;
    assert_eq!(unserved, kinds(&["FlowSchema", "PrometheusRule", "ServiceMonitor"]));
}

/// It is older than rules in CRDs and match conditions of webhooks, which the app has, and than these versions of the other kinds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kubernetes_1_20_accepts_the_objects_that_it_serves_twice() {
    let Some(server) = RealServer::start(Version::Full, false).await else { return };
    let unserved = twice(&server.client().await, &[Example::Hello, Example::Component]).await;
    assert_eq!(unserved, kinds(&["FlowSchema", "PodDisruptionBudget", "PrometheusRule", "ServiceMonitor"]));
}

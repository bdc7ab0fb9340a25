//! Evictions, which are limited by the budget that selects the Pods.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::{DeleteParams, EvictParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, Error};
use serde_json::{Value, json};

use crate::Cluster;

async fn pod(client: &Client, name: &str, status: Value) -> Api<Pod> {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod = json!({"metadata": {"name": name, "labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    let status = Patch::Merge(json!({"status": status}));
    pods.patch_status(name, &PatchParams::default(), &status).await.unwrap();
    pods
}

async fn budget(client: &Client, name: &str, status: Value) -> Api<PodDisruptionBudget> {
    let budgets: Api<PodDisruptionBudget> = Api::default_namespaced(client.clone());
    let spec = json!({"minAvailable": 1, "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]}});
    let budget = json!({"metadata": {"name": name}, "spec": spec});
    budgets.create(&PostParams::default(), &serde_json::from_value(budget).unwrap()).await.unwrap();
    let status = Patch::Merge(json!({"status": status}));
    budgets.patch_status(name, &PatchParams::default(), &status).await.unwrap();
    budgets
}

fn running() -> Value {
    json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
}

/// The status code of an eviction and its message.
async fn evicted(pods: &Api<Pod>, name: &str) -> (u16, String) {
    match pods.evict(name, &EvictParams::default()).await {
        Ok(_) => (201, String::new()),
        Err(Error::Api(status)) => {
            let causes = status.details.map(|details| details.causes).unwrap_or_default();
            (status.code, causes.into_iter().next().map_or(status.message, |cause| cause.message))
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn an_eviction_is_subtracted_from_the_budget() {
    let client = Cluster::start().await.client();
    let pods = pod(&client, "a", running()).await;
    pod(&client, "b", running()).await;
    let status = json!({"disruptionsAllowed": 1, "desiredHealthy": 1, "currentHealthy": 2, "observedGeneration": 1});
    let budgets = budget(&client, "p", status).await;
    let trial =
        EvictParams { post_options: PostParams { dry_run: true, ..PostParams::default() }, delete_options: None };
    pods.evict("a", &trial).await.unwrap();
    assert!(pods.get_opt("a").await.unwrap().is_some());
    assert_eq!(evicted(&pods, "a").await.0, 201);
    assert!(pods.get_opt("a").await.unwrap().is_none());
    let status = budgets.get("p").await.unwrap().status.unwrap();
    assert_eq!(status.disruptions_allowed, Some(0));
    assert!(status.disrupted_pods.unwrap().contains_key("a"));
    let condition = &status.conditions.unwrap()[0];
    assert_eq!(
        (&*condition.type_, &*condition.status, &*condition.reason),
        ("DisruptionAllowed", "False", "InsufficientPods")
    );
    assert_eq!(condition.observed_generation, Some(1));
    let why = "The disruption budget p needs 1 healthy pods and has 2 currently";
    assert_eq!(evicted(&pods, "b").await, (429, why.to_owned()));
    assert!(pods.get_opt("b").await.unwrap().is_some());
}

#[tokio::test]
async fn an_unprocessed_budget_blocks_evictions() {
    let client = Cluster::start().await.client();
    let pods = pod(&client, "a", running()).await;
    let budgets = budget(&client, "p", json!({"disruptionsAllowed": 1})).await;
    let why = "The disruption budget p is still being processed by the server.";
    assert_eq!(evicted(&pods, "a").await, (429, why.to_owned()));
    budgets.delete("p", &DeleteParams::default()).await.unwrap();
    assert_eq!(evicted(&pods, "a").await.0, 201);
}

#[tokio::test]
async fn pending_and_surplus_unready_pods_are_evicted() {
    let client = Cluster::start().await.client();
    let status = json!({"disruptionsAllowed": 0, "desiredHealthy": 1, "currentHealthy": 1, "observedGeneration": 1});
    budget(&client, "p", status).await;
    let pods = pod(&client, "pending", json!({"phase": "Pending"})).await;
    pod(&client, "unready", json!({"phase": "Running"})).await;
    pod(&client, "ready", running()).await;
    assert_eq!(evicted(&pods, "pending").await.0, 201);
    assert_eq!(evicted(&pods, "unready").await.0, 201);
    assert_eq!(evicted(&pods, "ready").await.0, 429);
}

#[tokio::test]
async fn eviction_of_a_pod_with_two_budgets_fails() {
    let client = Cluster::start().await.client();
    let pods = pod(&client, "a", running()).await;
    budget(&client, "p", json!({"disruptionsAllowed": 1})).await;
    budget(&client, "q", json!({"disruptionsAllowed": 1})).await;
    let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    assert_eq!(evicted(&pods, "a").await, (500, why.to_owned()));
}

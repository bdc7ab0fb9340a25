//! Workloads that a settler makes ready.

use std::time::Duration;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{Cluster, Settler, Snapshot};

const DELAY: Duration = Duration::from_secs(20);
const MOMENT: Duration = Duration::from_secs(1);

fn object(api_version: &str, kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec})
}

fn pods() -> Value {
    json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

fn workload() -> Value {
    json!({"selector": {"matchLabels": {"a": "b"}}, "template": pods()})
}

async fn seed(cluster: &Cluster, object: &Value) {
    cluster.seed(&*object.to_string()).await.unwrap();
}

/// A Deployment with two replicas.
async fn deploy(cluster: &Cluster, name: &str) -> Api<Deployment> {
    let mut spec = workload();
    spec["replicas"] = json!(2);
    seed(cluster, &object("apps/v1", "Deployment", name, &spec)).await;
    Api::default_namespaced(cluster.client())
}

/// The status of a Deployment, without times and texts.
async fn status(deployments: &Api<Deployment>, name: &str) -> Value {
    let status = json!(deployments.get(name).await.unwrap().status.unwrap());
    let condition = |type_: &str| {
        let found = status["conditions"].as_array().unwrap().iter().find(|one| one["type"] == type_).unwrap();
        format!("{} {}", found["status"].as_str().unwrap(), found["reason"].as_str().unwrap())
    };
    json!([
        status["observedGeneration"],
        status["updatedReplicas"],
        status["availableReplicas"],
        condition("Available"),
        condition("Progressing")
    ])
}

#[tokio::test(start_paused = true)]
async fn a_deployment_is_observed_at_once_and_available_after_the_delay() {
    let cluster = Cluster::start().await;
    let settling = Settler::new().after(DELAY).start(&cluster);
    let deployments = deploy(&cluster, "web").await;
    sleep(MOMENT).await;
    let starts = json!([1, 2, null, "False MinimumReplicasUnavailable", "True ReplicaSetUpdated"]);
    assert_eq!(status(&deployments, "web").await, starts);
    sleep(DELAY).await;
    let ready = json!([1, 2, 2, "True MinimumReplicasAvailable", "True NewReplicaSetAvailable"]);
    assert_eq!(status(&deployments, "web").await, ready);
    // A new template: the pods of the former one still run.
    let patch = Patch::Merge(json!({"spec": {"template": {"metadata": {"labels": {"v": "2"}}}}}));
    deployments.patch("web", &PatchParams::default(), &patch).await.unwrap();
    sleep(MOMENT).await;
    let updates = json!([2, 0, 2, "True MinimumReplicasAvailable", "True ReplicaSetUpdated"]);
    assert_eq!(status(&deployments, "web").await, updates);
    sleep(DELAY).await;
    assert_eq!(status(&deployments, "web").await[0], 2);
    assert_eq!(status(&deployments, "web").await[4], "True NewReplicaSetAvailable");
    assert_eq!(settling.settled::<Deployment>(), ["default/web", "default/web"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_during_the_delay_begins_it_again() {
    let cluster = Cluster::start().await;
    let settling = Settler::new().after(DELAY).start(&cluster);
    let deployments = deploy(&cluster, "web").await;
    sleep(DELAY / 2).await;
    let patch = Patch::Merge(json!({"spec": {"replicas": 3}}));
    deployments.patch("web", &PatchParams::default(), &patch).await.unwrap();
    sleep(DELAY - MOMENT).await;
    assert!(settling.settled::<Deployment>().is_empty());
    sleep(2 * MOMENT).await;
    assert_eq!(settling.settled::<Deployment>(), ["default/web"]);
    assert_eq!(deployments.get("web").await.unwrap().status.unwrap().available_replicas, Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_held_object_is_ready_once_a_settler_without_its_name_runs() {
    let cluster = Cluster::start().await;
    let settling = Settler::new().never::<Deployment>("web").never::<Job>("other").start(&cluster);
    let deployments = deploy(&cluster, "web").await;
    deploy(&cluster, "other").await;
    sleep(10 * DELAY).await;
    assert_eq!(settling.settled::<Deployment>(), ["default/other"]);
    assert_eq!(status(&deployments, "web").await[3], "False MinimumReplicasUnavailable");
    drop(settling);
    let settling = Settler::new().start(&cluster);
    sleep(MOMENT).await;
    assert_eq!(settling.settled::<Deployment>(), ["default/web"]);
    assert_eq!(status(&deployments, "web").await[3], "True MinimumReplicasAvailable");
}

#[tokio::test(start_paused = true)]
async fn the_writes_of_a_settler_are_not_logged_and_end() {
    let cluster = Cluster::start().await;
    let _settling = Settler::new().after(DELAY).never::<Deployment>("stuck").start(&cluster);
    deploy(&cluster, "web").await;
    deploy(&cluster, "stuck").await;
    sleep(2 * DELAY).await;
    assert!(cluster.log().writes().is_empty(), "{:?}", cluster.log().writes());
    let version = cluster.version();
    sleep(100 * DELAY).await;
    assert_eq!(cluster.version(), version);
}

#[tokio::test(start_paused = true)]
async fn each_kind_gets_the_status_of_a_ready_object() {
    let cluster = Cluster::start().await;
    let settling = Settler::new().after(DELAY).start(&cluster);
    seed(&cluster, &object("apps/v1", "StatefulSet", "db", &workload())).await;
    seed(&cluster, &object("apps/v1", "DaemonSet", "agent", &workload())).await;
    seed(&cluster, &object("apps/v1", "ReplicaSet", "old", &workload())).await;
    let mut template = pods();
    template["spec"]["restartPolicy"] = json!("Never");
    seed(&cluster, &object("batch/v1", "Job", "once", &json!({"template": template}))).await;
    seed(&cluster, &object("batch/v1", "Job", "later", &json!({"template": template, "suspend": true}))).await;
    seed(&cluster, &object("v1", "Pod", "single", &pods()["spec"])).await;
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    seed(&cluster, &object("v1", "PersistentVolumeClaim", "disk", &claim)).await;
    sleep(DELAY / 2).await;
    assert!(settling.settled::<StatefulSet>().is_empty() && settling.settled::<Job>().is_empty());
    sleep(DELAY).await;
    assert_eq!(settling.settled::<StatefulSet>(), ["default/db"]);
    assert_eq!(settling.settled::<DaemonSet>(), ["default/agent"]);
    assert_eq!(settling.settled::<ReplicaSet>(), ["default/old"]);
    assert_eq!(settling.settled::<Job>(), ["default/once"], "the other one is suspended");
    assert_eq!(settling.settled::<Pod>(), ["default/single"]);
    assert_eq!(settling.settled::<PersistentVolumeClaim>(), ["default/disk"]);
    let objects = cluster.snapshot().without("namespaces").objects();
    let statuses = objects.iter().map(|one| json!({"name": one["metadata"]["name"], "status": one["status"]}));
    Snapshot::of(statuses).unwrap().assert_matches("src/tests/settle.yaml");
}

#[tokio::test(start_paused = true)]
async fn a_settler_follows_a_restored_cluster() {
    let cluster = Cluster::start().await;
    let backup = cluster.backup();
    let settling = Settler::new().start(&cluster);
    for name in ["one", "two"] {
        deploy(&cluster, name).await;
    }
    sleep(MOMENT).await;
    cluster.restore(&backup);
    deploy(&cluster, "three").await;
    sleep(MOMENT).await;
    assert_eq!(settling.settled::<Deployment>(), ["default/one", "default/two", "default/three"]);
}

//! The cost of deleting a namespace, a CRD or an owner, as counts: it is linear in the number of objects.

use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::bulk::{MAPS, send};
use super::widgets;
use crate::{Cluster, Work};

/// Maximum number of reads per object, from the start of the deletion until the object is removed.
const READS: u64 = 8;

fn held(at: usize) -> Value {
    json!({"metadata": {"name": format!("m{at:05}"), "finalizers": ["ex.dev/hold"]}})
}

/// Removes the finalizers of all objects of a path, one after another, and lets each deletion finish.
async fn free(client: &Client, path: &str, count: usize) {
    for at in 0..count {
        send(client, "PATCH", &format!("{path}/m{at:05}"), &json!({"metadata": {"finalizers": null}})).await;
        sleep(Duration::from_millis(1)).await;
    }
}

/// The work of deleting `end` and of removing the finalizers of its objects.
async fn ended(cluster: &Cluster, end: (&str, Value), path: &str, count: usize) -> Work {
    let client = cluster.client();
    let before = cluster.work();
    send(&client, "DELETE", end.0, &end.1).await;
    sleep(Duration::from_millis(1)).await;
    free(&client, path, count).await;
    let refused = client.request::<Value>(http::Request::get(end.0).body(Vec::new()).unwrap()).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 404), "{} is still there", end.0);
    cluster.work() - before
}

fn is_linear(what: &str, count: usize, work: Work) {
    println!("the end of {what} with {count} held objects: {work:?}");
    let (visited, count) = (work.visited, count as u64);
    assert!(visited <= READS * (count + 5), "{what} with {count} objects: {visited} objects read");
    assert!(work.written <= 3 * count + 5, "{what} with {count} objects: {} writes", work.written);
}

#[tokio::test(start_paused = true)]
async fn deleting_a_namespace_costs_the_same_per_object() {
    for count in [10, 100, 400] {
        let cluster = Cluster::start().await;
        let client = cluster.client();
        send(&client, "POST", "/api/v1/namespaces", &json!({"metadata": {"name": "team"}})).await;
        let path = "/api/v1/namespaces/team/configmaps";
        for at in 0..count {
            send(&client, "POST", path, &held(at)).await;
        }
        let work = ended(&cluster, ("/api/v1/namespaces/team", Value::Null), path, count).await;
        is_linear("a namespace", count, work);
    }
}

#[tokio::test(start_paused = true)]
async fn deleting_a_crd_costs_the_same_per_object() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for count in [10, 100, 400] {
        let cluster = Cluster::start().await;
        let client = cluster.client();
        send(&client, "POST", DEFINITIONS, &widgets()).await;
        let path = "/apis/ex.dev/v1/namespaces/default/widgets";
        for at in 0..count {
            let mut widget = held(at);
            (widget["apiVersion"], widget["kind"]) = (json!("ex.dev/v1"), json!("Widget"));
            send(&client, "POST", path, &widget).await;
        }
        let work = ended(&cluster, (&format!("{DEFINITIONS}/widgets.ex.dev"), Value::Null), path, count).await;
        is_linear("a definition", count, work);
    }
}

/// Creates dependents with finalizers; only the last one blocks the deletion of the owner.
async fn owned(client: &Client, count: usize) {
    let owner = send(client, "POST", MAPS, &json!({"metadata": {"name": "owner"}})).await;
    for at in 0..count {
        let mut dependent = held(at);
        dependent["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": at + 1 == count,
        }]);
        send(client, "POST", MAPS, &dependent).await;
    }
}

#[tokio::test(start_paused = true)]
async fn deleting_an_owner_costs_the_same_per_dependent() {
    for count in [10, 100, 400] {
        let cluster = Cluster::start().await;
        owned(&cluster.client(), count).await;
        let end = (&*format!("{MAPS}/owner"), json!({"propagationPolicy": "Foreground"}));
        is_linear("an owner", count, ended(&cluster, end, MAPS, count).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_of_a_waiting_owner_reads_no_dependents() {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    owned(&client, 100).await;
    send(&client, "DELETE", &format!("{MAPS}/owner"), &json!({"propagationPolicy": "Foreground"})).await;
    sleep(Duration::from_millis(1)).await;
    let before = cluster.work();
    send(&client, "PATCH", &format!("{MAPS}/owner"), &json!({"data": {"k": "v"}})).await;
    sleep(Duration::from_millis(1)).await;
    let work = cluster.work() - before;
    assert!(work.visited <= READS, "{work:?}");
}

//! Services: allocation and release of addresses and ports.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Service, ServiceSpec};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::Cluster;

fn services(client: &Client) -> Api<Service> {
    Api::default_namespaced(client.clone())
}

fn service(name: &str, spec: &Value) -> Service {
    serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).unwrap()
}

async fn made(client: &Client, name: &str, spec: Value) -> ServiceSpec {
    services(client).create(&PostParams::default(), &service(name, &spec)).await.unwrap().spec.unwrap()
}

#[tokio::test]
async fn a_replace_without_address_and_port_keeps_both() {
    let client = Cluster::start().await.client();
    let spec = json!({"type": "NodePort", "ports": [{"port": 80}]});
    let before = made(&client, "a", spec.clone()).await;
    let mut again = service("a", &spec);
    again.metadata.resource_version = services(&client).get("a").await.unwrap().metadata.resource_version;
    let after = services(&client).replace("a", &PostParams::default(), &again).await.unwrap();
    assert_eq!(after.spec.unwrap(), before);
    assert_eq!(after.metadata.resource_version, again.metadata.resource_version);
}

#[tokio::test]
async fn concurrent_services_have_distinct_unowned_addresses() {
    let client = Cluster::start().await.client();
    let apply = |at: usize| {
        let services = services(&client);
        let body = json!({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}]}});
        async move { services.patch(&format!("s{at}"), &PatchParams::apply("m"), &Patch::Apply(&body)).await.unwrap() }
    };
    let made = futures::future::join_all((0..50).map(apply)).await;
    let addresses: BTreeSet<_> = made.iter().map(|service| service.spec.clone().unwrap().cluster_ip.unwrap()).collect();
    assert_eq!(addresses.len(), 50);
    let owned = serde_json::to_string(&made[0].metadata.managed_fields).unwrap();
    assert!(owned.contains("f:ports") && !owned.contains("clusterIP"), "{owned}");
}

#[tokio::test]
async fn ports_with_the_same_number_share_a_node_port() {
    let client = Cluster::start().await.client();
    let ports =
        json!([{"name": "t", "port": 53}, {"name": "u", "port": 53, "protocol": "UDP"}, {"name": "w", "port": 80}]);
    let spec = made(&client, "a", json!({"type": "NodePort", "ports": ports})).await;
    let ports: Vec<_> = spec.ports.unwrap().iter().map(|port| port.node_port.unwrap()).collect();
    assert!(ports[0] == ports[1] && ports[0] != ports[2], "{ports:?}");
}

#[tokio::test]
async fn a_dry_run_returns_an_address_without_allocating_it() {
    let client = Cluster::start().await.client();
    let trial = PostParams { dry_run: true, ..PostParams::default() };
    let spec = json!({"ports": [{"port": 80}]});
    let shown = services(&client).create(&trial, &service("a", &spec)).await.unwrap().spec.unwrap();
    let spec = json!({"clusterIP": shown.cluster_ip.clone().unwrap(), "ports": [{"port": 80}]});
    assert_eq!(made(&client, "b", spec.clone()).await.cluster_ip, shown.cluster_ip);
    assert!(services(&client).create(&PostParams::default(), &service("c", &spec)).await.is_err());
    services(&client).delete("b", &DeleteParams::default()).await.unwrap();
    made(&client, "c", spec).await;
}

//! What the API server has when a chart is rolled out: the answers for a restart of its operator.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel_bench::chart::{Chart, chart, charts};
use evenkeel_bench::kind::NAMESPACE;
use evenkeel_testkit::{Cluster, Settler};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Client, CustomResourceExt};
use serde_json::{Value, json};
use tokio::time::sleep;

/// Longer than a roll-out of the largest chart takes.
const ROLLED_OUT: Duration = Duration::from_secs(600);

/// The objects of each kind, by plural.
pub(crate) type Objects = Vec<(String, Vec<Value>)>;

/// Rolls a chart out, in virtual time, and returns it with its dependents.
pub(crate) fn rolled_out(maps: usize, deployments: usize) -> Objects {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let cluster = Cluster::start().await;
        cluster.seed(&Chart::crd()).await.unwrap();
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": NAMESPACE } });
        cluster.seed(namespace).await.unwrap();
        cluster.seed(chart(maps, deployments)).await.unwrap();
        let _settling = Settler::new().start(&cluster);
        let operator = Operator::new("bench").client(cluster.client()).namespaces([NAMESPACE]).reconciler::<charts>(());
        let running = tokio::spawn(async { operator.run_until(std::future::pending()).await.expect("it runs") });
        sleep(ROLLED_OUT).await;
        running.abort();
        let mut objects = Objects::new();
        let kinds = [
            ApiResource::erase::<Chart>(&()),
            ApiResource::erase::<ConfigMap>(&()),
            ApiResource::erase::<Deployment>(&()),
        ];
        for resource in kinds {
            objects.push((resource.plural.clone(), listed(cluster.client(), &resource).await));
        }
        let sets = &objects[0].1[0]["status"]["dependents"]["charts/install"];
        assert_eq!((&sets["ready"], &sets["readyObjects"]), (&json!(true), &json!(maps + deployments)), "{sets}");
        objects
    })
}

/// The objects of a kind, each with its type.
pub(crate) async fn listed(client: Client, resource: &ApiResource) -> Vec<Value> {
    let api: Api<DynamicObject> = Api::namespaced_with(client, NAMESPACE, resource);
    let typed = api.list(&ListParams::default()).await.unwrap().items.into_iter().map(|mut object| {
        object.types = None;
        let mut object = json!(object);
        object["apiVersion"] = json!(resource.api_version);
        object["kind"] = json!(resource.kind);
        object
    });
    typed.collect()
}

/// A change of each Deployment that means nothing for its component: a status as a controller writes it.
pub(crate) fn chatter(objects: &Objects) -> Vec<Value> {
    let (_, deployments) = &objects[2];
    let later = |object: &Value| {
        let mut object = object.clone();
        let conditions = object["status"]["conditions"].as_array_mut().expect("conditions of a settled Deployment");
        conditions.iter_mut().for_each(|condition| condition["lastUpdateTime"] = json!("2026-01-01T00:00:00Z"));
        object
    };
    deployments.iter().map(later).collect()
}

//! A complete round: a CRD, objects, a watch, a patch and a deletion.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;

use super::{widget, with_widgets};
use crate::Cluster;

#[tokio::test]
async fn a_crd_is_established_and_its_objects_work() {
    let (_cluster, client, widgets) = with_widgets().await;
    let created = widgets.create(&PostParams::default(), &widget("a", 1)).await.unwrap();
    assert_eq!(created.metadata.generation, Some(1));
    assert_eq!(created.data["spec"], json!({"size": 1, "replicas": 1}));

    let patch = Patch::Merge(json!({"spec": {"size": 2}}));
    let patched = widgets.patch("a", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(patched.metadata.generation, Some(2));

    let list = widgets.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items.len(), 1);

    let version = created.metadata.resource_version.unwrap();
    let mut events = widgets.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    assert!(matches!(events.try_next().await.unwrap(), Some(WatchEvent::Modified(_))));
    widgets.delete("a", &DeleteParams::default()).await.unwrap();
    assert!(matches!(events.try_next().await.unwrap(), Some(WatchEvent::Deleted(_))));

    let definitions: Api<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> =
        Api::all(client);
    let stored = definitions.get("widgets.ex.dev").await.unwrap();
    let conditions = stored.status.unwrap().conditions.unwrap();
    assert!(conditions.iter().any(|condition| condition.type_ == "Established" && condition.status == "True"));
}

#[tokio::test]
async fn protobuf_of_an_unsupported_kind_is_rejected_with_help() {
    let client = Cluster::start().await.client();
    let body = b"k8s\0\x0a\x0b\x0a\x02v1\x12\x05Lease\x12\x00".to_vec();
    let request = http::Request::post("/apis/coordination.k8s.io/v1/namespaces/default/leases");
    let request = request.header("Content-Type", "application/vnd.kubernetes.protobuf").body(body).unwrap();
    let Err(kube::Error::Api(refused)) = client.request::<serde_json::Value>(request).await else { panic!("refused") };
    assert_eq!(refused.code, 415);
    assert!(refused.message.contains("a Lease is not read as protobuf here"), "{}", refused.message);
    assert!(refused.message.contains("create --dry-run=client -o yaml | kubectl apply -f -"), "{}", refused.message);
}

#[tokio::test]
async fn config_maps_work_in_process_and_over_http() {
    let cluster = Cluster::start().await;
    let serving = cluster.serve().await.unwrap();
    let config = kube::Config::new(serving.url().parse().unwrap());
    let clients = [cluster.client(), kube::Client::try_from(config).unwrap()];
    for (at, client) in clients.into_iter().enumerate() {
        let maps: Api<ConfigMap> = Api::namespaced(client, "default");
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("m{at}"));
        let map = maps.create(&PostParams::default(), &map).await.unwrap();
        assert_eq!(map.metadata.namespace.as_deref(), Some("default"));
        assert_eq!(maps.list(&ListParams::default()).await.unwrap().items.len(), at + 1);
    }
}

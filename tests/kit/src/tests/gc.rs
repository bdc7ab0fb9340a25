//! Garbage collection after deletions.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::{widget, with_widgets};
use crate::{Cluster, eventually};

const SOON: Duration = Duration::from_secs(5);

fn map(value: &Value) -> ConfigMap {
    serde_json::from_value(json!({"metadata": value})).unwrap()
}

async fn owned(maps: &Api<ConfigMap>, name: &str, owner: &ConfigMap, block: bool) -> ConfigMap {
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name, "uid": owner.metadata.uid,
        "blockOwnerDeletion": block,
    });
    let object = map(&json!({"name": name, "ownerReferences": [reference]}));
    maps.create(&PostParams::default(), &object).await.unwrap()
}

async fn gone(maps: &Api<ConfigMap>, name: &str) {
    eventually(SOON, || async { maps.get_opt(name).await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test]
async fn dependents_are_collected_after_their_owner() {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let owner = maps.create(&PostParams::default(), &map(&json!({"name": "owner"}))).await.unwrap();
    owned(&maps, "dependent", &owner, false).await;
    maps.delete("owner", &DeleteParams::default()).await.unwrap();
    gone(&maps, "dependent").await;
}

#[tokio::test]
async fn an_owner_deleted_in_the_foreground_waits_for_its_dependents() {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let owner = maps.create(&PostParams::default(), &map(&json!({"name": "owner"}))).await.unwrap();
    owned(&maps, "dependent", &owner, true).await;
    let hold = Patch::Merge(json!({"metadata": {"finalizers": ["ex.dev/hold"]}}));
    maps.patch("dependent", &PatchParams::default(), &hold).await.unwrap();
    maps.delete("owner", &DeleteParams::foreground()).await.unwrap();
    let deleting = || async { maps.get("dependent").await.unwrap().metadata.deletion_timestamp };
    eventually(SOON, deleting).await;
    assert!(maps.get_opt("owner").await.unwrap().is_some());
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("dependent", &PatchParams::default(), &free).await.unwrap();
    gone(&maps, "owner").await;
}

#[tokio::test]
async fn orphaned_dependents_stay_without_the_reference() {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let owner = maps.create(&PostParams::default(), &map(&json!({"name": "owner"}))).await.unwrap();
    owned(&maps, "dependent", &owner, false).await;
    let orphan =
        DeleteParams { propagation_policy: Some(kube::api::PropagationPolicy::Orphan), ..DeleteParams::default() };
    maps.delete("owner", &orphan).await.unwrap();
    gone(&maps, "owner").await;
    assert_eq!(maps.get("dependent").await.unwrap().metadata.owner_references, None);
}

#[tokio::test]
async fn an_object_with_an_unknown_owner_is_collected() {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    owned(&maps, "dependent", &map(&json!({"name": "never", "uid": "no-such-uid"})), false).await;
    gone(&maps, "dependent").await;
}

#[tokio::test]
async fn a_namespace_is_emptied_before_its_deletion() {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let named = serde_json::from_value(json!({"metadata": {"name": "team"}})).unwrap();
    namespaces.create(&PostParams::default(), &named).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(client, "team");
    let held = map(&json!({"name": "held", "finalizers": ["ex.dev/hold"]}));
    maps.create(&PostParams::default(), &held).await.unwrap();
    namespaces.delete("team", &DeleteParams::default()).await.unwrap();
    let refused = maps.create(&PostParams::default(), &map(&json!({"name": "late"}))).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 403));
    eventually(SOON, || async { maps.get("held").await.unwrap().metadata.deletion_timestamp }).await;
    assert!(namespaces.get_opt("team").await.unwrap().is_some());
    let free = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    maps.patch("held", &PatchParams::default(), &free).await.unwrap();
    eventually(SOON, || async { namespaces.get_opt("team").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test]
async fn deleting_a_crd_deletes_its_objects() {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    let (_cluster, client, widgets) = with_widgets().await;
    widgets.create(&PostParams::default(), &widget("a", 1)).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(client);
    definitions.delete("widgets.ex.dev", &DeleteParams::default()).await.unwrap();
    let gone = || async { definitions.get_opt("widgets.ex.dev").await.unwrap().is_none().then_some(()) };
    eventually(SOON, gone).await;
    assert!(widgets.list(&ListParams::default()).await.is_err());
}

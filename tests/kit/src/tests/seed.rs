//! The initial objects of a cluster.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret, Service};
use kube::api::{DynamicObject, ListParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use super::{dynamic, widgets};
use crate::{Cluster, Seed};

const WIDGETS: &str = "
# comments and empty documents are no objects
---
apiVersion: ex.dev/v1
kind: Widget
metadata: {name: w, namespace: shop, uid: 6f1d4c5a-0b8e-4f0a-9f57-3c1d2e4b5a60}
spec: {size: 3}
status: {phase: Done}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: child
  namespace: shop
  ownerReferences:
  - {apiVersion: ex.dev/v1, kind: Widget, name: w, uid: 6f1d4c5a-0b8e-4f0a-9f57-3c1d2e4b5a60}
";

fn api(cluster: &Cluster) -> Api<DynamicObject> {
    Api::namespaced_with(cluster.client(), "shop", &dynamic("ex.dev", "v1", "Widget", "widgets"))
}

async fn refused(seed: impl Into<Seed>) -> String {
    Cluster::start().await.seed(seed).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_seed_creates_crds_and_namespaces_first() {
    let cluster = Cluster::start().await;
    cluster.seed(Seed::from(WIDGETS).and(widgets())).await.unwrap();
    let widget = api(&cluster).get("w").await.unwrap();
    assert_eq!(widget.data["status"], json!({"phase": "Done"}));
    assert_eq!(widget.data["spec"], json!({"size": 3, "replicas": 1}), "defaults are set");
    assert_eq!(widget.uid().as_deref(), Some("6f1d4c5a-0b8e-4f0a-9f57-3c1d2e4b5a60"), "a uid is kept");
    let child = Api::<ConfigMap>::namespaced(cluster.client(), "shop").get("child").await.unwrap();
    assert_eq!(child.owner_references()[0].uid, widget.uid().unwrap(), "the owner is found");
    assert!(cluster.log().filter(crate::Entry::is_write).is_empty(), "seeds are no requests");
}

#[tokio::test]
async fn typed_objects_can_be_seeded() {
    let cluster = Cluster::start().await;
    let map: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).unwrap();
    let space: Namespace = serde_json::from_value(json!({"metadata": {"name": "b"}})).unwrap();
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "s", "namespace": "b"}})).unwrap();
    cluster.seed(Seed::from(&secret).and(&map).and(&space)).await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    assert_eq!(maps.get("a").await.unwrap().data.unwrap()["k"], "v");
    assert_eq!(Api::<Secret>::all(cluster.client()).list(&ListParams::default()).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_manager_may_own_the_seeded_status() {
    let cluster = Cluster::start().await;
    let seed = Seed::from(WIDGETS).and(widgets()).status_by("shop/widget");
    cluster.seed(seed).await.unwrap();
    let widget = api(&cluster).get("w").await.unwrap();
    let owner = widget.managed_fields().iter().find(|entry| entry.subresource.as_deref() == Some("status")).unwrap();
    assert_eq!((owner.manager.as_deref(), owner.operation.as_deref()), (Some("shop/widget"), Some("Apply")));
}

#[tokio::test]
async fn an_object_can_be_seeded_as_being_deleted() {
    let cluster = Cluster::start().await;
    let going = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["ex.dev/f"]}});
    cluster.seed(going.clone()).await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    assert!(maps.get("a").await.unwrap().metadata.deletion_timestamp.is_some());
    let mut gone = going;
    gone["metadata"]["finalizers"] = json!([]);
    assert_eq!(
        refused(gone).await,
        "document 1 (ConfigMap default/a) is refused: metadata.deletionTimestamp: without a finalizer it would be gone at once"
    );
}

#[tokio::test]
async fn errors_name_document_object_and_field() {
    let text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n{apiVersion: v1, kind: ConfigMap";
    assert!(refused(text).await.starts_with("document 2 cannot be read: "));
    let text = "{apiVersion: ex.dev/v1, kind: Widget, metadata: {name: w}}";
    assert_eq!(
        refused(text).await,
        "document 1 (Widget w) is refused: kind: ex.dev/v1 Widget is not served; seed its definition, too"
    );
    assert_eq!(refused("{kind: Pod, metadata: {name: p}}").await, "document 1 (Pod p) is refused: apiVersion: missing");
    let wrong = json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": "x"}});
    let error = refused(Seed::from(widgets()).and(wrong)).await;
    assert!(error.starts_with("document 2 (Widget default/w) is refused:") && error.contains("spec.size"), "{error}");
    let orphan = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s",
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}]}});
    assert!(refused(orphan).await.contains("metadata.ownerReferences[0]: no ConfigMap \"a\" before it"));
}

#[tokio::test]
async fn an_invalid_or_duplicate_uid_is_rejected() {
    let uid = "6f1d4c5a-0b8e-4f0a-9f57-3c1d2e4b5a60";
    let map = |name: &str, uid: serde_json::Value| {
        Seed::from(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "uid": uid}}))
    };
    let upper = uid.to_uppercase();
    for (wrong, shown) in [(json!("u1"), "\"u1\""), (json!(7), "7"), (json!(upper), upper.as_str())] {
        let seen = refused(map("a", wrong)).await;
        assert!(seen.starts_with("document 1 (ConfigMap default/a) is refused: metadata.uid: "), "{seen}");
        assert!(seen.contains(shown) && seen.contains("is not a UUID; leave it out, or write one such as"), "{seen}");
    }
    let twice = refused(map("a", json!(uid)).and(map("b", json!(uid)))).await;
    let wanted = format!("metadata.uid: {uid} is that of ConfigMap default/a; each object has its own, leave it out");
    assert_eq!(twice, format!("document 2 (ConfigMap default/b) is refused: {wanted}"));
    let many = refused(map("a", json!(uid)).times(2)).await;
    assert_eq!(many, "document 1 (ConfigMap a) is refused: metadata.uid: each of many has its own; leave it out");
    let cluster = Cluster::start().await;
    cluster.seed(map("a", json!(uid)).and(map("b", json!("")))).await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    assert_eq!(maps.get("a").await.unwrap().uid().as_deref(), Some(uid));
    assert_eq!(maps.get("b").await.unwrap().uid().unwrap().len(), uid.len(), "the server gives one");
}

#[tokio::test]
async fn repeated_objects_differ_only_in_name() {
    let [crowd, each] = [Cluster::start().await, Cluster::start().await];
    let widget = |name: &str| {
        Seed::from(json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"size": 3}, "status": {"phase": "Done"}}))
    };
    crowd.seed(Seed::from(widgets()).and(widget("w").times(12))).await.unwrap();
    each.seed(widgets()).await.unwrap();
    for at in 0..12 {
        each.seed(widget(&format!("w-{at}"))).await.unwrap();
    }
    let listed = async |cluster: &Cluster| {
        let mut all = api(cluster).list(&ListParams::default()).await.unwrap().items;
        let uids: std::collections::BTreeSet<_> = all.iter().map(|one| one.uid().unwrap()).collect();
        let versions: std::collections::BTreeSet<_> = all.iter().map(|one| one.resource_version().unwrap()).collect();
        assert_eq!((all.len(), uids.len(), versions.len()), (12, 12, 12));
        for one in &mut all {
            (one.metadata.uid, one.metadata.resource_version) = (None, None);
            one.metadata.creation_timestamp = None;
            one.metadata.managed_fields.iter_mut().flatten().for_each(|entry| entry.time = None);
        }
        serde_json::to_value(all).unwrap()
    };
    assert_eq!(listed(&crowd).await, listed(&each).await);
}

#[tokio::test]
async fn errors_of_repeated_objects_name_the_object() {
    let named = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    assert!(
        refused(Seed::from(named("A")).times(3)).await.starts_with("document 1 (ConfigMap default/A-2) is refused: ")
    );
    let error = refused(Seed::from(named("")).times(3)).await;
    assert_eq!(
        error,
        "document 1 (ConfigMap without a name) is refused: metadata.name: missing; each of many is called after it"
    );
    let error = refused(Seed::from(named("a-1")).and(Seed::from(named("a")).times(3))).await;
    assert_eq!(error, "document 2 (ConfigMap default/a-2) is refused: metadata.name: there is a ConfigMap a-1 already");
}

#[tokio::test]
async fn repeated_services_have_distinct_addresses() {
    let cluster = Cluster::start().await;
    let service =
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}});
    cluster.seed(Seed::from(service).times(4)).await.unwrap();
    let services = Api::<Service>::default_namespaced(cluster.client()).list(&ListParams::default()).await.unwrap();
    let addresses: std::collections::BTreeSet<_> =
        services.items.into_iter().map(|service| service.spec.unwrap().cluster_ip.unwrap()).collect();
    assert_eq!(addresses.len(), 4);
}

#[tokio::test]
async fn one_document_may_be_a_list() {
    let cluster = Cluster::start().await;
    let items: Vec<_> =
        ["a", "b"].map(|name| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})).into();
    cluster.seed(json!({"apiVersion": "v1", "kind": "List", "items": items})).await.unwrap();
    let secrets: Api<Secret> = Api::default_namespaced(cluster.client());
    assert_eq!(secrets.list(&ListParams::default()).await.unwrap().items.len(), 2);
}

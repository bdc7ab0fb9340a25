//! The contents of a cluster as text.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use serde_json::json;

use super::widgets;
use crate::{Cluster, Seed, Snapshot};

async fn filled() -> Cluster {
    let cluster = Cluster::start().await;
    let seed = "
apiVersion: ex.dev/v1
kind: Widget
metadata: {name: w}
status: {phase: 'done at 2026-03-04T05:06:07Z'}
---
apiVersion: v1
kind: ConfigMap
metadata: {generateName: child-, ownerReferences: [{apiVersion: ex.dev/v1, kind: Widget, name: w}]}
";
    cluster.seed(Seed::from(widgets()).and(seed)).await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    let child = maps.list(&Default::default()).await.unwrap().items[0].name_any();
    let note: ConfigMap =
        serde_json::from_value(json!({"metadata": {"name": "note"}, "data": {"see": child}})).unwrap();
    maps.create(&PostParams::default(), &note).await.unwrap();
    cluster
}

const WANTED: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  generateName: child-
  name: child-<1>
  namespace: default
  ownerReferences:
  - apiVersion: ex.dev/v1
    kind: Widget
    name: w
    uid: <uid of Widget w>
---
apiVersion: v1
data:
  see: child-<1>
kind: ConfigMap
metadata:
  name: note
  namespace: default
---
apiVersion: ex.dev/v1
kind: Widget
metadata:
  generation: 1
  name: w
  namespace: default
status:
  phase: done at <time>
";

#[tokio::test]
async fn a_snapshot_is_the_same_in_every_run() {
    for _ in 0..2 {
        assert_eq!(filled().await.snapshot().to_string(), WANTED);
    }
}

#[tokio::test]
async fn resources_and_fields_can_be_left_out() {
    let snapshot = filled().await.snapshot().without("configmaps").ignore("status.phase").ignore("metadata.no.such");
    let wanted = json!([{"apiVersion": "ex.dev/v1", "kind": "Widget", "status": {},
        "metadata": {"generation": 1, "name": "w", "namespace": "default"}}]);
    assert_eq!(serde_json::to_value(&snapshot).unwrap(), wanted);
    let with = filled().await.snapshot().with("customresourcedefinitions").to_string();
    assert!(with.contains("name: widgets.ex.dev"), "{with}");
}

#[tokio::test]
async fn field_owners_are_shown_on_demand() {
    let shown = filled().await.snapshot().with_field_owners().to_string();
    assert!(shown.contains("manager: seed") && shown.contains("time: <time>"), "{shown}");
}

#[tokio::test]
async fn finalizers_are_sorted() {
    let object =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "finalizers": ["b/b", "a/a"]}});
    let shown = Snapshot::of([object]).unwrap().to_string();
    assert!(shown.contains("finalizers:\n  - a/a\n  - b/b\n"), "{shown}");
}

#[tokio::test]
async fn conditions_are_sorted_by_type() {
    let object = json!({"status": {"conditions": [{"type": "B"}, {"type": "A"}]}});
    let snapshot = Snapshot::of([object]).unwrap();
    assert_eq!(snapshot.objects()[0]["status"]["conditions"], json!([{"type": "A"}, {"type": "B"}]));
}

#[tokio::test]
#[should_panic(expected = "-   phase: other")]
async fn a_different_file_is_reported_with_the_difference() {
    let file = std::env::temp_dir().join(format!("evenkeel-snapshot-{}.yaml", std::process::id()));
    std::fs::write(&file, WANTED.replace("phase: done at <time>", "phase: other")).unwrap();
    filled().await.snapshot().assert_matches(&file);
}

#[tokio::test]
async fn a_uid_in_the_data_of_a_secret_is_redacted() {
    let cluster = filled().await;
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    let children = maps.list(&Default::default()).await.unwrap();
    let uid = children.iter().find_map(|map| map.owner_references().first()).unwrap().uid.clone();
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" },
        "stringData": { "owner": format!("owned by {uid}"), "plain": "stays" }, "data": { "bytes": "/w==" } });
    cluster.seed(Seed::from(secret)).await.unwrap();
    let text = cluster.snapshot().to_string();
    // "owned by <uid of Widget w>", "stays", and a byte that is no text.
    for line in ["owner: b3duZWQgYnkgPHVpZCBvZiBXaWRnZXQgdz4=", "plain: c3RheXM=", "bytes: /w=="] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

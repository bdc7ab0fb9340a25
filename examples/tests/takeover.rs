//! The objects of an earlier operator, taken over in place. The pages `move` of the book show these lines.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a file of its own")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, eventually};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams, ResourceExt};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "demo.evenkeel.dev", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {
    pub region: String,
}

#[status]
pub struct BucketStatus {
    /// A field of the earlier operator, which keeps its name and its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum BucketCondition {
    /// The bucket exists.
    #[condition(positive)]
    Created,
}

/// An object store outside of the cluster, with a log of its calls.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<Vec<String>>>);

impl Store {
    fn call(&self, what: &str, bucket: &Bucket) {
        self.0.lock().unwrap().push(format!("{what} {}", bucket.name_any()));
    }

    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[sub_reconciler(sets(on::Created), external, owns(ConfigMap))]
pub async fn create(bucket: &Bucket, store: &Store, cx: &mut Cx) -> Result<(), ApiError> {
    store.call("create", bucket);
    let mut map = ConfigMap::default();
    map.metadata.name = Some(bucket.name_any());
    map.data = Some([("region".to_owned(), bucket.spec.region.clone())].into());
    cx.apply(&map).await.map(drop)
}

#[cleanup(of = create)]
pub async fn remove(bucket: &Bucket, store: &Store, _cx: &mut Cx<'_, create>) -> Result<(), ApiError> {
    store.call("remove", bucket);
    Ok(())
}

#[reconciler(
    conditions = BucketCondition,
    previously(finalizers("example.com/bucket-cleanup"), field_managers("bucket-controller"))
)]
pub async fn bucket(bucket: &Bucket, store: &Store, cx: &mut Pass<'_>) -> PassResult {
    create(bucket, store, cx).await?;
    Ok(())
}

/// The same without the names of the earlier operator.
mod unnamed {
    use evenkeel::prelude::*;

    use super::{Bucket, BucketCondition, Store, create};

    #[reconciler(conditions = BucketCondition)]
    pub(super) async fn bucket(bucket: &Bucket, store: &Store, cx: &mut Pass<'_>) -> PassResult {
        create(bucket, store, cx).await?;
        Ok(())
    }
}

const SOON: Duration = Duration::from_secs(60);
const LONG_AGO: &str = "2020-01-01T00:00:00Z";

/// A condition as Go writes it.
fn since_long(type_: &str) -> Value {
    json!({ "type": type_, "status": "True", "reason": "Old", "message": "old", "lastTransitionTime": LONG_AGO })
}

/// What the earlier operator left: an object with its finalizer and its status, and a ConfigMap. The owner reference names no controller, as
/// those of the Java Operator SDK.
async fn leave(cluster: &Cluster, name: &str) {
    let (buckets, maps) = apis(cluster);
    let object = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "Bucket", "spec": { "region": "north" },
        "metadata": { "name": name, "finalizers": ["example.com/bucket-cleanup", "backup.example.com/keep"] } });
    let object = buckets.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
    let by = |manager: &str| PatchParams { field_manager: Some(manager.into()), ..PatchParams::default() };
    let status = json!({ "status": { "address": "n.example.com", "observedGeneration": 1, "phase": "Done",
        "conditions": [since_long("Ready"), since_long("Synced")] } });
    buckets.patch_status(name, &by("bucket-controller"), &Patch::Merge(status)).await.unwrap();
    let backup = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "Bucket",
        "status": { "conditions": [since_long("BackedUp")] } });
    let apply = PatchParams::apply("backup").force();
    buckets.patch_status(name, &apply, &Patch::Apply(backup)).await.unwrap();
    let owner = json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "Bucket", "name": name, "uid": object.uid() });
    let map =
        json!({ "metadata": { "name": name, "ownerReferences": [owner] }, "data": { "region": "south", "old": "1" } });
    let params = PostParams { field_manager: Some("bucket-controller".into()), ..PostParams::default() };
    maps.create(&params, &serde_json::from_value(map).unwrap()).await.unwrap();
}

fn apis(cluster: &Cluster) -> (Api<Bucket>, Api<ConfigMap>) {
    (Api::default_namespaced(cluster.client()), Api::default_namespaced(cluster.client()))
}

/// A cluster with the CRD, which keeps the field `phase` that the new status does not have: the earlier operator stored it.
async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    let mut crd = json!(evenkeel::crd::<bucket>());
    let status = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    status["properties"]["phase"] = json!({ "type": "string" });
    cluster.seed(crd).await.unwrap();
    cluster
}

/// Runs the new operator until the test has ended.
async fn beside(cluster: &Cluster, operator: Operator, test: impl Future<Output = ()>) {
    tokio::select! {
        () = test => {}
        ended = operator.client(cluster.client()).run_until(std::future::pending()) => panic!("{ended:?}"),
    }
}

/// Runs the operator until it has handled the object, and returns the object.
async fn taken_over(cluster: &Cluster, operator: Operator) -> Value {
    let object = object(cluster);
    let is_handled =
        |bucket: &DynamicObject| condition(&json!(bucket), "Created").is_some_and(|it| it["status"] == "True");
    beside(cluster, operator, async {
        eventually(SOON, || async { object.get("b").await.ok().filter(is_handled) }).await;
    })
    .await;
    json!(object.get("b").await.unwrap())
}

/// The objects with all fields, also those that the type does not have.
fn object(cluster: &Cluster) -> Api<DynamicObject> {
    Api::default_namespaced_with(cluster.client(), &ApiResource::erase::<Bucket>(&()))
}

fn condition(object: &Value, type_: &str) -> Option<Value> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == type_).cloned()
}

#[tokio::test(start_paused = true)]
async fn an_object_is_taken_over_in_place() {
    let (cluster, store) = (cluster().await, Store::default());
    leave(&cluster, "b").await;
    let (_, maps) = apis(&cluster);
    let before = maps.get("b").await.unwrap();
    let object = taken_over(&cluster, Operator::new("buckets").reconciler::<bucket>(store)).await;
    // The finalizer is replaced, that of another operator stays.
    assert_eq!(object["metadata"]["finalizers"], json!(["backup.example.com/keep", "demo.evenkeel.dev/buckets"]));
    // A condition of the same name keeps its time, one of another operator stays, and one that is not declared goes.
    assert_eq!(condition(&object, "Ready").unwrap()["lastTransitionTime"], LONG_AGO);
    assert_eq!(condition(&object, "BackedUp"), Some(since_long("BackedUp")));
    assert_eq!(condition(&object, "Synced"), None);
    // A field that the new status has stays, another one goes.
    assert_eq!((&object["status"]["address"], &object["status"]["phase"]), (&json!("n.example.com"), &Value::Null));
    // The ConfigMap is the same one. A field that the new operator does not apply stays.
    let map = maps.get("b").await.unwrap();
    assert_eq!(map.uid(), before.uid());
    assert_eq!(json!(map.data), json!({ "region": "north", "old": "1" }));
    assert_eq!(map.owner_references()[0].controller, Some(true));
}

#[tokio::test(start_paused = true)]
async fn names_that_are_not_declared_leave_their_traces() {
    let (cluster, store) = (cluster().await, Store::default());
    leave(&cluster, "b").await;
    let object = taken_over(&cluster, Operator::new("buckets").reconciler::<unnamed::bucket>(store)).await;
    let finalizers = ["example.com/bucket-cleanup", "backup.example.com/keep", "demo.evenkeel.dev/buckets"];
    assert_eq!(object["metadata"]["finalizers"], json!(finalizers));
    assert_eq!(condition(&object, "Synced"), Some(since_long("Synced")));
    assert_eq!(object["status"]["phase"], "Done");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_was_deleted_meanwhile_is_cleaned_up() {
    let (cluster, store) = (cluster().await, Store::default());
    leave(&cluster, "b").await;
    let (buckets, _) = apis(&cluster);
    buckets.delete("b", &DeleteParams::default()).await.unwrap();
    let operator = Operator::new("buckets").reconciler::<bucket>(store.clone());
    beside(&cluster, operator, async {
        let is_released = |bucket: &Bucket| bucket.finalizers() == ["backup.example.com/keep"];
        eventually(SOON, || async { buckets.get("b").await.ok().filter(is_released) }).await;
    })
    .await;
    assert_eq!(store.calls(), ["remove b"]);
}

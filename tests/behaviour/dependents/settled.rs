//! Waves of workloads that become ready after a while, as on a cluster with controllers.

use std::time::Duration;

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_testkit::{Cluster, Row, Settler, Snapshot};
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, message, reason};
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, PersistentVolumeClaim};
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::shop::{calls, named};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Library", namespaced, status = "LibraryStatus")]
pub(crate) struct LibrarySpec {
    /// The number of readers; an autoscaler decides without it.
    readers: Option<i32>,
}

#[status(dependents)]
pub(crate) struct LibraryStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum LibraryCondition {
    /// All objects are as wanted.
    #[condition(positive)]
    Applied,
    /// All objects are ready.
    #[condition(positive)]
    Healthy,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum LibraryError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

fn pods(restart: &str) -> Value {
    let spec = json!({ "restartPolicy": restart, "containers": [{ "name": "main", "image": "main:1" }] });
    json!({ "metadata": { "labels": { "app": "library" } }, "spec": spec })
}

/// A workload of this number of pods.
fn workload(replicas: Option<i32>) -> Value {
    let selector = json!({ "matchLabels": { "app": "library" } });
    json!({ "spec": { "replicas": replicas, "selector": selector, "template": pods("Always") } })
}

#[sub_reconciler(
    sets(on::Applied, on::Healthy),
    dependents(
        ConfigMap,
        PersistentVolumeClaim,
        StatefulSet,
        Job,
        Deployment,
        HorizontalPodAutoscaler,
        ready_within = "1h"
    )
)]
async fn open(library: &Library, cx: &mut Cx) -> Result<Dependents, LibraryError> {
    let mut wanted = cx.wanted();
    wanted.add::<ConfigMap>(&named("rules", &json!({ "data": { "quiet": "yes" } })));
    let claim = json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } });
    wanted.add::<PersistentVolumeClaim>(&named("shelf", &json!({ "spec": claim })));
    wanted.add::<StatefulSet>(&named("books", &workload(Some(1))));
    wanted.add::<Job>(&named("sort", &json!({ "spec": { "template": pods("Never") } }))).apply_order(1);
    wanted.add::<Deployment>(&named("desk", &workload(library.spec.readers))).apply_order(2);
    if library.spec.readers.is_none() {
        let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "desk" });
        let spec = json!({ "scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9 });
        wanted.add::<HorizontalPodAutoscaler>(&named("desk", &json!({ "spec": spec }))).apply_order(2);
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = LibraryCondition)]
pub(crate) async fn library(library: &Library, cx: &mut Pass<'_>) -> PassResult {
    open(library, cx).await?;
    Ok(())
}

/// A library for this number of readers.
pub(crate) fn a_library(readers: Option<i32>) -> Value {
    let spec = json!({ "readers": readers });
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Library", "metadata": { "name": "a" }, "spec": spec })
}

pub(crate) async fn start() -> (World, Running) {
    let world = World::within(Cluster::start().await);
    world.install(&Library::crd()).await;
    let operator = world.operator::<library>(());
    (world, operator)
}

#[tokio::test(start_paused = true)]
async fn three_waves_become_ready_one_after_the_other() {
    let (world, operator) = start().await;
    let settling = Settler::new().after(Duration::from_secs(20)).start(world.cluster());
    sleep(Duration::from_secs(5)).await;
    world.wire.clear();
    world.create::<Library>(a_library(Some(3))).await;
    sleep(Duration::from_secs(300)).await;
    let library = world.raw::<Library>("a").await;
    assert!(is_ready(&library), "{:#}", library["status"]);
    let (reports, mut sent): (Vec<_>, Vec<_>) = calls(&world).into_iter().partition(|call| call.ends_with("/status"));
    sent[1..4].sort();
    let expected = [
        "PATCH libraries/a",
        "PATCH configmaps/rules",
        "PATCH persistentvolumeclaims/shelf",
        "PATCH statefulsets/books",
        "PATCH jobs/sort",
        "PATCH deployments/desk",
    ];
    assert_eq!(sent, expected);
    // The kinds of the set, the result, one for each wave, and further ones with the progress of a minute.
    assert!(reports.len() <= 2 + 3 + 4, "{reports:?}");
    assert_eq!(settling.settled::<StatefulSet>(), ["default/books"]);
    assert_eq!(settling.settled::<Job>(), ["default/sort"]);
    assert_eq!(settling.settled::<Deployment>(), ["default/desk"]);
    // A change of the last wave only: the others stay ready.
    world.wire.clear();
    world.merge::<Library>("a", json!({ "spec": { "readers": 4 } })).await;
    sleep(Duration::from_secs(10)).await;
    let library = world.raw::<Library>("a").await;
    assert!(message(&library, "Healthy").starts_with("wave 2: 0 of 1 ready"), "{:#}", library["status"]);
    sleep(Duration::from_secs(60)).await;
    assert!(is_ready(&world.raw::<Library>("a").await));
    let sent: Vec<String> = calls(&world).into_iter().filter(|call| !call.ends_with("/status")).collect();
    assert_eq!(sent, ["PATCH deployments/desk"]);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_wave_that_never_becomes_ready_blocks_the_next_one() {
    let (world, operator) = start().await;
    let settling = Settler::new().after(Duration::from_secs(20)).never::<Job>("sort").start(world.cluster());
    world.create::<Library>(a_library(Some(3))).await;
    sleep(Duration::from_secs(3000)).await;
    let library = world.raw::<Library>("a").await;
    assert_eq!(reason(&library, "Healthy"), "DependentsProgressing");
    let text = "wave 1: 0 of 1 ready; Job default/sort: the Job is not complete yet";
    assert_eq!(message(&library, "Healthy"), text);
    assert_eq!(condition(&library, "Applied").unwrap()["status"], "True");
    assert!(world.api::<Deployment>().get_opt("desk").await.unwrap().is_none());
    sleep(Duration::from_secs(3000)).await;
    assert_eq!(reason(&world.raw::<Library>("a").await, "Healthy"), "DependentsTimedOut");
    // Its controller recovers.
    drop(settling);
    let _settling = Settler::new().start(world.cluster());
    sleep(Duration::from_secs(60)).await;
    assert!(is_ready(&world.raw::<Library>("a").await));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn rows_and_snapshots_show_dependents_without_digests() {
    let seen = Row::new("a new library").given(&*a_library(Some(3)).to_string()).pass::<library>(()).await;
    let shown = seen.to_string();
    assert!(shown.contains("- patch configmaps default/rules:\n"), "{shown}");
    let has_digest = |text: &str| text.split(|c: char| !c.is_ascii_hexdigit()).any(|word| word.len() == 32);
    assert!(!shown.contains("evenkeel.dev/operator") && !has_digest(&shown), "{shown}");
    seen.expect(
        "
        outcome: Waiting
        writes:
        - patch libraries default/a
        - patch libraries/status default/a: {status: {dependents: {library/open: {digest: <digest>}}}}
        - patch configmaps default/rules: {metadata: {labels: null, annotations: null}, data: {quiet: 'yes'}}
        - patch persistentvolumeclaims default/shelf
        - patch statefulsets default/books
        - patch libraries/status default/a
        events: [Normal DependentsProgressing]
        conditions:
          Ready: False DependentsProgressing
          Applied: True Succeeded
          Healthy: False DependentsProgressing
          Reconciling: True ProgressingWithRetry
        ",
    );
    let snapshot = |change: fn(Snapshot) -> Snapshot| change(seen.cluster().snapshot()).to_string();
    let redacted = snapshot(|snapshot| snapshot.ignore("status.observedInputs"));
    assert!(redacted.contains("evenkeel.dev/applied: 1 <digest> <digest>\n") && !has_digest(&redacted), "{redacted}");
    assert!(redacted.contains("evenkeel.dev/owner: Library.tests.evenkeel.dev/default/a/library/open for "));
    assert!(has_digest(&snapshot(Snapshot::with_digests)));
}

//! Tests of the operator on Pods, with an API server in this process, in virtual time.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::{Cluster, Disruption, Effect, Fault, Seed, Sweep, Trial, Verb, is_ready, until};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::demo::pod_created;
use crate::kubelet;
use crate::operator::{PodManager, operator, pod_manager};

const LONG: Duration = Duration::from_secs(1200);

/// API servers store whole seconds: Pods that are created this far apart have different times.
const APART: Duration = Duration::from_secs(5);

fn seed() -> Seed {
    Seed::from(&evenkeel::crd::<pod_manager>()).and(json!({ "apiVersion": "demo.evenkeel.dev/v1", "kind": "PodManager",
        "metadata": { "name": "web" }, "spec": { "image": "nginx:1" } }))
}

/// One PodManager and its Pod.
struct World {
    managers: Api<PodManager>,
    pods: Api<Pod>,
}

impl World {
    fn of(client: Client) -> Self {
        Self { managers: Api::default_namespaced(client.clone()), pods: Api::default_namespaced(client) }
    }

    /// Waits until the object is ready and its status holds the creation time of this Pod, and returns the Pod.
    async fn settled(&self) -> Pod {
        let settled = async {
            loop {
                let (object, pod) = (self.managers.get("web").await.unwrap(), self.pods.get_opt("web").await.unwrap());
                let noted =
                    pod.filter(|pod| is_ready(&object) && pod_created(&object) == pod.creation_timestamp().as_ref());
                if let Some(pod) = noted {
                    return pod;
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        };
        tokio::time::timeout(LONG, settled).await.expect("the PodManager is ready and knows the time of its Pod")
    }

    fn kubelet(&self) -> JoinHandle<()> {
        let run = kubelet::run(self.pods.clone());
        tokio::spawn(async move { run.await.unwrap() })
    }

    async fn reason(&self, wanted: &str) {
        until(&self.managers, "web", LONG, |object| {
            let conditions = object.status.as_ref().map(|status| &status.conditions);
            conditions.and_then(|all| condition::find(all, READY)).is_some_and(|ready| ready.reason == wanted)
        })
        .await;
    }
}

fn operate(cluster: &Cluster) -> JoinHandle<()> {
    let operator = operator().client(cluster.client());
    tokio::spawn(async move { operator.run_until(std::future::pending()).await.unwrap() })
}

/// A cluster with a PodManager, a stand-in for the kubelet, and the operator.
async fn start() -> (Cluster, World, JoinHandle<()>) {
    let cluster = Cluster::start().await;
    cluster.seed(seed()).await.unwrap();
    let world = World::of(cluster.client());
    world.kubelet();
    let operator = operate(&cluster);
    (cluster, world, operator)
}

#[tokio::test(start_paused = true)]
async fn the_pod_is_created_owned_and_recorded() {
    let (_cluster, world, _) = start().await;
    let pod = world.settled().await;
    assert_eq!(pod.spec.unwrap().containers[0].image.as_deref(), Some("nginx:1"));
    assert_eq!(pod.metadata.owner_references.unwrap()[0].kind, "PodManager");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_is_recreated_and_recorded() {
    let (_cluster, world, _) = start().await;
    let first = world.settled().await;
    tokio::time::sleep(APART).await;
    world.pods.delete("web", &DeleteParams::default()).await.unwrap();
    let second = world.settled().await;
    assert_ne!(first.uid(), second.uid());
    assert!(first.creation_timestamp().unwrap() < second.creation_timestamp().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_changed_image_is_corrected_in_place() {
    let (_cluster, world, _) = start().await;
    let before = world.settled().await;
    let drift = json!({ "spec": { "containers": [{ "name": "main", "image": "other" }] } });
    world.pods.patch("web", &PatchParams::default(), &Patch::Strategic(drift)).await.unwrap();
    let image = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.containers[0].image.clone());
    let after = until(&world.pods, "web", LONG, |pod| image(pod).as_deref() == Some("nginx:1")).await;
    assert_eq!(before.uid(), after.uid());
}

#[tokio::test(start_paused = true)]
async fn a_pending_pod_is_awaited_with_its_time_recorded() {
    let cluster = Cluster::start().await;
    cluster.seed(seed()).await.unwrap();
    let (world, _operator) = (World::of(cluster.client()), operate(&cluster));
    world.reason("PodNotReady").await;
    let (object, pod) = (world.managers.get("web").await.unwrap(), world.pods.get("web").await.unwrap());
    assert_eq!(pod_created(&object), pod.creation_timestamp().as_ref());
}

#[tokio::test(start_paused = true)]
async fn the_time_is_recorded_when_apply_fails() {
    let (cluster, world, operator) = start().await;
    world.settled().await;
    operator.abort();
    tokio::time::sleep(APART).await;
    // The Pod was replaced and has another creation time; the apply of the operator is rejected.
    let mut pod = world.pods.get("web").await.unwrap();
    world.pods.delete("web", &DeleteParams::default()).await.unwrap();
    pod.metadata.resource_version = None;
    pod.metadata.uid = None;
    let pod = world.pods.create(&PostParams::default(), &pod).await.unwrap();
    cluster.faults().add(
        Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("pods").caller("pod-manager/pod_manager").always(),
    );
    let _operator = operate(&cluster);
    world.reason("ApplyFailed").await;
    until(&world.managers, "web", LONG, |object| pod_created(object) == pod.creation_timestamp().as_ref()).await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_of_another_owner_is_not_adopted() {
    let cluster = Cluster::start().await;
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "m" } })).unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    let uid = maps.create(&PostParams::default(), &map).await.unwrap().uid();
    let owner = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "m", "uid": uid, "controller": true });
    let pod = json!({ "metadata": { "name": "web", "ownerReferences": [owner] },
        "spec": { "containers": [{ "name": "main", "image": "theirs" }] } });
    let world = World::of(cluster.client());
    world.pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    cluster.seed(seed()).await.unwrap();
    let _operator = operate(&cluster);
    world.reason("PodForeign").await;
    let object = world.managers.get("web").await.unwrap();
    let status = object.status.unwrap();
    let reason = |type_: &str| condition::find(&status.conditions, type_).unwrap().reason.clone();
    assert_eq!((reason("PodApplied"), reason("PodReady")), ("DependentForeign".into(), "PodForeign".into()));
    assert_eq!(status.pod_created, None);
    world.kubelet();
    world.pods.delete("web", &DeleteParams::default()).await.unwrap();
    world.settled().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_writes_nothing() {
    let (cluster, world, operator) = start().await;
    world.settled().await;
    tokio::time::sleep(APART).await;
    operator.abort();
    cluster.log().clear();
    let _operator = operate(&cluster);
    tokio::time::sleep(APART).await;
    let requests = cluster.log().requests();
    assert!(!requests.by("pod-manager").reads().resource("pods").entries().is_empty(), "the operator runs");
    requests.writes().assert_none();
}

/// Deletes the Pod without the operator; returns whether its successor is a new Pod.
async fn scenario(trial: Trial) -> bool {
    trial.cluster().seed(seed()).await.unwrap();
    let world = World::of(trial.client());
    trial.operate(|client| operator().client(client).run_until(std::future::pending()));
    let kubelet = world.kubelet();
    let first = world.settled().await;
    tokio::time::sleep(APART).await;
    world.pods.delete("web", &DeleteParams::default()).await.unwrap();
    let second = world.settled().await;
    kubelet.abort();
    first.creation_timestamp() < second.creation_timestamp()
}

#[tokio::test(start_paused = true)]
async fn the_operator_converges_after_any_fault() {
    // The field holds digests of uids.
    let sweep = Sweep::new().ignore("status.observedInputs").limit(10_000);
    let report = sweep.run(scenario).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}

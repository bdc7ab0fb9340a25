//! The roles of the operator are what it needs.

use std::time::Duration;

use evenkeel_testkit::{Scene, eventually, is_ready, rights, until};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::kubelet;
use crate::operator::{PodManager, PodManagerSpec, operator};

const LONG: Duration = Duration::from_secs(1_200);

/// A PodManager is created and deleted. Others delete its Pod and change the image of the next one.
async fn a_life(scene: Scene) {
    let managers: Api<PodManager> = Api::default_namespaced(scene.client());
    let pods: Api<Pod> = Api::default_namespaced(scene.client());
    let kubelet = tokio::spawn(kubelet::run(pods.clone()));
    let manager = PodManager::new("web", PodManagerSpec { image: "nginx:1".into() });
    managers.create(&PostParams::default(), &manager).await.unwrap();
    until(&managers, "web", LONG, is_ready).await;
    let first = pods.get("web").await.unwrap().uid();
    pods.delete("web", &DeleteParams::default()).await.unwrap();
    until(&pods, "web", LONG, |pod| pod.uid() != first).await;
    let drift = json!({ "spec": { "containers": [{ "name": "main", "image": "other" }] } });
    pods.patch("web", &PatchParams::default(), &Patch::Strategic(drift)).await.unwrap();
    let image = |pod: &Pod| pod.spec.as_ref().and_then(|spec| spec.containers[0].image.clone());
    until(&pods, "web", LONG, |pod| image(pod).as_deref() == Some("nginx:1")).await;
    until(&managers, "web", LONG, is_ready).await;
    managers.delete("web", &DeleteParams::default()).await.unwrap();
    kubelet.abort();
}

/// An earlier version of the operator has put a finalizer on a PodManager, which is being deleted.
async fn an_upgrade(scene: Scene) {
    let managers: Api<PodManager> = Api::default_namespaced(scene.client());
    let mut manager = PodManager::new("old", PodManagerSpec { image: "nginx:1".into() });
    manager.metadata.finalizers = Some(vec!["demo.evenkeel.dev/pod-manager".to_owned()]);
    managers.create(&PostParams::default(), &manager).await.unwrap();
    managers.delete("old", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { managers.get_opt("old").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    rights(operator).scenario("a life", a_life).scenario("an upgrade", an_upgrade).prove().await;
}

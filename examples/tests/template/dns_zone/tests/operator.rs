//! Tests of the operator. They need no cluster: the test kit serves the Kubernetes API.

use std::num::NonZeroU32;
use std::time::Duration;

use evenkeel::manifests::ManifestOptions;
use evenkeel_testkit::{Row, Scene, eventually, rights, until};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams};
use kube::{Resource, ResourceExt};
use operator::{api, reconcile};

/// Virtual time, which passes at once.
const LONG: Duration = Duration::from_secs(600);

fn object(text: &str) -> api::DNSZone {
    api::DNSZone::new("a", api::DNSZoneSpec { text: text.to_owned() })
}

#[tokio::test(start_paused = true)]
async fn a_new_object_gets_a_config_map() {
    let plural = api::DNSZone::plural(&());
    let row = Row::new("a new object").given(&object("hello"));
    row.pass::<reconcile>(()).await.expect(&format!(
        "
        writes:
        - patch configmaps default/a:
            data:
              text: hello
        - patch {plural}/status default/a:
            status:
              configMap: a
        events: [Normal Succeeded]
        conditions:
          Ready: True Succeeded
          Published: True Succeeded
        "
    ));
}

#[tokio::test(start_paused = true)]
async fn an_empty_text_stalls() {
    let plural = api::DNSZone::plural(&());
    let row = Row::new("an object without a text").given(&object(""));
    row.pass::<reconcile>(()).await.expect(&format!(
        "
        outcome: Stalled
        writes:
        - patch {plural}/status default/a
        events: [Warning TextEmpty]
        conditions:
          Ready: False TextEmpty
          Stalled: True TextEmpty
          Published: False TextEmpty
        "
    ));
}

/// An object is created, changed and deleted. Its ConfigMap is deleted by others meanwhile.
async fn a_life(scene: Scene) {
    let objects: Api<api::DNSZone> = Api::default_namespaced(scene.client());
    let maps: Api<ConfigMap> = Api::default_namespaced(scene.client());
    objects.create(&PostParams::default(), &object("hello")).await.unwrap();
    until(&maps, "a", LONG, |map| text_of(map) == Some("hello")).await;
    let mut changed = objects.get("a").await.unwrap();
    changed.spec.text = "bye".to_owned();
    objects.replace("a", &PostParams::default(), &changed).await.unwrap();
    let map = until(&maps, "a", LONG, |map| text_of(map) == Some("bye")).await;
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    until(&maps, "a", LONG, |next| next.uid() != map.uid()).await;
    objects.delete("a", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { maps.get_opt("a").await.unwrap().is_none().then_some(()) }).await;
}

fn text_of(map: &ConfigMap) -> Option<&str> {
    map.data.as_ref()?.get("text").map(String::as_str)
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    let mut options = ManifestOptions::new("registry.example/operator:1", "operators");
    options.replicas = NonZeroU32::new(2);
    let finalizers = format!("patch {}", api::DNSZone::plural(&()));
    let proof = rights(operator::operator).options(options).scenario("a life", a_life);
    proof.except(&finalizers, "no object has a finalizer of an earlier version").prove().await;
}

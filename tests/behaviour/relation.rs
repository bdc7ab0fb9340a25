//! Relations to kinds with a status: a watched object triggers on any change, an owned one on its spec only.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RelatedCondition {
    /// The neighbours were looked at.
    #[condition(positive)]
    Looked,
    /// The own deployment is as it should be.
    #[condition(positive)]
    Deployed,
}

/// Reads a Deployment by name, and a ConfigMap by label.
#[sub_reconciler(sets(on::Looked), watches(Deployment, by_name), watches(ConfigMap, labels = "look=yes"))]
async fn look(_: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, look>) -> Result<(), WidgetError> {
    let neighbour = cx.get::<Deployment>("neighbour").await?;
    let replicas = neighbour.and_then(|deployment| deployment.status?.ready_replicas);
    let map = cx.get::<ConfigMap>("map").await?;
    lab.note(&format!("look: {replicas:?} ready, map {}", map.is_some()));
    Ok(())
}

/// Owns a Deployment and never reads it.
#[sub_reconciler(sets(on::Deployed), owns(Deployment))]
async fn deploy(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, deploy>) -> Result<(), WidgetError> {
    lab.note("deploy");
    let mut deployment = a_deployment("own");
    deployment.metadata.labels = widget.spec.child.clone().map(|child| [("child".to_owned(), child)].into());
    cx.apply(&deployment).await?;
    Ok(())
}

#[reconciler(conditions = RelatedCondition, requeue = "30d")]
async fn related(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(widget, lab, cx).await?;
    deploy(widget, lab, cx).await?;
    Ok(())
}

fn a_deployment(name: &str) -> Deployment {
    let spec = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": {
        "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } } });
    Deployment {
        metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
        spec: serde_json::from_value(spec).unwrap(),
        status: None,
    }
}

async fn world() -> (World, Arc<Lab>, evenkeel_tests::test_env::Running) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.api::<Deployment>().create(&PostParams::default(), &a_deployment("neighbour")).await.unwrap();
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    let operator = world.operator::<related>(lab.clone());
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    assert_eq!(lab.log(), ["look: None ready, map false", "deploy"]);
    (world, lab, operator)
}

async fn until_logged(lab: &Lab, line: &str) {
    eventually(SOON, || async { lab.log().iter().any(|logged| logged == line).then_some(()) }).await;
}

#[tokio::test]
async fn a_status_change_of_a_watched_object_triggers() {
    let (world, lab, operator) = world().await;
    let status = json!({ "status": { "replicas": 3, "readyReplicas": 3 } });
    let api = world.api::<Deployment>();
    api.patch_status("neighbour", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    until_logged(&lab, "look: Some(3) ready, map false").await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn only_objects_with_the_label_trigger() {
    let (world, lab, operator) = world().await;
    let maps = world.api::<ConfigMap>();
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "map" } })).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    world.quiet().await;
    assert_eq!(lab.log().len(), 2, "not under the label");
    let label = json!({ "metadata": { "labels": { "look": "yes" } } });
    maps.patch("map", &PatchParams::default(), &Patch::Merge(label)).await.unwrap();
    until_logged(&lab, "look: None ready, map true").await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn only_spec_drift_of_an_owned_object_triggers() {
    let (world, lab, operator) = world().await;
    let api = world.api::<Deployment>();
    let status = json!({ "status": { "replicas": 1 } });
    api.patch_status("own", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    world.quiet().await;
    assert_eq!(lab.log().len(), 2);
    let drift = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "c", "image": "drifted" }] } } } });
    api.patch("own", &PatchParams::default(), &Patch::Merge(drift)).await.unwrap();
    eventually(SOON, || async {
        let own = serde_json::to_value(api.get("own").await.ok()?).ok()?;
        (own["spec"]["template"]["spec"]["containers"][0]["image"] == "i").then_some(())
    })
    .await;
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn relations_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let (deployments, lab) = (stage.api::<Deployment>(), Lab::at("a"));
        deployments.create(&PostParams::default(), &a_deployment("neighbour")).await.unwrap();
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.operate::<related>(lab.clone());
        stage.rest().await;
        let status = json!({ "status": { "replicas": 3, "readyReplicas": 3 } });
        deployments.patch_status("neighbour", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
        let drift =
            json!({ "spec": { "template": { "spec": { "containers": [{ "name": "c", "image": "drifted" }] } } } });
        deployments.patch("own", &PatchParams::default(), &Patch::Merge(drift)).await.unwrap();
        stage.rest().await;
        let map = json!({ "metadata": { "name": "map", "labels": { "look": "yes" } } });
        let map: ConfigMap = serde_json::from_value(map).unwrap();
        stage.api::<ConfigMap>().create(&PostParams::default(), &map).await.unwrap();
        stage.rest().await;
        let mut looks = lab.log().into_iter().filter(|line| line.starts_with("look"));
        assert_eq!(looks.next_back().as_deref(), Some("look: Some(3) ready, map true"));
        let own = stage.raw::<Deployment>("own").await;
        assert_eq!(own["spec"]["template"]["spec"]["containers"][0]["image"], "i");
    })
    .await;
}

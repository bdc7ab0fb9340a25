//! `migrate`: what it writes, and what it leaves when something fails.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::operator::Reason;
use evenkeel_testkit::{Cluster, Effect, Fault, Verb};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, widget};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::time::Instant;

const CRD: &str = "widgets.tests.evenkeel.dev";

fn operator(client: Client) -> Operator {
    Operator::new("tester").client(client).reconciler::<widget>(Lab::at("a"))
}

fn crds(client: &Client) -> Api<CustomResourceDefinition> {
    Api::all(client.clone())
}

/// A CRD whose objects may be stored in an earlier version, with this many objects.
async fn cluster(objects: usize) -> Cluster {
    let cluster = Cluster::start().await;
    let mut old = definition();
    let mut former = old.spec.versions[0].clone();
    former.name = "v0".to_owned();
    former.storage = false;
    old.spec.versions.push(former);
    cluster.seed(&old).await.unwrap();
    let patch = json!({ "status": { "storedVersions": ["v0", "v1"] } });
    crds(&cluster.client()).patch_status(CRD, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let api = Api::<Widget>::namespaced(cluster.client(), "default");
    for number in 0..objects {
        let object: Widget = serde_json::from_value(a_widget(&format!("w{number}"), json!({}))).unwrap();
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    cluster
}

async fn stored(cluster: &Cluster) -> Vec<String> {
    crds(&cluster.client()).get(CRD).await.unwrap().status.unwrap().stored_versions.unwrap()
}

async fn migrate(cluster: &Cluster, line: &[&str]) -> (u8, String) {
    let mut out = Vec::new();
    let line = [&["migrate"], line].concat();
    let code = operator(cluster.client()).cluster_command(line, &mut out).await.unwrap();
    (code, String::from_utf8(out).unwrap())
}

async fn refused(operator: Operator, line: &[&str]) -> evenkeel::operator::Error {
    operator.cluster_command([&["migrate"], line].concat(), Vec::new()).await.unwrap_err()
}

/// How many objects were written.
fn writes(cluster: &Cluster) -> usize {
    cluster.log().writes().iter().filter(|entry| entry.resource == "widgets" && entry.verb == Verb::Patch).count()
}

#[tokio::test(start_paused = true)]
async fn each_object_is_written_once_and_at_the_rate() {
    let cluster = cluster(101).await;
    let began = Instant::now();
    let (code, text) = migrate(&cluster, &[]).await;
    let wanted = format!("{CRD}: 101 objects written in v1; no object is stored in v0 any more\n");
    assert_eq!((code, text), (0, wanted));
    assert_eq!((writes(&cluster), stored(&cluster).await), (101, vec!["v1".to_owned()]));
    assert!(began.elapsed() >= Duration::from_secs(2), "50 per second");
    let (_, text) = migrate(&cluster, &["Widget", "-o", "json"]).await;
    let again: Value = serde_json::from_str(&text).unwrap();
    let wanted =
        json!([{ "crd": CRD, "storage": "v1", "before": ["v1"], "stored": ["v1"], "objects": 0, "changed": 0 }]);
    assert_eq!((again, writes(&cluster)), (wanted, 101));
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_written_is_named_and_nothing_is_dropped() {
    let cluster = cluster(3).await;
    let fault = Fault::new(Effect::Status(422)).verb(Verb::Patch).resource("widgets").name("w1");
    cluster.faults().add(fault.always());
    let (code, text) = migrate(&cluster, &[]).await;
    assert_eq!(code, 1);
    let wanted = format!("{CRD}: 2 objects written in v1, 1 not; `status.storedVersions` stays v0, v1\n  default/w1: ");
    assert!(text.starts_with(&wanted) && text.contains("help: "), "{text}");
    assert_eq!(stored(&cluster).await, ["v0", "v1"]);
    cluster.faults().clear();
    assert_eq!(migrate(&cluster, &["widgets"]).await.0, 0);
    assert_eq!(stored(&cluster).await, ["v1"]);
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again_and_a_deleted_or_changed_object_is_no_failure() {
    let cluster = cluster(3).await;
    let fault = |effect, name: &str| Fault::new(effect).verb(Verb::Patch).resource("widgets").name(name);
    cluster.faults().add(fault(Effect::Unavailable, "w0").times(3));
    cluster.faults().add(fault(Effect::SubresourceNotFound, "w1"));
    cluster.faults().add(fault(Effect::Conflict, "w2"));
    let (code, text) = migrate(&cluster, &[]).await;
    let wanted =
        format!("{CRD}: 1 objects written in v1, 2 changed or deleted meanwhile; no object is stored in v0 any more\n");
    assert_eq!((code, text), (0, wanted));
    assert_eq!(stored(&cluster).await, ["v1"]);
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_served_is_no_deleted_object() {
    let cluster = cluster(1).await;
    for effect in [Effect::PageNotFound, Effect::KindNotFound] {
        cluster.faults().add(Fault::new(effect).verb(Verb::Patch).resource("widgets"));
        let (code, text) = migrate(&cluster, &[]).await;
        assert!(code == 1 && text.contains("1 not"), "{text}");
        assert_eq!(stored(&cluster).await, ["v0", "v1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_rights_it_ends_at_once() {
    let cluster = cluster(200).await;
    let fault = Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("widgets");
    cluster.faults().add(fault.always());
    let error = refused(operator(cluster.client()), &[]).await;
    assert_eq!(error.reason(), Reason::Forbidden);
    assert!(error.to_string().starts_with("widgets cannot be written: ") && error.help().contains("patch"), "{error}");
    assert!(writes(&cluster) <= 16, "those that were on their way: {}", writes(&cluster));
    assert_eq!(stored(&cluster).await, ["v0", "v1"]);
}

#[tokio::test]
async fn another_storage_version_or_kind_is_refused() {
    let cluster = cluster(1).await;
    let error = refused(operator(cluster.client()), &["gadgets"]).await;
    assert_eq!(error.to_string(), "this operator has no CRD of gadgets\n  help: name one of its kinds: widgets");
    let mut definition = crds(&cluster.client()).get(CRD).await.unwrap();
    for version in &mut definition.spec.versions {
        version.storage = version.name == "v0";
    }
    crds(&cluster.client()).replace(CRD, &PostParams::default(), &definition).await.unwrap();
    let error = refused(operator(cluster.client()), &[]).await;
    assert_eq!(error.reason(), Reason::Outdated);
    assert!(
        error.to_string().starts_with("the CRD widgets.tests.evenkeel.dev stores v0, and this program stores v1"),
        "{error}"
    );
    assert_eq!(writes(&cluster), 0);
    let missing = refused(operator(Cluster::start().await.client()), &[]).await;
    assert_eq!(missing.reason(), Reason::NotInstalled);
}

/// The storage version changes while objects are written.
#[tokio::test(start_paused = true)]
async fn a_storage_version_that_changes_meanwhile_is_noticed() {
    let cluster = cluster(500).await;
    let client = cluster.client();
    let change = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let mut definition = crds(&client).get(CRD).await.unwrap();
        for version in &mut definition.spec.versions {
            version.storage = version.name == "v0";
        }
        crds(&client).replace(CRD, &PostParams::default(), &definition).await.unwrap();
    };
    let (error, ()) = tokio::join!(refused(operator(cluster.client()), &[]), change);
    assert!(
        error
            .to_string()
            .starts_with("the storage version of the CRD widgets.tests.evenkeel.dev has changed from v1 to v0"),
        "{error}"
    );
    assert_eq!(stored(&cluster).await, ["v0", "v1"]);
}

// That a write without a change is stored in the storage version: its resource version changes.
on_each_server!(a_write_without_a_change_is_stored_in_the_storage_version);

async fn a_write_without_a_change_is_stored_in_the_storage_version(world: World) -> World {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
        })
    };
    let crd = |versions: Value| -> CustomResourceDefinition {
        serde_json::from_value(json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "boxes.upgrade.tests.evenkeel.dev" },
            "spec": {
                "group": "upgrade.tests.evenkeel.dev", "scope": "Namespaced", "versions": versions,
                "names": { "kind": "Box", "plural": "boxes", "singular": "box", "listKind": "BoxList" },
            },
        }))
        .unwrap()
    };
    world.install(&crd(json!([version("v1", true)]))).await;
    let kind = kube::api::GroupVersionKind::gvk("upgrade.tests.evenkeel.dev", "v1", "Box");
    let resource = kube::api::ApiResource::from_gvk_with_plural(&kind, "boxes");
    let boxes = Api::<kube::api::DynamicObject>::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let object = serde_json::from_value(json!({
        "apiVersion": "upgrade.tests.evenkeel.dev/v1", "kind": "Box", "metadata": { "name": "one" }, "spec": { "a": 1 },
    }));
    let made = boxes.create(&PostParams::default(), &object.unwrap()).await.unwrap();
    let write = async || {
        let patch = json!({ "metadata": { "uid": made.metadata.uid } });
        boxes
            .patch_metadata("one", &PatchParams::default(), &Patch::Merge(patch))
            .await
            .unwrap()
            .metadata
            .resource_version
    };
    assert_eq!(write().await, made.metadata.resource_version, "it is stored in v1 already");
    world.install(&crd(json!([version("v1", false), version("v2", true)]))).await;
    let stored = evenkeel_testkit::eventually(evenkeel_tests::test_env::SOON, || async {
        let stored = write().await;
        (stored != made.metadata.resource_version).then_some(stored)
    })
    .await;
    assert_eq!(write().await, stored, "it is stored in v2 now");
    world
}

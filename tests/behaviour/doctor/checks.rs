//! `doctor` on a cluster in which a part is missing.

use evenkeel::Operator;
use evenkeel_testkit::Cluster;
use evenkeel_tests::on_each_server;
use evenkeel_tests::role::Role;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, widget};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;

use super::{examined, look};

fn operator() -> Operator {
    Operator::new("tester").reconciler::<widget>(Lab::at("a"))
}

on_each_server!(a_cluster_with_everything_is_well);

async fn a_cluster_with_everything_is_well(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("one", json!({}))).await;
    let (code, text) = look(operator().client(world.client.clone()).namespaces([&world.namespace]), &["doctor"]).await;
    assert_eq!(code, 0, "{text}");
    let bad: Vec<&str> = text.lines().filter(|line| !line.starts_with("ok") && !line.starts_with("info")).collect();
    match world.server {
        // This server has no API for rights.
        Server::Modern => assert!(bad.len() == 1 && bad[0].contains("questions about rights"), "{text}"),
        _ => assert_eq!(bad, [] as [&str; 0], "{text}"),
    }
    assert!(text.contains("ok      the CRD widgets.tests.evenkeel.dev is installed and fits: v1\n"), "{text}");
    assert!(text.contains("info    1 objects: a replica takes about 40 MiB of memory\n"), "{text}");
    world
}

#[tokio::test]
async fn without_an_api_server_there_is_one_line() {
    let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
    let (code, text) = look(operator().client(Client::try_from(config).unwrap()), &["doctor"]).await;
    assert_eq!(code, 2);
    assert!(text.starts_with("FAIL    the API server does not respond: "), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[tokio::test]
async fn a_kind_that_is_not_installed_fails() {
    let cluster = Cluster::start().await;
    let (code, lines) = examined(operator().client(cluster.client())).await;
    assert_eq!(code, 1);
    assert!(lines.contains(&"fail: the CRD widgets.tests.evenkeel.dev is not installed".to_owned()), "{lines:?}");
    assert!(lines.contains(&"fail: Widget of tests.evenkeel.dev/v1 is not served".to_owned()), "{lines:?}");
}

#[tokio::test]
async fn a_crd_that_does_not_fit_fails_as_at_the_start() {
    let cluster = Cluster::start().await;
    let mut old = definition();
    let schema = old.spec.versions[0].schema.as_mut().unwrap().open_api_v3_schema.as_mut().unwrap();
    let status = schema.properties.as_mut().unwrap().get_mut("status").unwrap();
    status.properties.as_mut().unwrap().remove("fetched");
    cluster.seed(&old).await.unwrap();
    let (code, lines) = examined(operator().client(cluster.client())).await;
    let wanted =
        "fail: the installed CRD widgets.tests.evenkeel.dev does not fit the program in v1: .status.fetched is missing";
    assert!(code == 1 && lines.iter().any(|line| line == wanted), "{lines:?}");
}

/// The CRD with these versions in its status.
async fn with_stored(versions: &[&str]) -> (u8, Vec<String>) {
    let cluster = Cluster::start().await;
    cluster.seed(&definition()).await.unwrap();
    let api = Api::<CustomResourceDefinition>::all(cluster.client());
    let patch = json!({ "status": { "storedVersions": versions } });
    api.patch_status("widgets.tests.evenkeel.dev", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    examined(operator().client(cluster.client())).await
}

#[tokio::test]
async fn a_stored_version_that_the_program_does_not_know_fails() {
    let (code, lines) = with_stored(&["v1", "v2"]).await;
    let wanted = "fail: objects of widgets.tests.evenkeel.dev may be stored in v2, which this program does not know";
    assert!(code == 1 && lines.iter().any(|line| line == wanted), "{lines:?}");
    assert_eq!(with_stored(&["v1"]).await.0, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_denied_right_is_named() {
    let cluster = Cluster::builder().rbac().start().await;
    cluster.seed(&definition()).await.unwrap();
    let role = Role { admin: cluster.client(), name: "tester".into() };
    role.allow(&operator(), &[("configmaps", "patch"), ("secrets", "list"), ("secrets", "watch")].into()).await;
    let (code, lines) = examined(operator().client(cluster.client_as("tester"))).await;
    let denied: Vec<&String> = lines.iter().filter(|line| line.starts_with("fail")).collect();
    assert_eq!(
        denied,
        ["fail: the right to patch configmaps is denied", "fail: the right to list, watch secrets is denied"]
    );
    assert_eq!(code, 1);
    role.allow(&operator(), &[].into()).await;
    let (code, lines) = examined(operator().client(cluster.client_as("tester"))).await;
    assert!(code == 0 && lines.iter().any(|line| line.ends_with("rights are granted")), "{lines:?}");
}

#[tokio::test]
async fn an_object_that_cannot_go_is_named() {
    let cluster = Cluster::start().await;
    cluster.seed(&definition()).await.unwrap();
    let api = Api::<Widget>::namespaced(cluster.client(), "default");
    for finalizer in ["tests.evenkeel.dev/former", "tests.evenkeel.dev/tester", "example.com/other"] {
        let name = finalizer.split_once('/').unwrap().1;
        let mut object: Widget = serde_json::from_value(a_widget(name, json!({}))).unwrap();
        object.metadata.finalizers = Some(vec![finalizer.to_owned()]);
        api.create(&Default::default(), &object).await.unwrap();
    }
    let stuck = async || {
        let (code, lines) = examined(operator().client(cluster.client())).await;
        assert_eq!(code, 0, "a warning is no failure: {lines:?}");
        lines.into_iter().filter(|line| line.starts_with("warn")).collect::<Vec<_>>()
    };
    assert_eq!(stuck().await, [] as [&str; 0]);
    for name in ["former", "tester", "other"] {
        api.delete(name, &DeleteParams::default()).await.unwrap();
    }
    let wanted = "warn: Widget default/former is being deleted and has the finalizer `tests.evenkeel.dev/former`, which nothing in this \
                  program removes";
    assert_eq!(stuck().await, [wanted]);
}

#[tokio::test]
async fn nothing_is_written() {
    let cluster = Cluster::start().await;
    cluster.seed(&definition()).await.unwrap();
    let before = cluster.log().writes().len();
    for line in [&["doctor"][..], &["status"]] {
        look(operator().client(cluster.client()), line).await;
    }
    let writes = cluster.log().writes();
    // Questions about rights are sent as creations that store nothing.
    let stored = writes.iter().filter(|entry| entry.resource != "selfsubjectaccessreviews").count();
    assert_eq!(stored, before);
}

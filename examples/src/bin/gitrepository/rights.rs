//! The roles of the operator are what it needs.

use std::time::Duration;

use evenkeel_testkit::{Scene, eventually, is_ready, rights, until};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;

use crate::operator::{GitRepository, operator};
use crate::sample;
use crate::storage::Storage;

const LONG: Duration = Duration::from_secs(1_200);

/// A repository is created, archived and deleted.
async fn a_life(scene: Scene, origin: String) {
    let repositories: Api<GitRepository> = Api::namespaced(scene.client(), "default");
    let login: Secret = serde_json::from_value(json!({ "metadata": { "name": "login" },
        "stringData": { "username": "me", "password": "secret" } }))
    .unwrap();
    let secrets: Api<Secret> = Api::namespaced(scene.client(), "default");
    let repository: GitRepository = serde_json::from_value(json!({ "apiVersion": "source.evenkeel.dev/v1",
        "kind": "GitRepository", "metadata": { "name": "a" },
        "spec": { "url": origin, "interval": "1h", "secret": "login" } }))
    .unwrap();
    secrets.create(&PostParams::default(), &login).await.unwrap();
    repositories.create(&PostParams::default(), &repository).await.unwrap();
    until(&repositories, "a", LONG, is_ready).await;
    repositories.delete("a", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { repositories.get_opt("a").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    let (origin, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    sample::repository(origin.path(), &[("file", "text")]).unwrap();
    let (url, data) = (origin.path().display().to_string(), data.path().to_owned());
    rights(move || operator(Storage::open(&data).unwrap()))
        .scenario("a life", move |scene| a_life(scene, url.clone()))
        .prove()
        .await;
}

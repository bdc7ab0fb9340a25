//! Tests of the operator on real files, with an API server in this process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::condition::{self, ConditionStatus, READY};
use evenkeel_testkit::{Cluster, eventually};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, CustomResourceExt};
use serde_json::json;

use crate::operator::{GitRepository, git_repository, operator};
use crate::sample;
use crate::storage::Storage;

const NAME: &str = "podinfo";
const LONG: Duration = Duration::from_secs(30);

/// A cluster with the operator running on one repository.
struct World {
    cluster: Cluster,
    repositories: Api<GitRepository>,
    folder: tempfile::TempDir,
}

impl World {
    async fn start() -> Self {
        let cluster = Cluster::start().await;
        let folder = tempfile::tempdir().unwrap();
        let apply = PatchParams::apply("test").force();
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
        let definition = Patch::Apply(evenkeel::crd::<git_repository>());
        definitions.patch(GitRepository::crd_name(), &apply, &definition).await.unwrap();
        let storage = Storage::open(folder.path().join("data")).unwrap();
        tokio::spawn(operator(storage).client(cluster.client()).run_until(std::future::pending()));
        Self { repositories: Api::default_namespaced(cluster.client()), cluster, folder }
    }

    fn origin(&self) -> PathBuf {
        self.folder.path().join("origin")
    }

    fn commit(&self, text: &str) -> String {
        format!("main@sha1:{}", sample::repository(&self.origin(), &[("file", text)]).unwrap())
    }

    async fn apply(&self, extra: serde_json::Value) {
        self.apply_as(NAME, extra).await;
    }

    async fn apply_as(&self, name: &str, extra: serde_json::Value) {
        let mut spec = json!({ "url": self.origin(), "interval": "1s" });
        spec.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let object = json!({ "apiVersion": "source.evenkeel.dev/v1", "kind": "GitRepository", "spec": spec });
        self.repositories.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&object)).await.unwrap();
    }

    /// Waits until Ready is True and the status names the revision, and returns the stored file.
    async fn stored(&self, revision: &str) -> PathBuf {
        self.stored_as(NAME, revision).await
    }

    async fn stored_as(&self, name: &str, revision: &str) -> PathBuf {
        let path = eventually(LONG, || async {
            let object = self.repositories.get(name).await.ok()?;
            let artifact = object.status.as_ref()?.artifact.clone()?;
            (ready(&object) == Some(ConditionStatus::True) && artifact.revision == revision).then_some(artifact.path)
        });
        self.data().join(path.await)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Reason and message of Ready.
    async fn ready_text(&self, name: &str) -> (String, String) {
        eventually(LONG, || async {
            let object = self.repositories.get(name).await.ok()?;
            let conditions = object.status?.conditions;
            condition::find(&conditions, READY).map(|ready| (ready.reason.clone(), ready.message.clone()))
        })
        .await
    }

    fn status_writes(&self) -> usize {
        self.cluster.log().count(|entry| entry.is_write() && entry.subresource.as_deref() == Some("status"))
    }
}

fn ready(object: &GitRepository) -> Option<ConditionStatus> {
    condition::find(&object.status.as_ref()?.conditions, READY).map(|ready| ready.status)
}

async fn appears(path: &Path) {
    eventually(LONG, || async { path.exists().then_some(()) }).await;
}

#[tokio::test]
async fn a_new_revision_is_one_write_and_stays_ready() {
    let world = World::start().await;
    let first = world.commit("one");
    world.apply(json!({})).await;
    world.stored(&first).await;
    let states = Arc::new(Mutex::new(Vec::new()));
    let seen = states.clone();
    let config = watcher::Config::default();
    let mut stream = watcher(world.repositories.clone(), config).applied_objects().boxed();
    stream.try_next().await.unwrap();
    tokio::spawn(stream.try_for_each(move |object| {
        seen.lock().unwrap().push(ready(&object));
        futures::future::ready(Ok(()))
    }));
    let before = world.status_writes();
    let second = world.commit("two");
    let file = world.stored(&second).await;
    // A later pass rebuilds the file, so all writes of the first pass are done by then.
    std::fs::remove_file(&file).unwrap();
    appears(&file).await;
    assert_eq!(world.status_writes(), before + 1);
    eventually(LONG, || async { (!states.lock().unwrap().is_empty()).then_some(()) }).await;
    assert_eq!(*states.lock().unwrap(), [Some(ConditionStatus::True)]);
}

#[tokio::test]
async fn a_change_of_the_spec_fetches_again() {
    let world = World::start().await;
    let tagged = world.commit("one");
    let id = tagged.rsplit(':').next().unwrap();
    sample::tag(&world.origin(), "v1", id.parse().unwrap()).unwrap();
    let newest = world.commit("two");
    world.apply(json!({ "interval": "1h" })).await;
    world.stored(&newest).await;
    world.apply(json!({ "interval": "1h", "ref": { "tag": "v1" } })).await;
    let file = world.stored(&format!("v1@sha1:{id}")).await;
    assert!(file.exists());
}

#[tokio::test]
async fn deleting_the_object_removes_its_files() {
    let world = World::start().await;
    let revision = world.commit("one");
    world.apply(json!({})).await;
    let file = world.stored(&revision).await;
    world.repositories.delete(NAME, &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { world.repositories.get_opt(NAME).await.unwrap().is_none().then_some(()) }).await;
    assert!(!file.exists() && !world.data().join("artifacts/default").join(NAME).exists());
}

#[tokio::test]
async fn a_missing_ref_is_awaited() {
    let world = World::start().await;
    world.commit("one");
    world.apply(json!({ "ref": { "branch": "later" } })).await;
    assert_eq!(world.ready_text(NAME).await, ("RefMissing".to_owned(), "branch later does not exist yet".to_owned()));
}

fn files(archive: &Path) -> Vec<String> {
    let file = std::fs::File::open(archive).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect()
}

#[tokio::test]
async fn an_included_repository_is_awaited_and_followed() {
    let world = World::start().await;
    let revision = world.commit("one");
    let app = json!({ "interval": "1h", "ignore": "/file", "include": [{ "repository": NAME, "toPath": "base" }] });
    world.apply_as("app", app).await;
    let waiting = "GitRepository \"podinfo\" does not exist yet".to_owned();
    assert_eq!(world.ready_text("app").await, ("IncludeMissing".to_owned(), waiting));
    world.apply(json!({ "interval": "1h" })).await;
    let first = world.stored_as("app", &revision).await;
    assert_eq!(files(&first), ["base/file"]);
    world.apply(json!({ "interval": "1h", "ignore": "*" })).await;
    eventually(LONG, || async {
        let next = world.stored_as("app", &revision).await;
        (next != first && files(&next).is_empty()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_invalid_include_stalls() {
    let world = World::start().await;
    world.commit("one");
    world.apply(json!({ "include": [{ "repository": NAME }] })).await;
    assert_eq!(world.ready_text(NAME).await.0, "InvalidInclude");
}

//! Kills the operator under load on real API servers: every repository gets the archive of its newest revision, and no file is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

use evenkeel::condition::{self, ConditionStatus, READY};
use evenkeel_tests::real::Version;
use evenkeel_tests::trial::kills::{self, Site, client_of_the_process};
use evenkeel_tests::trial::{Process, below};
use kube::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::operator::{GitRepository, operator};
use crate::sample;
use crate::storage::Storage;

const DATA: &str = "GITREPOSITORY_TRIAL_DATA";
/// The maximum number of repositories.
const MANY: usize = 12;

#[tokio::test]
#[ignore = "the operator that the tests below start and kill"]
async fn the_operator_process() {
    let Some(client) = client_of_the_process() else { return };
    let data = env::var(DATA).unwrap();
    operator(Storage::open(data).unwrap()).client(client).run_until(std::future::pending()).await.unwrap();
}

/// The objects that should exist, and the newest revision of their repository.
struct Load {
    repositories: Api<GitRepository>,
    folder: PathBuf,
    wanted: BTreeSet<usize>,
    made: usize,
    revision: String,
}

fn name(object: usize) -> String {
    format!("repository-{object}")
}

impl kills::Load for Load {
    /// Adds a commit and two objects, changes the interval of one, and deletes one.
    async fn change(&mut self) {
        let text = self.made.to_string();
        let id = sample::repository(&self.folder.join("origin"), &[("file", &text)]).unwrap();
        self.revision = format!("main@sha1:{id}");
        for new in self.made..self.made + 2 {
            self.put(new, "1s").await;
            self.wanted.insert(new);
        }
        self.made += 2;
        let place = below(self.wanted.len() as u64) as usize;
        let chosen = self.wanted.iter().nth(place).copied().unwrap();
        self.put(chosen, "2s").await;
        while self.wanted.len() > MANY {
            let oldest = self.wanted.pop_first().unwrap();
            self.repositories.delete(&name(oldest), &DeleteParams::default()).await.unwrap();
        }
    }

    async fn delete(&mut self) {
        for object in std::mem::take(&mut self.wanted) {
            self.repositories.delete(&name(object), &DeleteParams::default()).await.unwrap();
        }
    }

    async fn wrong(&self) -> Vec<String> {
        let objects = self.repositories.list(&kube::api::ListParams::default()).await.unwrap();
        let mut found: BTreeMap<String, GitRepository> =
            objects.items.into_iter().map(|object| (object.metadata.name.clone().unwrap(), object)).collect();
        let mut wrong = Vec::new();
        for object in self.wanted.iter().map(|object| name(*object)) {
            wrong.extend(found.remove(&object).map_or(Some("is lost".to_owned()), |found| self.ill(&found)));
        }
        wrong.extend(found.keys().map(|name| format!("{name} is not deleted")));
        wrong.extend(self.left_over());
        wrong
    }
}

impl Load {
    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    async fn put(&self, object: usize, interval: &str) {
        let object = (
            name(object),
            json!({ "apiVersion": "source.evenkeel.dev/v1", "kind": "GitRepository",
            "metadata": { "name": name(object) },
            "spec": { "url": self.folder.join("origin"), "interval": interval } }),
        );
        let params = PatchParams::apply("trial").force();
        self.repositories.patch(&object.0, &params, &Patch::Apply(&object.1)).await.unwrap();
    }

    fn ill(&self, object: &GitRepository) -> Option<String> {
        let (name, status) = (object.metadata.name.as_ref()?, object.status.as_ref());
        let ready = status.and_then(|status| condition::find(&status.conditions, READY)).map(|ready| ready.status);
        let artifact = status.and_then(|status| status.artifact.as_ref());
        let stored = artifact.filter(|artifact| self.data().join(&artifact.path).exists());
        let is_newest = stored.is_some_and(|artifact| artifact.revision == self.revision);
        (ready != Some(ConditionStatus::True) || !is_newest).then(|| format!("{name}: {ready:?}, {artifact:?}"))
    }

    /// Lists folders of deleted objects and files of interrupted writes.
    fn left_over(&self) -> Vec<String> {
        let known: BTreeSet<String> = self.wanted.iter().map(|object| name(*object)).collect();
        let mut wrong = Vec::new();
        for kind in ["artifacts", "clones"] {
            for folder in entries(&self.data().join(kind).join("default")) {
                if !known.contains(&*folder.file_name().unwrap().to_string_lossy()) {
                    wrong.push(format!("{} is left over", folder.display()));
                }
                let halves = entries(&folder)
                    .into_iter()
                    .filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".new-")));
                wrong.extend(halves.map(|file| format!("{} is left over", file.display())));
            }
        }
        wrong
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect()
}

async fn endure(version: Version) {
    let Some(site) = Site::of::<GitRepository>(version).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let repositories = Api::default_namespaced(site.client.clone());
    let (wanted, revision) = (BTreeSet::new(), String::new());
    let mut load = Load { repositories, folder: path.clone(), wanted, made: 0, revision };
    let start = || {
        let variables = [site.variable(), (DATA, path.join("data").display().to_string())];
        Process::start("kills::the_operator_process", &variables, &path.join("log"))
    };
    site.endure(&mut load, 1, start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_on_modern_lose_no_archive() {
    endure(Version::Modern).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_under_load_on_1_20_lose_no_archive() {
    endure(Version::Full).await;
}

//! Fault sweep of the operator: with one fault at each call, every run ends with the same files.

use std::path::Path;
use std::time::Duration;

use evenkeel_testkit::{Disruption, Seed, Sweep, Trial, eventually, is_ready, until};
use kube::api::DeleteParams;
use kube::{Api, CustomResourceExt};
use serde_json::json;

use crate::operator::{GitRepository, operator};
use crate::sample;
use crate::storage::Storage;

const LONG: Duration = Duration::from_secs(1200);

/// Lists the names of all files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files(&path),
            path => vec![path.display().to_string()],
        })
        .collect();
    files.sort();
    files
}

/// One repository stays, another one is deleted after ten seconds; returns the remaining archives.
async fn scenario(trial: Trial, origin: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let repository = |name: &str| {
        json!({ "apiVersion": "source.evenkeel.dev/v1", "kind": "GitRepository",
            "metadata": { "name": name }, "spec": { "url": origin, "interval": "1h" } })
    };
    let seed = Seed::from(&GitRepository::crd()).and(repository("stays")).and(repository("goes"));
    trial.cluster().seed(seed).await.unwrap();
    let data = folder.path().join("data");
    let of_operator = data.clone();
    trial.operate(move |client| {
        let storage = Storage::open(of_operator.clone()).unwrap();
        operator(storage).client(client).run_until(std::future::pending())
    });
    tokio::time::sleep(Duration::from_secs(10)).await;
    let repositories: Api<GitRepository> = Api::default_namespaced(trial.client());
    repositories.delete("goes", &DeleteParams::default()).await.unwrap();
    until(&repositories, "stays", LONG, is_ready).await;
    eventually(LONG, || async { repositories.get_opt("goes").await.unwrap().is_none().then_some(()) }).await;
    let artifacts = data.join("artifacts");
    let names = files(&artifacts).into_iter();
    names.filter_map(|name| Some(name.strip_prefix(artifacts.to_str()?)?.to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_operator_converges_after_any_fault() {
    let origin = tempfile::tempdir().unwrap();
    sample::repository(origin.path(), &[("file", "text")]).unwrap();
    // The field holds digests of uids.
    let sweep = Sweep::new().ignore("status.observedInputs").limit(10_000);
    let report = sweep.run(async |trial| scenario(trial, origin.path()).await).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}

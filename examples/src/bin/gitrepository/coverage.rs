//! Every condition and reason of the operator is reached; unreachable ones are listed.

use std::time::Duration;

use evenkeel::condition::{self, READY};
use evenkeel_testkit::{Cluster, Coverage, Seed, until};
use kube::{Api, CustomResourceExt};
use serde_json::{Value, json};

use crate::operator::{GitRepository, git_repository, operator};
use crate::sample;
use crate::storage::Storage;

type Change = fn(&mut Value);

/// The name of an object, its defect, and the resulting reason of Ready.
const ODD: [(&str, Change, &str); 9] = [
    ("sound", |_| {}, "Stored"),
    ("address", |spec| spec["url"] = json!("ftp://example.com"), "InvalidSource"),
    ("itself", |spec| spec["include"] = json!([{ "repository": "itself" }]), "InvalidInclude"),
    ("stranger", |spec| spec["secret"] = json!("none"), "SecretMissing"),
    ("halfway", |spec| spec["secret"] = json!("half"), "SecretIncomplete"),
    ("lonely", |spec| spec["include"] = json!([{ "repository": "nobody" }]), "IncludeMissing"),
    ("early", |spec| spec["include"] = json!([{ "repository": "branch" }]), "IncludeNotStored"),
    ("branch", |spec| spec["ref"] = json!({ "branch": "later" }), "RefMissing"),
    ("nowhere", |spec| spec["url"] = json!("/nowhere/at/all"), "FetchFailed"),
];

/// Reasons of the fetch step, of the include step, and of the storage. Reasons of watched objects belong to the steps that watch them.
const FETCH: [&str; 3] = ["FetchFailed", "InvalidSource", "RefMissing"];
const INCLUDE: [&str; 1] = ["InvalidInclude"];
const STORAGE: [&str; 1] = ["StorageFailed"];

/// The reasons that no object reaches: every step returns the same error type but only a few of its variants.
fn unreached() -> Vec<String> {
    let of = |condition: &str, reasons: &[&[&str]]| -> Vec<String> {
        reasons.iter().copied().flatten().map(|reason| format!("gitrepositories {condition} {reason}")).collect()
    };
    let all = [
        // This condition shows that the archive of a new revision failed.
        of("ArtifactOutdated", &[&["NewRevision"]]),
        of("ArtifactStored", &[&FETCH, &INCLUDE, &STORAGE]),
        of("IncludesAvailable", &[&FETCH, &STORAGE]),
        of("SourceFetched", &[&INCLUDE, &STORAGE]),
        of("StorageSound", &[&FETCH, &INCLUDE, &STORAGE]),
    ];
    all.concat()
}

fn has_reason(object: &GitRepository, reason: &str) -> bool {
    let conditions = object.status.as_ref().map(|status| &status.conditions);
    conditions.and_then(|all| condition::find(all, READY)).is_some_and(|ready| ready.reason == reason)
}

#[tokio::test]
async fn every_reason_except_the_listed_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let origin = folder.path().join("origin");
    sample::repository(&origin, &[("file", "text")]).unwrap();
    let half = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "half" }, "data": {} });
    let mut seed = Seed::from(&GitRepository::crd()).and(half);
    for (name, make_odd, _) in ODD {
        let mut spec = json!({ "url": origin, "interval": "1h" });
        make_odd(&mut spec);
        let api_version = "source.evenkeel.dev/v1";
        seed = seed.and(
            json!({ "apiVersion": api_version, "kind": "GitRepository", "metadata": { "name": name }, "spec": spec }),
        );
    }
    let cluster = Cluster::start().await;
    cluster.seed(seed).await.unwrap();
    let storage = Storage::open(folder.path().join("data")).unwrap();
    tokio::spawn(operator(storage).client(cluster.client()).run_until(std::future::pending()));
    let repositories: Api<GitRepository> = Api::default_namespaced(cluster.client());
    for (name, _, reason) in ODD {
        until(&repositories, name, Duration::from_secs(30), |object| has_reason(object, reason)).await;
    }
    let mut coverage = Coverage::default();
    coverage.declare_reconciler::<git_repository>().add(&cluster);
    println!("{coverage}");
    coverage.assert_missing(unreached());
}

//! The operator of the README.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "source.evenkeel.dev",
    version = "v1",
    kind = "GitRepository",
    namespaced,
    status = "GitRepositoryStatus"
)]
pub struct GitRepositorySpec {
    pub url: String,
    pub interval: Option<Interval>,
    pub secret: Option<String>,
    pub suspend: Option<bool>,
    pub depends_on: Option<Vec<evenkeel::dependency::Reference>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    pub revision: String,
}

/// The status of a repository.
#[status]
pub struct GitRepositoryStatus {
    /// The artifact in storage.
    pub artifact: Option<Artifact>,
    pub tags: Vec<String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RepoCondition {
    /// The remote was fetched.
    #[condition(positive)]
    SourceFetched,
    /// A newer revision exists than the stored one.
    #[condition(negative)]
    ArtifactOutdated,
    /// The artifact is in storage.
    #[condition(positive)]
    ArtifactStored,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RepoError {
    #[error("the URL is not valid: {0}")]
    #[class(stalled)]
    InvalidUrl(String),
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    #[error("fetch failed")]
    #[class(transient)]
    Fetch(#[source] std::io::Error),
}

pub struct Git;
pub struct Commit(pub String);

#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated), watches(Secret, by_name))]
pub async fn fetch(repo: &GitRepository, _git: &Git, cx: &mut Cx<'_, fetch>) -> Result<Commit, RepoError> {
    if let Some(name) = &repo.spec.secret {
        cx.require::<Secret>(name).await?;
    }
    cx.set(on::ArtifactOutdated, ConditionStatus::True, "NewRevision", "a newer revision exists");
    Ok(Commit(repo.spec.url.clone()))
}

#[sub_reconciler(sets(on::ArtifactStored), clears(on::ArtifactOutdated), external)]
pub async fn store(_repo: &GitRepository, _git: &Git, commit: &Commit, cx: &mut Cx) -> Result<(), RepoError> {
    cx.status().artifact = Some(Artifact { revision: commit.0.clone() });
    Ok(())
}

#[cleanup(of = store)]
pub async fn remove_artifact(_repo: &GitRepository, _git: &Git, _cx: &mut Cx<'_, store>) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition, requeue = "10m")]
pub async fn git_repository(repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, git, cx).await?;
    store(repo, git, &commit, cx).await?;
    Ok(())
}

#[test]
fn the_wiring_is_known_at_compile_time() {
    use evenkeel::Reconciler;
    const WIRING: evenkeel::wiring::Wiring = git_repository::WIRING;
    let names: Vec<_> = WIRING.steps.iter().map(|step| step.name).collect();
    assert_eq!(names, ["fetch", "store"]);
    assert_eq!(WIRING.steps[0].sets, [0, 1]);
    assert_eq!(WIRING.steps[1].clears, [1]);
    assert!(WIRING.steps[1].external && !WIRING.steps[0].external);
    assert_eq!(WIRING.conditions[1].doc, "A newer revision exists than the stored one.");
}

/// The older versions.
pub mod old {
    use evenkeel::prelude::*;
    use schemars::JsonSchema;

    #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "source.evenkeel.dev", version = "v1beta1", kind = "Beta", plural = "gitrepositories", namespaced)]
    pub struct BetaSpec {
        pub url: String,
    }

    #[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "source.evenkeel.dev", version = "v1alpha1", kind = "Alpha", plural = "gitrepositories", namespaced)]
    pub struct AlphaSpec {
        pub url: String,
    }
}

//! The operator: what a `GitRepository` is, what can be said of it, and how it comes about.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;

use crate::git::{Commit, FetchFailed, GitRef};
use crate::remote::{InvalidUrl, Login, NoLogin, Remote};
use crate::storage::{Artifact, Storage, key};

/// A git repository of which an archive is kept.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "source.evenkeel.dev", version = "v1", kind = "GitRepository", plural = "gitrepositories", namespaced)]
#[kube(status = "GitRepositoryStatus", shortname = "gitrepo")]
#[kube(printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"))]
#[kube(printcolumn(name = "Revision", type_ = "string", json_path = ".status.artifact.revision"))]
#[kube(printcolumn(name = "Status", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].message"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
pub struct GitRepositorySpec {
    /// Where it is: `https://host/path`, `http://host/path`, `file:///path` or an absolute path. A path is for demos: whoever may
    /// create the object has the operator read it.
    pub url: String,
    /// What to keep: `branch`, `tag` or `commit`. The default branch if absent.
    pub r#ref: Option<GitRef>,
    /// How often to look for a new revision.
    pub interval: Option<Interval>,
    /// The name of a Secret with the keys `username` and `password`.
    pub secret: Option<String>,
}

/// What is known about the repository.
#[status]
pub struct GitRepositoryStatus {
    /// The archive of the latest revision.
    pub artifact: Option<Artifact>,
}

/// What can be said of it, most telling first: the first one that holds gives Ready its message.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RepoCondition {
    /// The archive of the wanted revision is in storage.
    #[condition(positive)]
    ArtifactStored,
    /// The remote was fetched.
    #[condition(positive)]
    SourceFetched,
    /// A newer revision exists than the stored one.
    #[condition(negative)]
    ArtifactOutdated,
}

/// What can go wrong, and what then happens.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RepoError {
    /// No retry makes this address work.
    #[error(transparent)]
    #[class(stalled)]
    InvalidUrl(#[from] InvalidUrl),
    /// The Secret is not there yet; its appearance wakes the object.
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    /// The Secret lacks a key; its change wakes the object, too.
    #[error(transparent)]
    #[class(waiting(poll = "5m"))]
    SecretIncomplete(#[from] NoLogin),
    /// Nobody has pushed the ref yet, and nobody will tell us.
    #[error("{0} is not there yet")]
    #[class(waiting(poll = "1m"))]
    RefMissing(String),
    /// The network, the server, or the login.
    #[error(transparent)]
    #[class(transient)]
    FetchFailed(#[from] FetchFailed),
    /// The disk.
    #[error("storage failed: {0}")]
    #[class(transient)]
    StorageFailed(#[from] std::io::Error),
}

/// Fetches the remote and finds the wanted commit.
#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated), watches(Secret, by_name))]
pub async fn fetch(repo: &GitRepository, storage: &Storage, cx: &mut Cx<'_, fetch>) -> Result<Commit, RepoError> {
    let remote = Remote::parse(&repo.spec.url)?;
    let login = match &repo.spec.secret {
        Some(name) => Some(Login::try_from(&cx.require::<Secret>(name).await?)?),
        None => None,
    };
    let (wanted, clone) = (repo.spec.r#ref.clone(), storage.clone_dir(repo, &repo.spec.url));
    let missing = RepoError::RefMissing(wanted.as_ref().map_or("the default branch".into(), GitRef::to_string));
    let commit = cx.blocking(move || remote.fetch(wanted.as_ref(), login, &clone)).await?.ok_or(missing)?;
    cx.set(on::SourceFetched, Status::True, "Fetched", format!("fetched {}", commit.revision));
    if cx.status().artifact.as_ref().is_some_and(|stored| stored.revision != commit.revision) {
        cx.set(on::ArtifactOutdated, Status::True, "NewRevision", format!("{} is not stored yet", commit.revision));
    }
    Ok(commit)
}

/// Keeps an archive of the commit, and no more old ones than needed.
#[sub_reconciler(sets(on::ArtifactStored), clears(on::ArtifactOutdated), external)]
pub async fn store(
    repo: &GitRepository,
    storage: &Storage,
    commit: Commit,
    cx: &mut Cx<'_, store>,
) -> Result<(), RepoError> {
    let (storage, key, known) = (storage.clone(), key(repo), cx.status().artifact.clone());
    let artifact = cx.blocking(move || storage.keep(&key, &commit, known.as_ref())).await?;
    cx.set(on::ArtifactStored, Status::True, "Stored", format!("stored artifact for revision {}", artifact.revision));
    cx.status().artifact = Some(artifact);
    Ok(())
}

/// Removes all files of the object, before the finalizer goes.
#[cleanup(of = store)]
pub async fn remove(repo: &GitRepository, storage: &Storage, cx: &mut Cx<'_, store>) -> Result<(), RepoError> {
    let (storage, key) = (storage.clone(), key(repo));
    Ok(cx.blocking(move || storage.remove(&key)).await?)
}

/// Fetches, then stores.
#[reconciler(conditions = RepoCondition, requeue = spec.interval)]
pub async fn git_repository(repo: &GitRepository, storage: &Storage, cx: &mut Pass<'_>) -> Flow {
    let commit = fetch(repo, storage, cx).await?;
    store(repo, storage, commit, cx).await?;
    Ok(())
}

/// The operator, ready to run.
pub fn operator(storage: Storage) -> Operator {
    Operator::new("source-controller").reconciler::<git_repository>(storage)
}

//! The operator: the kind `GitRepository`, its conditions and errors, and its steps.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;

use crate::git::{Commit, FetchFailed, GitRef};
use crate::include::{Include, Included, InvalidInclude};
use crate::recipe::Recipe;
use crate::remote::{InvalidSource, Login, Remote};
use crate::storage::{Artifact, Storage, key};

/// A git repository, whose content is stored as an archive.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "source.evenkeel.dev", version = "v1", kind = "GitRepository", plural = "gitrepositories", namespaced)]
#[kube(status = "GitRepositoryStatus", shortname = "gitrepo")]
#[kube(printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].status"))]
#[kube(printcolumn(name = "Revision", type_ = "string", json_path = ".status.artifact.revision"))]
#[kube(printcolumn(name = "Status", type_ = "string", json_path = ".status.conditions[?(@.type==\"Ready\")].message"))]
#[kube(printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"))]
pub struct GitRepositorySpec {
    /// The address: `https://host/path`, `http://host/path`, `file:///path` or an absolute path. Paths are for demos: everyone who may
    /// create the object can make the operator read a path.
    pub url: String,
    /// The revision to store: `branch`, `tag`, `semver` or `commit`; default: the default branch.
    pub r#ref: Option<GitRef>,
    /// The interval at which to check for a new revision.
    pub interval: Option<Interval>,
    /// The name of a Secret with the keys `username` and `password`.
    pub secret: Option<String>,
    /// The files to leave out of the archive, in the format of `.gitignore`; `.sourceignore` files apply, too.
    pub ignore: Option<String>,
    /// Other repositories in the namespace, whose archives are included in this one.
    pub include: Option<Vec<Include>>,
}

/// The observed state of the repository.
#[status]
pub struct GitRepositoryStatus {
    /// The archive of the latest revision.
    pub artifact: Option<Artifact>,
}

/// The conditions, most important first: the first one that applies sets the message of Ready.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RepoCondition {
    /// The archive of the requested revision is stored.
    #[condition(positive)]
    ArtifactStored,
    /// The remote was fetched.
    #[condition(positive)]
    SourceFetched,
    /// All included repositories have an archive.
    #[condition(positive)]
    IncludesAvailable,
    /// The storage is readable and contains no obsolete files.
    #[condition(positive)]
    StorageSound,
    /// A newer revision exists than the stored one.
    #[condition(negative)]
    ArtifactOutdated,
}

/// The errors of the steps, with their classes.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RepoError {
    /// The address or the version range is invalid; a retry does not help.
    #[error(transparent)]
    #[class(stalled)]
    InvalidSource(#[from] InvalidSource),
    /// The include is invalid; a retry does not help.
    #[error(transparent)]
    #[class(stalled)]
    InvalidInclude(#[from] InvalidInclude),
    /// The Secret does not exist yet.
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    /// The Secret lacks a key.
    #[error(transparent)]
    #[class(waiting)]
    SecretIncomplete(#[from] Unfit<Secret>),
    /// The included repository does not exist yet.
    #[error(transparent)]
    #[class(waiting)]
    IncludeMissing(#[from] Absent<GitRepository>),
    /// The included repository has no archive yet.
    #[error(transparent)]
    #[class(waiting)]
    IncludeNotStored(#[from] Unfit<GitRepository>),
    /// The ref has not been pushed yet. No watch reports a push, so the step polls.
    #[error("{0} does not exist yet")]
    #[class(waiting(poll = "1m"))]
    RefMissing(String),
    /// The network, the server or the login failed.
    #[error(transparent)]
    #[class(transient)]
    FetchFailed(#[from] FetchFailed),
    /// The disk failed.
    #[error("storage failed: {0}")]
    #[class(transient)]
    StorageFailed(#[from] std::io::Error),
}

/// Collects old files, and notices when the archive is gone or damaged.
#[sub_reconciler(sets(on::StorageSound))]
pub async fn check(repo: &GitRepository, storage: &Storage, cx: &mut Cx<'_, check>) -> Result<(), RepoError> {
    let (storage, key, known) = (storage.clone(), key(repo), cx.status().artifact.clone());
    if !cx.blocking(move || storage.check(&key, known.as_ref())).await? {
        cx.status().artifact = None;
    }
    Ok(())
}

/// Finds the wanted commit, and fetches it where it is not here yet.
#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated), watches(Secret, by_name))]
pub async fn fetch(repo: &GitRepository, storage: &Storage, cx: &mut Cx<'_, fetch>) -> Result<Commit, RepoError> {
    let remote = Remote::parse(&repo.spec.url)?;
    repo.spec.r#ref.as_ref().map_or(Ok(()), GitRef::check)?;
    let login = match &repo.spec.secret {
        Some(name) => {
            let secret = cx.require::<Secret>(name).await?;
            Some(Login::try_from(&secret).map_err(|lacks| cx.unfit(&secret, lacks))?)
        }
        None => None,
    };
    let (wanted, clone) = (repo.spec.r#ref.clone(), storage.clone_dir(repo, &repo.spec.url));
    let missing = RepoError::RefMissing(wanted.as_ref().map_or("the default branch".into(), GitRef::to_string));
    let commit = cx.blocking(move || remote.fetch(wanted.as_ref(), login, &clone)).await?.ok_or(missing)?;
    cx.set(on::SourceFetched, ConditionStatus::True, "Fetched", format!("fetched {}", commit.revision));
    if cx.status().artifact.as_ref().is_some_and(|stored| stored.revision != commit.revision) {
        let message = format!("{} is not stored yet", commit.revision);
        cx.set(on::ArtifactOutdated, ConditionStatus::True, "NewRevision", message);
    }
    Ok(commit)
}

/// Looks up the archives of the included repositories, and waits for those that are not there.
#[sub_reconciler(sets(on::IncludesAvailable), watches(GitRepository, by_name))]
pub async fn include(repo: &GitRepository, cx: &mut Cx<'_, include>) -> Result<Vec<Included>, RepoError> {
    let mut included = Vec::new();
    for include in repo.spec.include.iter().flatten() {
        include.check(&repo.name_any())?;
        let other = cx.require::<GitRepository>(&include.repository).await?;
        let artifact = other.status.as_ref().and_then(|status| status.artifact.clone());
        included.push(include.of(artifact.ok_or_else(|| cx.unfit(&other, "it has no archive yet"))?));
    }
    Ok(included)
}

/// Keeps an archive of what the commit and the includes hold, less what the rules leave out.
#[sub_reconciler(sets(on::ArtifactStored), clears(on::ArtifactOutdated), external)]
pub async fn archive(
    repo: &GitRepository,
    storage: &Storage,
    commit: Commit,
    included: Vec<Included>,
    cx: &mut Cx<'_, archive>,
) -> Result<(), RepoError> {
    let (storage, key, known) = (storage.clone(), key(repo), cx.status().artifact.clone());
    let recipe = Recipe { commit, ignore: repo.spec.ignore.clone(), included };
    let artifact = cx.blocking(move || storage.keep(&key, &recipe, known.as_ref())).await?;
    let message = format!("stored artifact for revision {}", artifact.revision);
    cx.set(on::ArtifactStored, ConditionStatus::True, "Stored", message);
    cx.status().artifact = Some(artifact);
    Ok(())
}

/// Removes all files of the object, before the finalizer goes.
#[cleanup(of = archive)]
pub async fn remove(repo: &GitRepository, storage: &Storage, cx: &mut Cx<'_, archive>) -> Result<(), RepoError> {
    let (storage, key) = (storage.clone(), key(repo));
    Ok(cx.blocking(move || storage.remove(&key)).await?)
}

/// Checks the storage, fetches while it gathers the includes, then archives.
#[reconciler(conditions = RepoCondition, requeue = spec.interval)]
pub async fn git_repository(repo: &GitRepository, storage: &Storage, cx: &mut Pass<'_>) -> PassResult {
    check(repo, storage, cx).await?;
    let (commit, included) = join(fetch(repo, storage, cx), include(repo, cx)).await?;
    archive(repo, storage, commit, included, cx).await?;
    Ok(())
}

/// Returns the operator.
pub fn operator(storage: Storage) -> Operator {
    Operator::new("source-controller").reconciler::<git_repository>(storage)
}

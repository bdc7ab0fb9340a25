//! Git operations: fetch from an address and resolve the wanted ref to a commit.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use gix::{ObjectId, Repository};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clone;
use crate::remote::{InvalidSource, Login, Remote};
use crate::version;

/// What to fetch. Without one, the branch that the remote's HEAD points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GitRef {
    /// The tip of a branch, by its short name: `main`.
    Branch(String),
    /// A tag, by its short name: `v1.0.0`.
    Tag(String),
    /// The tag of the highest version in a range: `>=1.2, <2`.
    Semver(String),
    /// A commit, by its full id.
    Commit(String),
}

impl GitRef {
    /// Checks the ref without the repository.
    ///
    /// # Errors
    /// A range is invalid.
    pub fn check(&self) -> Result<(), InvalidSource> {
        match self {
            Self::Semver(range) => version::range(range).map(drop),
            Self::Branch(_) | Self::Tag(_) | Self::Commit(_) => Ok(()),
        }
    }

    /// Returns the full name of the ref, or the id of a commit.
    pub fn full_name(wanted: Option<&Self>) -> String {
        match wanted {
            None => "HEAD".to_owned(),
            Some(Self::Branch(name)) => format!("refs/heads/{name}"),
            Some(Self::Tag(name)) => format!("refs/tags/{name}"),
            Some(Self::Semver(_)) => "refs/tags/*".to_owned(),
            Some(Self::Commit(id)) => id.clone(),
        }
    }
}

impl fmt::Display for GitRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(name) => write!(f, "branch {name}"),
            Self::Tag(name) => write!(f, "tag {name}"),
            Self::Semver(range) => write!(f, "a tag in the range {range}"),
            Self::Commit(id) => write!(f, "commit {id}"),
        }
    }
}

/// A commit, and the local repository that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The id of the commit.
    pub id: ObjectId,
    /// The ref that resolved to it and its id: `main@sha1:4b825d…`; for a commit by id `sha1:4b825d…`.
    pub revision: String,
    /// The repository with its objects.
    pub repository: PathBuf,
}

/// A failed fetch, with all causes in one line.
#[derive(Debug, thiserror::Error)]
#[error("fetch failed: {0}")]
pub struct FetchFailed(String);

impl From<gix::Error> for FetchFailed {
    fn from(error: gix::Error) -> Self {
        let mut causes: Vec<String> = error.iter_errors().map(ToString::to_string).collect();
        causes.retain(|cause| !cause.is_empty());
        causes.dedup();
        Self(causes.join(": "))
    }
}

impl From<io::Error> for FetchFailed {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl Remote {
    /// Resolves `wanted` to a commit and fetches it if it is missing; `None` if the ref does not exist. This call blocks. `clone` is the
    /// folder for the clone of this address only; it is created if it is missing.
    ///
    /// # Errors
    /// The repository cannot be opened or reached, refuses the login, or sends what cannot be stored.
    pub fn fetch(
        &self,
        wanted: Option<&GitRef>,
        login: Option<Login>,
        clone: &Path,
    ) -> Result<Option<Commit>, FetchFailed> {
        if let Some(GitRef::Semver(range)) = wanted {
            let range = version::range(range).map_err(|error| FetchFailed(error.to_string()))?;
            let Some(tag) = version::highest(&range, self.tags(login.clone(), clone)?) else { return Ok(None) };
            return self.fetch(Some(&GitRef::Tag(tag)), login, clone);
        }
        match self {
            Self::Local(path) => {
                let repository = gix::open_opts(path, options())?;
                find(&repository, &GitRef::full_name(wanted), wanted)
            }
            Self::Http(url) => clone::download(url, wanted, login, clone),
        }
    }

    /// Lists the names of all tags.
    fn tags(&self, login: Option<Login>, folder: &Path) -> Result<impl Iterator<Item = String>, FetchFailed> {
        let names: Vec<_> = match self {
            Self::Local(path) => {
                let repository = gix::open_opts(path, options())?;
                let references = repository.references()?;
                references.tags()?.filter_map(|tag| Some(tag.ok()?.name().as_bstr().to_string())).collect()
            }
            Self::Http(url) => clone::tags(url, login, folder)?,
        };
        Ok(names.into_iter().filter_map(|name| name.strip_prefix("refs/tags/").map(ToOwned::to_owned)))
    }
}

/// Ignores the configuration of the user: no rewritten addresses, no credential helpers, no prompts.
pub fn options() -> gix::open::Options {
    gix::open::Options::isolated()
}

/// Returns the commit of a full ref name or of an id.
pub fn find(repository: &Repository, name: &str, wanted: Option<&GitRef>) -> Result<Option<Commit>, FetchFailed> {
    let (label, id) = if let Some(GitRef::Commit(id)) = wanted {
        let found = ObjectId::from_hex(id.as_bytes()).ok().filter(|id| repository.find_commit(*id).is_ok());
        (None, found)
    } else {
        let reference = repository.try_find_reference(name)?;
        let label = match (wanted, &reference) {
            (None, Some(reference)) => reference.target().try_name().map(|name| name.shorten().to_string()),
            _ => Some(name.to_owned()),
        };
        (label, reference.and_then(|mut reference| reference.peel_to_id().ok()).map(gix::Id::detach))
    };
    let Some(id) = id else { return Ok(None) };
    commit(repository, id, label.as_deref()).map(Some)
}

/// Peels tag objects, since the revision names the commit.
pub fn commit(repository: &Repository, id: ObjectId, label: Option<&str>) -> Result<Commit, FetchFailed> {
    let id = repository.find_object(id)?.peel_to_commit()?.id;
    let label = label.map(|name| name.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/"));
    let revision = match label {
        Some(label) => format!("{label}@sha1:{id}"),
        None => format!("sha1:{id}"),
    };
    Ok(Commit { id, revision, repository: repository.path().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_local_repository_is_read_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let id = sample::repository(folder.path(), &[("README", "hello")]).unwrap();
        let remote = Remote::parse(&format!("file://{}", folder.path().display())).unwrap();
        let clone = folder.path().join("clone");
        let found = remote.fetch(None, None, &clone).unwrap().unwrap();
        assert_eq!((found.id, found.revision), (id, format!("main@sha1:{id}")));
        assert!(!clone.exists());
    }

    #[test]
    fn refs_resolve_by_branch_tag_and_commit() {
        let folder = tempfile::tempdir().unwrap();
        let id = sample::repository(folder.path(), &[("README", "hello")]).unwrap();
        sample::tag(folder.path(), "v1", id).unwrap();
        let remote = Remote::parse(folder.path().to_str().unwrap()).unwrap();
        let find = |wanted| remote.fetch(Some(&wanted), None, folder.path()).unwrap().map(|found| found.revision);
        assert_eq!(find(GitRef::Branch("main".into())), Some(format!("main@sha1:{id}")));
        assert_eq!(find(GitRef::Tag("v1".into())), Some(format!("v1@sha1:{id}")));
        sample::tag(folder.path(), "v1.2.0", id).unwrap();
        assert_eq!(find(GitRef::Semver("1".into())), Some(format!("v1.2.0@sha1:{id}")));
        assert_eq!(find(GitRef::Semver("2".into())), None);
        assert_eq!(find(GitRef::Commit(id.to_string())), Some(format!("sha1:{id}")));
        assert_eq!(find(GitRef::Branch("later".into())), None);
        assert_eq!(find(GitRef::Commit("4b825dc642cb6eb9a060e54bf8d69288fbee4904".into())), None);
    }

    #[test]
    fn a_path_without_a_repository_fails_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let remote = Remote::parse(folder.path().to_str().unwrap()).unwrap();
        let text = remote.fetch(None, None, folder.path()).unwrap_err().to_string();
        assert!(text.starts_with("fetch failed: "), "{text}");
    }
}

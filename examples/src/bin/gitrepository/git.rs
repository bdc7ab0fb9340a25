//! The git work: fetch from an address and resolve the wanted ref to a commit.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use gix::credentials::helper::Action;
use gix::credentials::protocol::Outcome;
use gix::error::ErrorExt;
use gix::remote::{Direction, fetch};
use gix::{ObjectId, Repository};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::remote::{Login, Remote};

/// More packs than this in a clone, and it is made anew: every fetch adds one, and nothing else repacks them.
const MAX_PACKS: usize = 32;
const NO_LOGIN: &str = "the server asks for a login, name a Secret with `username` and `password` in `secret`";
/// Where the fetched ref stands in a clone.
const FETCHED: &str = "refs/evenkeel/fetched";

/// What to fetch. Without one, the branch that the remote's HEAD points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GitRef {
    /// The tip of a branch, by its short name: `main`.
    Branch(String),
    /// A tag, by its short name: `v1.0.0`.
    Tag(String),
    /// A commit, by its full id.
    Commit(String),
}

impl GitRef {
    /// The full name of the ref; the id where it is a commit.
    fn full_name(wanted: Option<&Self>) -> String {
        match wanted {
            None => "HEAD".to_owned(),
            Some(Self::Branch(name)) => format!("refs/heads/{name}"),
            Some(Self::Tag(name)) => format!("refs/tags/{name}"),
            Some(Self::Commit(id)) => id.clone(),
        }
    }
}

impl fmt::Display for GitRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(name) => write!(f, "branch {name}"),
            Self::Tag(name) => write!(f, "tag {name}"),
            Self::Commit(id) => write!(f, "commit {id}"),
        }
    }
}

/// A commit, and the repository on disk that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The ref that it was found under and its id: `main@sha1:4b825d…`; for a commit by id `sha1:4b825d…`.
    pub revision: String,
    /// Where its objects are.
    pub repository: PathBuf,
}

/// A fetch that did not come through, with all its causes in one line.
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
    /// Finds the commit that `wanted` stands for, and brings it here where it is not; `None` where there is no such ref.
    /// Blocks. `clone` is a folder for the clone of this address alone, made where it is missing.
    ///
    /// # Errors
    /// The repository cannot be opened or reached, refuses the login, or sends what cannot be stored.
    pub fn fetch(
        &self,
        wanted: Option<&GitRef>,
        login: Option<Login>,
        clone: &Path,
    ) -> Result<Option<Commit>, FetchFailed> {
        match self {
            Self::Local(path) => {
                let repository = gix::open_opts(path, options())?;
                find(&repository, &GitRef::full_name(wanted), wanted)
            }
            Self::Http(url) => download(url, wanted, login, clone),
        }
    }
}

/// Nothing of the user's own configuration: no rewritten addresses, no credential helpers, no prompts.
fn options() -> gix::open::Options {
    gix::open::Options::isolated()
}

/// The commit under a full ref name, or of an id.
fn find(repository: &Repository, name: &str, wanted: Option<&GitRef>) -> Result<Option<Commit>, FetchFailed> {
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

/// A tag object is peeled: the revision names the commit.
fn commit(repository: &Repository, id: ObjectId, label: Option<&str>) -> Result<Commit, FetchFailed> {
    let id = repository.find_object(id)?.peel_to_commit()?.id;
    let label = label.map(|name| name.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/"));
    let revision = match label {
        Some(label) => format!("{label}@sha1:{id}"),
        None => format!("sha1:{id}"),
    };
    Ok(Commit { id, revision, repository: repository.path().to_owned() })
}

fn download(
    url: &gix::Url,
    wanted: Option<&GitRef>,
    login: Option<Login>,
    clone: &Path,
) -> Result<Option<Commit>, FetchFailed> {
    let repository = open_or_init(clone)?;
    let name = GitRef::full_name(wanted);
    if let Some(GitRef::Commit(_)) = wanted
        && let Some(here) = find(&repository, &name, wanted)?
    {
        return Ok(Some(here));
    }
    let spec = format!("+{name}:{FETCHED}");
    let remote = repository
        .remote_at_without_url_rewrite(url.clone())?
        .with_fetch_tags(fetch::Tags::None)
        .with_refspecs([spec.as_str()], Direction::Fetch)?;
    let prepared = remote
        .connect(Direction::Fetch)?
        .with_credentials(answer(login))
        .prepare_fetch(gix::progress::Discard, Default::default())?;
    let Some(mapping) = prepared.ref_map().mappings.first().cloned() else { return Ok(None) };
    let Some(id) = mapping.remote.as_id().map(ToOwned::to_owned) else { return Ok(None) };
    let label = match (wanted, mapping.remote.as_target()) {
        (None, Some(target)) => Some(target.to_string()),
        (Some(GitRef::Commit(_)), _) => None,
        _ => Some(name),
    };
    // Nothing to download where the clone has the commit.
    if repository.find_commit(id).is_ok() {
        return commit(&repository, id, label.as_deref()).map(Some);
    }
    prepared
        .with_shallow(fetch::Shallow::DepthAtRemote(std::num::NonZeroU32::MIN))
        .receive(gix::progress::Discard, &AtomicBool::new(false))?;
    commit(&repository, id, label.as_deref()).map(Some)
}

/// Says who we are once; a refused login is the end of it.
fn answer(login: Option<Login>) -> impl FnMut(Action) -> gix::Result<Option<Outcome>> {
    move |action| {
        let Action::Get(context) = action else { return Ok(None) };
        let Some(login) = &login else { return Err(gix::error::message(NO_LOGIN).raise()) };
        let identity = gix::sec::identity::Account {
            username: login.username.clone(),
            password: login.password.clone(),
            oauth_refresh_token: None,
        };
        Ok(Some(Outcome { identity, next: context.into() }))
    }
}

/// A clone is a cache: what cannot be opened, or has grown too many packs, is made anew.
fn open_or_init(clone: &Path) -> Result<Repository, FetchFailed> {
    let packs = std::fs::read_dir(clone.join("objects/pack")).map_or(0, Iterator::count);
    if packs < 2 * MAX_PACKS
        && let Ok(repository) = gix::open_opts(clone, options())
    {
        return Ok(repository);
    }
    if clone.exists() {
        std::fs::remove_dir_all(clone)?;
    }
    std::fs::create_dir_all(clone)?;
    let kind = gix::create::Kind::Bare;
    let new = gix::ThreadSafeRepository::init_opts(clone, kind, gix::create::Options::default(), options())?;
    Ok(new.to_thread_local())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Files;
    use crate::daemon::{self, Door};
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
    fn refs_are_found_by_branch_tag_and_commit_and_missed_without_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let id = sample::repository(folder.path(), &[("README", "hello")]).unwrap();
        sample::tag(folder.path(), "v1", id).unwrap();
        let remote = Remote::parse(folder.path().to_str().unwrap()).unwrap();
        let find = |wanted| remote.fetch(Some(&wanted), None, folder.path()).unwrap().map(|found| found.revision);
        assert_eq!(find(GitRef::Branch("main".into())), Some(format!("main@sha1:{id}")));
        assert_eq!(find(GitRef::Tag("v1".into())), Some(format!("v1@sha1:{id}")));
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

    #[test]
    fn a_damaged_clone_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("HEAD"), "nonsense").unwrap();
        assert!(open_or_init(folder.path()).unwrap().is_bare());
        assert!(open_or_init(folder.path()).unwrap().is_bare());
    }

    fn over_http(folder: &Path, door: Door) -> Remote {
        // The other tests have none, so only the first of these can win.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Remote::parse(&daemon::serve(folder, door).unwrap()).unwrap()
    }

    #[test]
    fn what_a_server_has_is_fetched_into_a_shallow_clone_and_again_when_it_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let (origin, clone) = (folder.path().join("origin"), folder.path().join("clone"));
        sample::repository(&origin, &[("README", "old")]).unwrap();
        let remote = over_http(&origin, Door::Open);
        for text in ["one", "two"] {
            let id = sample::repository(&origin, &[("README", text), ("folder/file", text)]).unwrap();
            let found = remote.fetch(None, None, &clone).unwrap().unwrap();
            assert_eq!((found.id, &found.revision), (id, &format!("main@sha1:{id}")));
            let clone = gix::open(&found.repository).unwrap();
            assert!(clone.is_shallow().unwrap());
            let digest = |repository| Files::of(repository, id).unwrap().write(repository, std::io::sink()).unwrap();
            assert_eq!(digest(&clone), digest(&gix::open(&origin).unwrap()));
        }
        assert_eq!(remote.fetch(Some(&GitRef::Branch("later".into())), None, &clone).unwrap(), None);
    }

    #[test]
    fn a_server_that_asks_for_a_login_gets_none_and_the_error_names_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let remote = over_http(folder.path(), Door::Locked);
        let text = remote.fetch(None, None, &folder.path().join("clone")).unwrap_err().to_string();
        assert!(text.contains("name a Secret with `username` and `password`"), "{text}");
    }

    #[test]
    fn a_password_is_not_sent_where_others_could_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let remote = over_http(folder.path(), Door::Locked);
        let login = Login { username: "me".into(), password: "geheim".into() };
        let text = remote.fetch(None, Some(login), &folder.path().join("clone")).unwrap_err().to_string();
        assert!(text.contains("clear text") && !text.contains("geheim"), "{text}");
    }
}

//! Clones of repositories over HTTP: shallow, bare, and only a cache.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::Repository;
use gix::credentials::helper::Action;
use gix::credentials::protocol::Outcome;
use gix::error::ErrorExt;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::remote::{Direction, fetch};

use crate::git::{Commit, FetchFailed, GitRef, commit, find, options};
use crate::remote::Login;

/// A clone with more packs than this is recreated: every fetch adds a pack, and nothing repacks them.
const MAX_PACKS: usize = 32;
const NO_LOGIN: &str = "the server asks for a login, name a Secret with `username` and `password` in `secret`";
/// The name of the fetched ref in a clone.
const FETCHED: &str = "refs/evenkeel/fetched";

/// A connection on which the server has listed its refs.
type Prepared<'remote, 'r> = fetch::Prepare<'remote, 'r, Box<dyn Transport + Send>>;

/// Fetches the wanted commit into the clone if it is missing.
///
/// # Errors
/// The server cannot be reached, refuses the login, or sends invalid data.
pub fn download(
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
    let remote = remote(&repository, url, &format!("+{name}:{FETCHED}"))?;
    let prepared = prepare(&remote, login)?;
    let Some(mapping) = prepared.ref_map().mappings.first().cloned() else { return Ok(None) };
    let Some(id) = mapping.remote.as_id().map(ToOwned::to_owned) else { return Ok(None) };
    let label = match (wanted, mapping.remote.as_target()) {
        (None, Some(target)) => Some(target.to_string()),
        (Some(GitRef::Commit(_)), _) => None,
        _ => Some(name),
    };
    // The clone has the commit already.
    if repository.find_commit(id).is_ok() {
        return commit(&repository, id, label.as_deref()).map(Some);
    }
    prepared
        .with_shallow(fetch::Shallow::DepthAtRemote(std::num::NonZeroU32::MIN))
        .receive(gix::progress::Discard, &AtomicBool::new(false))?;
    commit(&repository, id, label.as_deref()).map(Some)
}

/// Lists the names of the server's tags.
///
/// # Errors
/// As for [`download`].
pub fn tags(url: &gix::Url, login: Option<Login>, clone: &Path) -> Result<Vec<String>, FetchFailed> {
    let repository = open_or_init(clone)?;
    let remote = remote(&repository, url, &format!("+refs/tags/*:{FETCHED}/*"))?;
    let prepared = prepare(&remote, login)?;
    let mappings = prepared.ref_map().mappings.iter();
    Ok(mappings.filter_map(|mapping| Some(mapping.remote.as_name()?.to_string())).collect())
}

fn remote<'r>(repository: &'r Repository, url: &gix::Url, spec: &str) -> Result<gix::Remote<'r>, FetchFailed> {
    let remote = repository.remote_at_without_url_rewrite(url.clone())?.with_fetch_tags(fetch::Tags::None);
    Ok(remote.with_refspecs([spec], Direction::Fetch)?)
}

/// Requests the refs of the server and prepares the fetch.
fn prepare<'remote, 'r>(
    remote: &'remote gix::Remote<'r>,
    login: Option<Login>,
) -> Result<Prepared<'remote, 'r>, FetchFailed> {
    let connection = remote.connect(Direction::Fetch)?.with_credentials(answer(login));
    Ok(connection.prepare_fetch(gix::progress::Discard, Default::default())?)
}

/// Answers one request for credentials; a refused login is final.
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

/// Opens the clone, or recreates it when it is damaged or has too many packs.
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
    use crate::remote::Remote;
    use crate::sample;

    #[test]
    fn a_damaged_clone_is_recreated() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("HEAD"), "nonsense").unwrap();
        assert!(open_or_init(folder.path()).unwrap().is_bare());
        assert!(open_or_init(folder.path()).unwrap().is_bare());
    }

    fn over_http(folder: &Path, door: Door) -> Remote {
        // No other test installs a provider, so only the first call can succeed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Remote::parse(&daemon::serve(folder, door).unwrap()).unwrap()
    }

    #[test]
    fn new_commits_are_fetched_into_a_shallow_clone() {
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
    fn a_required_login_fails_with_the_fix() {
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

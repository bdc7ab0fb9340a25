//! Small git repositories, created without a git program: for the demo outside of a repository, and for tests.

use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

/// Adds a commit with exactly these files on top of `main`; creates the repository if it is missing.
///
/// # Errors
/// The folder cannot be written.
pub fn repository(folder: &Path, files: &[(&str, &str)]) -> gix::Result<ObjectId> {
    let repository = match gix::open_opts(folder, gix::open::Options::isolated()) {
        Ok(repository) => repository,
        Err(_) => init(folder)?,
    };
    let mut tree = repository.empty_tree().edit()?;
    for (path, text) in files {
        let blob = repository.write_blob(text)?;
        tree.upsert(*path, EntryKind::Blob, blob)?;
    }
    let tree = tree.write()?;
    let author = gix::actor::SignatureRef {
        name: "evenkeel".into(),
        email: "demo@evenkeel.dev".into(),
        time: "1700000000 +0000",
    };
    let parents = repository.head_id().ok().map(gix::Id::detach);
    Ok(repository.commit_as(author, author, "refs/heads/main", "A small repository", tree, parents)?.detach())
}

/// Sets the branch to `main`, independent of the configuration of the user.
fn init(folder: &Path) -> gix::Result<gix::Repository> {
    let options = gix::open::Options::isolated().config_overrides(["init.defaultBranch=main"]);
    let kind = gix::create::Kind::Bare;
    Ok(gix::ThreadSafeRepository::init_opts(folder, kind, gix::create::Options::default(), options)?.to_thread_local())
}

/// Creates a tag on a commit.
///
/// # Errors
/// The tag exists already, or the folder is not a repository.
#[cfg(test)]
pub fn tag(folder: &Path, name: &str, commit: ObjectId) -> gix::Result<()> {
    let repository = gix::open_opts(folder, gix::open::Options::isolated())?;
    repository.tag_reference(name, commit, gix::refs::transaction::PreviousValue::MustNotExist)?;
    Ok(())
}

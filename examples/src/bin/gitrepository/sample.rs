//! Small git repositories, made with no git program: for the demo where it stands in none, and for tests.

use std::path::Path;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

/// Adds a commit with exactly these files on top of `main`, in a repository that is made where there is none.
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

/// The branch is `main` whatever the user has configured.
fn init(folder: &Path) -> gix::Result<gix::Repository> {
    let options = gix::open::Options::isolated().config_overrides(["init.defaultBranch=main"]);
    let kind = gix::create::Kind::Bare;
    Ok(gix::ThreadSafeRepository::init_opts(folder, kind, gix::create::Options::default(), options)?.to_thread_local())
}

/// Puts a tag on a commit.
///
/// # Errors
/// There is one of that name already, or the folder is no repository.
#[cfg(test)]
pub fn tag(folder: &Path, name: &str, commit: ObjectId) -> gix::Result<()> {
    let repository = gix::open_opts(folder, gix::open::Options::isolated())?;
    repository.tag_reference(name, commit, gix::refs::transaction::PreviousValue::MustNotExist)?;
    Ok(())
}

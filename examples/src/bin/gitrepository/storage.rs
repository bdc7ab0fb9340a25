//! The storage: the artifact files of each object, and the clones from which they are made.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use kube::ResourceExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::archive::{self, Files};
use crate::recipe::Recipe;

/// The number of artifacts per object: the current one, and the previous one for readers that have it open.
const RETAINED: usize = 2;

/// The prefix of the names of files that are still being written.
const UNFINISHED: &str = ".new-";

/// A stored archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// What it was made from: `main@sha1:4b825d…`.
    pub revision: String,
    /// A digest of all that it was made from: the revision, the rules, the includes.
    #[serde(default)]
    pub recipe: String,
    /// The digest of the file: `sha256:<hex>`.
    pub digest: String,
    /// Where the file is, below the storage's folder.
    pub path: String,
    /// The size of the file in bytes.
    pub size: i64,
}

/// A folder with `artifacts/<namespace>/<name>/` and `clones/<namespace>/<name>/`.
#[derive(Clone, Debug)]
pub struct Storage {
    root: Arc<Path>,
}

impl Storage {
    /// Opens a folder, or creates it if it is missing. Removes all unfinished files of a crash, also those of deleted objects: the folder
    /// belongs to one operator.
    ///
    /// # Errors
    /// The folder cannot be created, read or cleaned.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into();
        fs::create_dir_all(&root)?;
        // Makes all paths below it independent of the working directory.
        let root = root.canonicalize()?;
        remove_unfinished(&root.join("artifacts"))?;
        Ok(Self { root: root.into() })
    }

    /// Returns the folder for a clone of this address for this object. Each address has its own folder, so that objects readable under one
    /// address are not found under another.
    pub fn clone_dir(&self, object: &impl ResourceExt, url: &str) -> PathBuf {
        let hash = Sha256::digest(url).iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        self.root.join("clones").join(key(object)).join(hash)
    }

    /// Removes files that are no longer needed, and returns whether the file of the `known` artifact is intact. This call blocks.
    ///
    /// # Errors
    /// A file cannot be read or removed.
    pub fn check(&self, key: &Path, known: Option<&Artifact>) -> io::Result<bool> {
        let Some(known) = known.filter(|known| self.is_whole(known)) else { return Ok(false) };
        self.collect(key, known).map(|()| true)
    }

    /// Returns the artifact of a recipe: the `known` one if the recipe is equal, else a new file. This call blocks.
    ///
    /// # Errors
    /// The commit or an included archive cannot be read, or the file cannot be written.
    pub fn keep(&self, key: &Path, recipe: &Recipe, known: Option<&Artifact>) -> io::Result<Artifact> {
        let artifact = match known.filter(|known| known.recipe == recipe.digest()) {
            Some(known) => known.clone(),
            None => self.build(key, recipe)?,
        };
        self.collect_clones(key, recipe)?;
        Ok(artifact)
    }

    /// Removes all stored files of an object; succeeds if there are none.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn remove(&self, key: &Path) -> io::Result<()> {
        for folder in ["artifacts", "clones"] {
            match fs::remove_dir_all(self.root.join(folder).join(key)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the file exists with its original bytes.
    fn is_whole(&self, artifact: &Artifact) -> bool {
        let file = File::open(self.root.join(&artifact.path));
        file.and_then(archive::digest).is_ok_and(|digest| digest == artifact.digest)
    }

    /// Writes a temporary file and renames it, so that no reader gets a partial file.
    fn build(&self, key: &Path, recipe: &Recipe) -> io::Result<Artifact> {
        let (commit, digest) = (&recipe.commit, recipe.digest());
        let path = Path::new("artifacts").join(key).join(format!("{}-{digest}.tar.gz", commit.id));
        let place = self.root.join(&path);
        let folder = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
        let written = self.write(recipe, io::BufWriter::new(file.as_file_mut()))?;
        file.as_file().sync_all()?;
        let size = i64::try_from(file.as_file().metadata()?.len()).unwrap_or(i64::MAX);
        file.persist(&place)?;
        let path = path.display().to_string();
        Ok(Artifact { revision: commit.revision.clone(), recipe: digest, digest: written, path, size })
    }

    fn write(&self, recipe: &Recipe, output: impl io::Write) -> io::Result<String> {
        let options = gix::open::Options::isolated();
        let repository = gix::open_opts(&recipe.commit.repository, options).map_err(io::Error::other)?;
        let mut files = Files::of(&repository, recipe.commit.id).map_err(io::Error::other)?;
        for one in &recipe.included {
            files.include(&self.root.join(&one.artifact.path), one)?;
        }
        files.retain(&repository, recipe.ignore.as_deref())?;
        files.write(&repository, output)
    }

    /// Removes all files but the newest, including files that a crash left unfinished.
    fn collect(&self, key: &Path, current: &Artifact) -> io::Result<()> {
        let current = self.root.join(&current.path);
        let mut others = Vec::new();
        for entry in fs::read_dir(self.root.join("artifacts").join(key))? {
            let entry = entry?;
            if entry.path() != current {
                others.push((entry.metadata()?.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
            }
        }
        others.sort_by(|a, b| b.cmp(a));
        let (whole, half): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(_, path)| path.extension().is_some_and(|extension| extension == "gz"));
        let old = whole.into_iter().skip(RETAINED - 1);
        old.chain(half).try_for_each(|(_, path)| fs::remove_file(path))
    }

    /// Removes the clones of addresses that the object no longer uses.
    fn collect_clones(&self, key: &Path, recipe: &Recipe) -> io::Result<()> {
        let Ok(clones) = fs::read_dir(self.root.join("clones").join(key)) else { return Ok(()) };
        let mut others = clones.filter_map(|entry| Some(entry.ok()?.path()));
        let current = &recipe.commit.repository;
        others.try_for_each(|path| if current.starts_with(&path) { Ok(()) } else { fs::remove_dir_all(path) })
    }
}

/// Removes the unfinished files below the folder; succeeds if there are none.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => remove_unfinished(&entry.path())?,
            false if entry.file_name().to_string_lossy().starts_with(UNFINISHED) => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    Ok(())
}

/// The folder of an object: `<namespace>/<name>`. Kubernetes allows no slash in either, and no name that starts with a dot.
pub fn key(object: &impl ResourceExt) -> PathBuf {
    Path::new(&object.namespace().unwrap_or_default()).join(object.name_any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Commit;
    use crate::include::Include;
    use crate::sample;

    struct Bench {
        _folder: tempfile::TempDir,
        storage: Storage,
        repository: PathBuf,
    }

    const KEY: &str = "team-a/podinfo";

    fn recipe(repository: &Path, text: &str) -> Recipe {
        let id = sample::repository(repository, &[("file", text)]).unwrap();
        let commit = Commit { id, revision: format!("main@sha1:{id}"), repository: repository.to_owned() };
        Recipe { commit, ignore: None, included: Vec::new() }
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let storage = Storage::open(folder.path().join("data")).unwrap();
            Self { repository: folder.path().join("repository"), storage, _folder: folder }
        }

        fn recipe(&self, text: &str) -> Recipe {
            recipe(&self.repository, text)
        }

        fn keep(&self, recipe: &Recipe, known: Option<&Artifact>) -> Artifact {
            self.storage.keep(Path::new(KEY), recipe, known).unwrap()
        }

        fn check(&self, artifact: &Artifact) -> bool {
            self.storage.check(Path::new(KEY), Some(artifact)).unwrap()
        }

        fn file(&self, artifact: &Artifact) -> PathBuf {
            self.storage.root.join(&artifact.path)
        }

        fn files(&self) -> usize {
            fs::read_dir(self.storage.root.join("artifacts").join(KEY)).unwrap().count()
        }
    }

    #[test]
    fn an_artifact_is_stored_with_digest_and_size() {
        let bench = Bench::new();
        let artifact = bench.keep(&bench.recipe("one"), None);
        let bytes = fs::read(bench.file(&artifact)).unwrap();
        assert_eq!(i64::try_from(bytes.len()).unwrap(), artifact.size);
        assert_eq!(archive::digest(bytes.as_slice()).unwrap(), artifact.digest);
    }

    #[test]
    fn an_intact_file_is_not_rewritten() {
        let bench = Bench::new();
        let recipe = bench.recipe("one");
        let artifact = bench.keep(&recipe, None);
        let before = fs::metadata(bench.file(&artifact)).unwrap().modified().unwrap();
        assert_eq!(bench.keep(&recipe, Some(&artifact)), artifact);
        assert_eq!(fs::metadata(bench.file(&artifact)).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn a_missing_or_damaged_file_is_rebuilt_with_its_digest() {
        let bench = Bench::new();
        let recipe = bench.recipe("one");
        let artifact = bench.keep(&recipe, None);
        assert!(bench.check(&artifact));
        fs::write(bench.file(&artifact), "damaged").unwrap();
        assert!(!bench.check(&artifact));
        fs::remove_file(bench.file(&artifact)).unwrap();
        assert!(!bench.check(&artifact));
        assert_eq!(bench.keep(&recipe, None), artifact);
        assert!(bench.check(&artifact));
    }

    #[test]
    fn changed_rules_or_includes_make_a_new_file() {
        let bench = Bench::new();
        let (plain, base) = (bench.recipe("one"), bench.keep(&bench.recipe("base"), None));
        let other = Recipe { ignore: Some("*.md".into()), ..plain.clone() };
        let include = Include { repository: "base".into(), from_path: None, to_path: None };
        let more = Recipe { included: vec![include.of(base)], ..plain.clone() };
        let first = bench.keep(&plain, None);
        for recipe in [other, more] {
            let next = bench.keep(&recipe, Some(&first));
            assert!(next.path != first.path && bench.file(&first).exists());
        }
    }

    #[test]
    fn old_and_unfinished_artifacts_are_removed() {
        let bench = Bench::new();
        let mut known = Artifact::default();
        for text in ["one", "two", "three", "four"] {
            known = bench.keep(&bench.recipe(text), Some(&known));
            fs::write(bench.storage.root.join("artifacts").join(KEY).join(".new-left"), "half").unwrap();
            assert!(bench.check(&known));
        }
        assert_eq!(bench.files(), RETAINED);
    }

    #[test]
    fn unfinished_files_are_removed_at_startup() {
        let bench = Bench::new();
        let artifact = bench.keep(&bench.recipe("one"), None);
        let artifacts = bench.storage.root.join("artifacts");
        let left = [artifacts.join(KEY).join(".new-a"), artifacts.join("team-b/gone/.new-b")];
        for file in &left {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "half").unwrap();
        }
        Storage::open(&*bench.storage.root).unwrap();
        assert_eq!(left.map(|file| file.exists()), [false, false]);
        assert!(bench.file(&artifact).exists());
    }

    #[test]
    fn the_clone_of_an_earlier_address_is_removed() {
        let bench = Bench::new();
        let clones = bench.storage.root.join("clones").join(KEY);
        let (old, new) = (clones.join("old"), clones.join("new"));
        fs::create_dir_all(&old).unwrap();
        bench.keep(&recipe(&new, "text"), None);
        assert!(new.exists() && !old.exists());
    }

    #[test]
    fn removal_deletes_everything_and_is_idempotent() {
        let bench = Bench::new();
        let artifact = bench.keep(&bench.recipe("one"), None);
        bench.storage.remove(Path::new(KEY)).unwrap();
        bench.storage.remove(Path::new(KEY)).unwrap();
        assert!(!bench.file(&artifact).exists());
    }
}

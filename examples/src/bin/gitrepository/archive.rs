//! Reproducible archives: the same commit gives the same bytes on every machine, at any time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::include::Included;
use crate::rules::{self, Rules};

/// The files of an archive by path, sorted so that the same files give the same bytes.
pub struct Files(BTreeMap<Vec<u8>, Content>);

/// A file from the commit or from an included archive.
enum Content {
    Blob(EntryKind, ObjectId),
    Bytes(EntryKind, Vec<u8>),
}

impl Files {
    /// Returns the files of a commit without submodules, whose content is stored elsewhere.
    ///
    /// # Errors
    /// The objects cannot be read.
    pub fn of(repository: &Repository, commit: ObjectId) -> gix::Result<Self> {
        let files = repository.find_commit(commit)?.tree()?.traverse().breadthfirst.files()?;
        let files = files.into_iter().filter(|file| !matches!(file.mode.kind(), EntryKind::Tree | EntryKind::Commit));
        Ok(Self(files.map(|file| (file.filepath.into(), Content::Blob(file.mode.kind(), file.oid))).collect()))
    }

    /// Adds the files of another archive, which is read into memory.
    ///
    /// # Errors
    /// The archive cannot be read.
    pub fn include(&mut self, archive: &Path, included: &Included) -> io::Result<()> {
        for entry in tar::Archive::new(GzDecoder::new(File::open(archive)?)).entries()? {
            let mut entry = entry?;
            let path = entry.path()?.to_string_lossy().into_owned();
            let Some(place) = included.place(&path) else { continue };
            let kind = match (entry.header().entry_type(), entry.header().mode()? & 0o100) {
                (EntryType::Symlink, _) => EntryKind::Link,
                (_, 0) => EntryKind::Blob,
                _ => EntryKind::BlobExecutable,
            };
            let mut bytes = entry.link_name_bytes().map(Cow::into_owned).unwrap_or_default();
            entry.read_to_end(&mut bytes)?;
            self.0.insert(place.into_bytes(), Content::Bytes(kind, bytes));
        }
        Ok(())
    }

    /// Removes the files that match the rules of the `.sourceignore` files or of the spec.
    ///
    /// # Errors
    /// A file of rules cannot be read.
    pub fn retain(&mut self, repository: &Repository, spec: Option<&str>) -> io::Result<()> {
        let is_rules = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(rules::FILE.as_bytes());
        let mut files = Vec::new();
        for (path, content) in self.0.iter().filter(|(path, _)| is_rules(path)) {
            files.push((path.clone(), content.bytes(repository)?));
        }
        // Rules of a nested folder override those of the folders around it.
        files.sort_by_key(|(path, _)| path.iter().filter(|byte| **byte == b'/').count());
        let rules = Rules::new(&files, spec)?;
        self.0.retain(|path, _| !rules.leave_out(path));
        Ok(())
    }

    /// Writes the files as tar.gz with fixed times, users and gzip header, and returns the digest of the output as `sha256:<hex>`.
    ///
    /// # Errors
    /// The objects cannot be read, or the output cannot be written.
    pub fn write(&self, repository: &Repository, output: impl Write) -> io::Result<String> {
        let gzip = GzBuilder::new().mtime(0).operating_system(255);
        let mut tar = Builder::new(gzip.write(Hashing { inner: output, hash: Sha256::new() }, Compression::default()));
        for (path, content) in &self.0 {
            append(&mut tar, path, content.kind(), &content.bytes(repository)?)?;
        }
        let Hashing { mut inner, hash } = tar.into_inner()?.finish()?;
        inner.flush()?;
        Ok(name(&hash.finalize()))
    }
}

impl Content {
    fn kind(&self) -> EntryKind {
        match self {
            Self::Blob(kind, _) | Self::Bytes(kind, _) => *kind,
        }
    }

    fn bytes(&self, repository: &Repository) -> io::Result<Vec<u8>> {
        match self {
            Self::Blob(_, id) => Ok(repository.find_blob(*id).map_err(io::Error::other)?.take_data()),
            Self::Bytes(_, bytes) => Ok(bytes.clone()),
        }
    }
}

/// Returns the digest of the input, in the form that [`Files::write`] returns.
///
/// # Errors
/// Reading failed.
pub fn digest(mut input: impl io::Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut input, &mut hash)?;
    Ok(name(&hash.finalize()))
}

fn name(hash: &[u8]) -> String {
    hash.iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn append<W: Write>(tar: &mut Builder<GzEncoder<W>>, path: &[u8], kind: EntryKind, bytes: &[u8]) -> io::Result<()> {
    let path = gix::path::from_byte_slice(path).map_err(io::Error::other)?;
    let mut header = Header::new_gnu();
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mode(if kind == EntryKind::BlobExecutable { 0o755 } else { 0o644 });
    if kind == EntryKind::Link {
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        let target = gix::path::from_byte_slice(bytes).map_err(io::Error::other)?;
        tar.append_link(&mut header, path, target)
    } else {
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, path, bytes)
    }
}

/// A writer that hashes all bytes that pass through it.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.hash.update(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::include::Include;
    use crate::sample;
    use crate::storage::Artifact;

    const FILES: [(&str, &str); 3] = [("b/deep/er", "two"), ("a", "one"), ("b.txt", "three")];

    fn archive() -> (Vec<u8>, String) {
        let folder = tempfile::tempdir().unwrap();
        let id = sample::repository(folder.path(), &FILES).unwrap();
        let repository = gix::open(folder.path()).unwrap();
        let mut bytes = Vec::new();
        let digest = Files::of(&repository, id).unwrap().write(&repository, &mut bytes).unwrap();
        (bytes, digest)
    }

    fn paths(files: &Files) -> Vec<&str> {
        files.0.keys().map(|path| std::str::from_utf8(path).unwrap()).collect()
    }

    #[test]
    fn the_same_tree_gives_the_same_bytes() {
        assert_eq!(archive(), archive());
    }

    #[test]
    fn the_digest_matches_the_bytes() {
        let (bytes, expected) = archive();
        assert_eq!(digest(bytes.as_slice()).unwrap(), expected);
    }

    #[test]
    fn archive_entries_are_sorted_without_time_or_owner() {
        let (bytes, _) = archive();
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let mut found = Vec::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.mtime().unwrap(), header.uid().unwrap(), header.gid().unwrap()), (0, 0, 0));
            let path = entry.path().unwrap().display().to_string();
            let mut text = String::new();
            io::Read::read_to_string(&mut entry, &mut text).unwrap();
            found.push((path, text));
        }
        let sorted: BTreeMap<String, String> =
            FILES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found, sorted.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn an_included_archive_overwrites_files_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("base.tar.gz");
        std::fs::write(&base, archive().0).unwrap();
        let origin = folder.path().join("origin");
        let id = sample::repository(&origin, &[("own", "x"), ("base/a", "old")]).unwrap();
        let repository = gix::open(&origin).unwrap();
        let mut files = Files::of(&repository, id).unwrap();
        let include = Include { repository: "base".into(), from_path: None, to_path: None };
        files.include(&base, &include.of(Artifact::default())).unwrap();
        assert_eq!(paths(&files), ["base/a", "base/b.txt", "base/b/deep/er", "own"]);
        assert_eq!(files.0[b"base/a".as_slice()].bytes(&repository).unwrap(), b"one");
    }

    #[test]
    fn ignored_files_are_not_in_the_archive() {
        let folder = tempfile::tempdir().unwrap();
        let all = [("a.md", ""), ("b", ""), ("c/.sourceignore", "/d\n"), ("c/d", ""), ("c/e", ""), (".gitignore", "")];
        let id = sample::repository(folder.path(), &all).unwrap();
        let repository = gix::open(folder.path()).unwrap();
        let mut files = Files::of(&repository, id).unwrap();
        files.retain(&repository, Some("*.md")).unwrap();
        assert_eq!(paths(&files), ["b", "c/.sourceignore", "c/e"]);
    }
}

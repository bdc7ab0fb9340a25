//! Reproducible archives: the same commit gives the same bytes, on every machine and at every time.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

/// A file of a commit: its path, what it is, its blob.
type Entry = (Vec<u8>, EntryKind, ObjectId);

/// Writes the tree of a commit as tar.gz and returns the digest of what was written, as `sha256:<hex>`.
///
/// Paths are sorted; times, users and the gzip header are fixed. Submodules are left out: their content is elsewhere.
///
/// # Errors
/// The objects cannot be read, or the output cannot be written.
pub fn write(repository: &Repository, commit: ObjectId, output: impl Write) -> io::Result<String> {
    let gzip = GzBuilder::new().mtime(0).operating_system(255);
    let mut tar = Builder::new(gzip.write(Hashing { inner: output, hash: Sha256::new() }, Compression::default()));
    for entry in entries(repository, commit).map_err(io::Error::other)? {
        append(&mut tar, repository, &entry)?;
    }
    let Hashing { mut inner, hash } = tar.into_inner()?.finish()?;
    inner.flush()?;
    Ok(name(&hash.finalize()))
}

/// The digest of what is read, in the form that [`write()`] returns.
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

fn entries(repository: &Repository, commit: ObjectId) -> gix::Result<Vec<Entry>> {
    let files = repository.find_commit(commit)?.tree()?.traverse().breadthfirst.files()?;
    let mut entries: Vec<Entry> =
        files.into_iter().map(|file| (file.filepath.into(), file.mode.kind(), file.oid)).collect();
    entries.retain(|(_, kind, _)| !matches!(kind, EntryKind::Tree | EntryKind::Commit));
    entries.sort();
    Ok(entries)
}

fn append<W: Write>(
    tar: &mut Builder<GzEncoder<W>>,
    repository: &Repository,
    (path, kind, id): &Entry,
) -> io::Result<()> {
    let blob = repository.find_blob(*id).map_err(io::Error::other)?;
    let path = gix::path::from_byte_slice(path).map_err(io::Error::other)?;
    let mut header = Header::new_gnu();
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mode(if *kind == EntryKind::BlobExecutable { 0o755 } else { 0o644 });
    if *kind == EntryKind::Link {
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        let target = gix::path::from_byte_slice(&blob.data).map_err(io::Error::other)?;
        tar.append_link(&mut header, path, target)
    } else {
        header.set_size(blob.data.len() as u64);
        tar.append_data(&mut header, path, blob.data.as_slice())
    }
}

/// Hashes what passes through.
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
    use crate::sample;
    use std::collections::BTreeMap;

    const FILES: [(&str, &str); 3] = [("b/deep/er", "two"), ("a", "one"), ("b.txt", "three")];

    fn archive() -> (Vec<u8>, String) {
        let folder = tempfile::tempdir().unwrap();
        let id = sample::repository(folder.path(), &FILES).unwrap();
        let repository = gix::open(folder.path()).unwrap();
        let mut bytes = Vec::new();
        let digest = write(&repository, id, &mut bytes).unwrap();
        (bytes, digest)
    }

    #[test]
    fn the_same_tree_gives_the_same_bytes() {
        assert_eq!(archive(), archive());
    }

    #[test]
    fn the_digest_is_that_of_the_bytes() {
        let (bytes, expected) = archive();
        assert_eq!(digest(bytes.as_slice()).unwrap(), expected);
    }

    #[test]
    fn every_file_is_in_it_sorted_and_without_time_or_owner() {
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
}

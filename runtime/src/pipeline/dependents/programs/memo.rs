//! The outputs of the last runs, so that a program runs only if its input has changed.

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::UNIX_EPOCH;

use lru::LruCache;

use crate::lock::{Mutex, MutexGuard};
use crate::sha256::Sha256;

/// A hash over everything that the output depends on.
pub(super) type Fingerprint = [u8; 32];

/// The most outputs that are kept.
const MOST: NonZeroUsize = NonZeroUsize::new(128).unwrap();
/// Longer outputs are not kept, so that all together take at most 32 MiB.
const LONGEST: usize = 256 << 10;

static OUTPUTS: LazyLock<Mutex<LruCache<Fingerprint, Arc<str>>>> = LazyLock::new(|| Mutex::new(LruCache::new(MOST)));

fn outputs() -> MutexGuard<'static, LruCache<Fingerprint, Arc<str>>> {
    OUTPUTS.lock()
}

/// The output of an earlier run.
pub(super) fn found(fingerprint: &Fingerprint) -> Option<Arc<str>> {
    outputs().get(fingerprint).cloned()
}

/// Keeps an output.
pub(super) fn keep(fingerprint: Fingerprint, output: &str) {
    if output.len() <= LONGEST {
        outputs().put(fingerprint, output.into());
    }
}

/// A hash over these parts and over the names, sizes and times of the files of a folder.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn fingerprint(parts: &[&[u8]], folder: &Path) -> io::Result<Fingerprint> {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    parts.iter().for_each(|part| add(part));
    for file in files(folder)? {
        let meta = fs::metadata(&file)?;
        let changed = meta.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        add(file.as_os_str().as_encoded_bytes());
        add(&meta.len().to_le_bytes());
        add(&changed.as_nanos().to_le_bytes());
    }
    Ok(hash.end())
}

/// The files of a folder and its folders, in their order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // A link to a folder is not followed: it may lead back.
            if entry.file_type()?.is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    Ok(files)
}

//! The inputs of an archive.

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::git::Commit;
use crate::include::Included;

/// A commit, the ignored files, and the included archives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The commit.
    pub commit: Commit,
    /// Rules in the form of `.gitignore`.
    pub ignore: Option<String>,
    /// The archives of other repositories; of files with the same name the last one is used.
    pub included: Vec<Included>,
}

impl Recipe {
    /// Returns a digest of all inputs of the archive: equal digests mean equal bytes.
    pub fn digest(&self) -> String {
        let included = self.included.iter().map(|one| json!([one.artifact.digest, one.from, one.to]));
        let parts = json!([self.commit.revision, self.ignore, included.collect::<Vec<_>>()]);
        let hash = Sha256::digest(parts.to_string());
        hash.iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }
}

//! What an archive is made of.

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::git::Commit;
use crate::include::Included;

/// A commit, what stays out of it, and what else goes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The commit.
    pub commit: Commit,
    /// Rules in the form of `.gitignore`.
    pub ignore: Option<String>,
    /// The archives of other repositories; where two have a file of one name, the later one's is taken.
    pub included: Vec<Included>,
}

impl Recipe {
    /// A digest of all that the archive depends on: the same one gives the same bytes.
    pub fn digest(&self) -> String {
        let included = self.included.iter().map(|one| json!([one.artifact.digest, one.from, one.to]));
        let parts = json!([self.commit.revision, self.ignore, included.collect::<Vec<_>>()]);
        let hash = Sha256::digest(parts.to_string());
        hash.iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }
}

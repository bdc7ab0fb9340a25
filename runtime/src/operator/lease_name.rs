//! Shards: operators that share a cluster by label selectors need different leases.

use crate::sha256::{hex, sha256};

/// The lease name for an operator that watches only these label selectors.
///
/// It is `base`, a dash, and the first eight hex digits of the SHA-256 of the selectors in order; `base` alone if either one is empty.
#[must_use]
pub fn leader_id<S: AsRef<str>>(base: &str, selectors: &[S]) -> String {
    let text: String = selectors.iter().map(AsRef::as_ref).collect();
    if base.is_empty() || text.is_empty() {
        return base.to_owned();
    }
    format!("{base}-{}", hex(&sha256(text)[..4]))
}

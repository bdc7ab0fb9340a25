//! Shards: operators that share a cluster by label selectors need leases of their own.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The name of the lease for an operator that watches only what these label selectors select: the name, a dash, and the first eight
/// hex digits of the SHA-256 over the selectors in their order. Without selectors, or without a name, it is the name itself.
#[must_use]
pub fn leader_id<S: AsRef<str>>(base: &str, selectors: &[S]) -> String {
    let text: String = selectors.iter().map(AsRef::as_ref).collect();
    if base.is_empty() || text.is_empty() {
        return base.to_owned();
    }
    Sha256::digest(text).iter().take(4).fold(format!("{base}-"), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}

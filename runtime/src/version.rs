//! Versions of objects, and which of two is newer.

/// Whether the version is newer than the other one. Versions are numbers on every API server that we know; where they are not,
/// what came last counts as newer.
pub(crate) fn is_newer(version: &str, than: &str) -> bool {
    match (version.parse::<u128>(), than.parse::<u128>()) {
        (Ok(version), Ok(than)) => version > than,
        _ => version != than,
    }
}

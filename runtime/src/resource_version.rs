//! Comparison of resource versions.

/// Whether the version is newer than the other one. Versions are numbers on all API servers known to us. If either one is not a number, any
/// different version counts as newer.
pub(crate) fn is_newer(version: &str, than: &str) -> bool {
    match (version.parse::<u128>(), than.parse::<u128>()) {
        (Ok(version), Ok(than)) => version > than,
        _ => version != than,
    }
}

/// Whether the version is older than the other one; false if they are equal or not comparable.
pub(crate) fn is_older(version: &str, than: &str) -> bool {
    version != than && !is_newer(version, than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numeric_versions_are_ordered() {
        for (version, than, newer, older) in [
            ("10", "9", true, false),
            ("9", "10", false, true),
            ("9", "9", false, false),
            ("a", "b", true, false),
            ("a", "a", false, false),
            ("1", "a", true, false),
        ] {
            assert_eq!((is_newer(version, than), is_older(version, than)), (newer, older), "{version} {than}");
        }
    }
}

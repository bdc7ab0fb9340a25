//! Version ranges: the tag of the highest version that is wanted.

use semver::{Version, VersionReq};

use crate::remote::InvalidSource;

/// Reads a range: `>=1.2, <2`, `1.x`, `^0.4`.
///
/// # Errors
/// Says what is wrong with it.
pub fn range(text: &str) -> Result<VersionReq, InvalidSource> {
    VersionReq::parse(text).map_err(|error| {
        InvalidSource::new(format!("`{text}` is no range of versions ({error}), write for example `>=1.2, <2`"))
    })
}

/// The tag of the highest version in the range; a `v` before the version is fine, and other tags do not count.
pub fn highest(range: &VersionReq, tags: impl Iterator<Item = String>) -> Option<String> {
    let version = |tag: &str| Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok();
    let known = tags.filter_map(|tag| Some((version(&tag)?, tag)));
    known.filter(|(version, _)| range.matches(version)).max().map(|(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_in_the_range_is_taken() {
        let tags = || ["v1.2.0", "1.10.0", "v2.0.0", "v1.11.0-rc.1", "nightly"].map(str::to_owned).into_iter();
        let find = |text: &str| highest(&range(text).unwrap(), tags());
        assert_eq!(find(">=1.2, <2").as_deref(), Some("1.10.0"));
        assert_eq!(find("*").as_deref(), Some("v2.0.0"));
        assert_eq!(find("3"), None);
    }

    #[test]
    fn what_is_no_range_is_refused_with_an_example() {
        assert!(range("one").unwrap_err().to_string().contains(">=1.2, <2"));
    }
}

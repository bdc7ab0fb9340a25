//! Version ranges: the tag with the highest matching version.

use semver::{Version, VersionReq};

use crate::remote::InvalidSource;

/// Parses a range: `>=1.2, <2`, `1.x`, `^0.4`.
///
/// # Errors
/// The range is invalid; the message names the mistake.
pub fn range(text: &str) -> Result<VersionReq, InvalidSource> {
    VersionReq::parse(text).map_err(|error| {
        InvalidSource::new(format!("`{text}` is no range of versions ({error}), write for example `>=1.2, <2`"))
    })
}

/// Returns the tag of the highest version in the range. A `v` before the version is allowed; other tags are ignored.
pub fn highest(range: &VersionReq, tags: impl Iterator<Item = String>) -> Option<String> {
    let version = |tag: &str| Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok();
    let known = tags.filter_map(|tag| Some((version(&tag)?, tag)));
    known.filter(|(version, _)| range.matches(version)).max().map(|(_, tag)| tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_in_range_wins() {
        let tags = || ["v1.2.0", "1.10.0", "v2.0.0", "v1.11.0-rc.1", "nightly"].map(str::to_owned).into_iter();
        let find = |text: &str| highest(&range(text).unwrap(), tags());
        assert_eq!(find(">=1.2, <2").as_deref(), Some("1.10.0"));
        assert_eq!(find("*").as_deref(), Some("v2.0.0"));
        assert_eq!(find("3"), None);
    }

    #[test]
    fn an_invalid_range_is_refused_with_an_example() {
        assert!(range("one").unwrap_err().to_string().contains(">=1.2, <2"));
    }
}

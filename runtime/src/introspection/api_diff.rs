//! A difference between two contracts, and the part of the version number that it increments.

use std::fmt;

/// The part of the version number that a change increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Semver {
    /// No change that consumers can observe.
    Patch,
    /// Only additions.
    Minor,
    /// A guarantee was removed or has another meaning, or a write that was accepted may now be refused.
    Major,
}

/// A difference between two contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiDiff {
    /// The part of the version number that this change increments.
    pub semver: Semver,
    /// A description: `removed: source-controller/git_repository, condition ArtifactStored`.
    pub what: String,
    /// What to do about a change that breaks clients or objects; empty for other changes.
    pub fix: &'static str,
}

impl ApiDiff {
    pub(super) fn major(what: String, fix: &'static str) -> Self {
        Self { semver: Semver::Major, what, fix }
    }

    pub(super) fn minor(what: String) -> Self {
        Self { semver: Semver::Minor, what, fix: "" }
    }
}

impl fmt::Display for ApiDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Semver {
    /// The level as a word: `minor`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// The version increment that these changes require together.
    #[must_use]
    pub fn of(changes: &[ApiDiff]) -> Self {
        changes.iter().map(|change| change.semver).max().unwrap_or(Self::Patch)
    }
}

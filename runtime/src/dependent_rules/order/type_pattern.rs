//! Patterns of groups and kinds.

use std::fmt;
use std::str::FromStr;

/// A pattern for types: `cert-manager.io/Certificate`, `*.crossplane.io/*`.
///
/// The group is a name, `*` for every group, or `*.suffix`, in which the asterisk stands for one or more labels. The kind is a name or `*`. The
/// core group is the empty text: `/Secret`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypePattern {
    group: String,
    kind: String,
}

/// The error for a text that is no [`TypePattern`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTypePattern(String);

impl fmt::Display for InvalidTypePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let help = "write a group and a kind, such as `cert-manager.io/Certificate`, `*.crossplane.io/*` or `*/*`";
        write!(f, "`{}` is no pattern of types: {help}", self.0)
    }
}

impl std::error::Error for InvalidTypePattern {}

impl FromStr for TypePattern {
    type Err = InvalidTypePattern;

    fn from_str(text: &str) -> Result<Self, InvalidTypePattern> {
        let invalid = || InvalidTypePattern(text.to_owned());
        let (group, kind) = text.split_once('/').ok_or_else(invalid)?;
        let suffix = if group == "*" { "" } else { group.strip_prefix("*.").unwrap_or(group) };
        let is_possible = !suffix.contains(['*', '/']) && group != "*." && !kind.is_empty();
        if !is_possible || kind != "*" && kind.contains(['*', '/', '.']) {
            return Err(invalid());
        }
        Ok(Self { group: group.to_owned(), kind: kind.to_owned() })
    }
}

impl fmt::Display for TypePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.kind)
    }
}

impl TypePattern {
    /// Whether the pattern matches a type.
    #[must_use]
    pub fn matches(&self, group: &str, kind: &str) -> bool {
        self.may_match(group) && (self.kind == "*" || self.kind == kind)
    }

    /// Whether the pattern may match a type of the group.
    #[must_use]
    pub fn may_match(&self, group: &str) -> bool {
        match self.group.strip_prefix('*') {
            Some(suffix) => group.strip_suffix(suffix).is_some_and(|labels| suffix.is_empty() || !labels.is_empty()),
            None => self.group == group,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asterisk_stands_for_one_or_more_labels() {
        let matches =
            |pattern: &str, group: &str, kind: &str| pattern.parse::<TypePattern>().unwrap().matches(group, kind);
        for group in ["aws.crossplane.io", "s3.aws.crossplane.io"] {
            assert!(matches("*.crossplane.io/*", group, "Bucket"), "{group}");
        }
        for group in ["crossplane.io", "xcrossplane.io", ".crossplane.io.example.com", ""] {
            assert!(!matches("*.crossplane.io/*", group, "Bucket"), "{group}");
        }
        assert!(
            matches("*/*", "", "Secret") && matches("/Secret", "", "Secret") && !matches("/Secret", "x.io", "Secret")
        );
        assert!(matches("*/Bucket", "x.io", "Bucket") && !matches("*/Bucket", "x.io", "Buckets"));
    }

    #[test]
    fn other_patterns_are_errors() {
        for wrong in ["", "x.io", "*r.foo/*", "f*o/*", "*.*.io/*", "x.io/B*", "x.io/", "*./*", "x.io/v1/Bucket", "**/*"]
        {
            assert!(wrong.parse::<TypePattern>().is_err(), "{wrong}");
        }
        assert_eq!("*.x.io/*".parse::<TypePattern>().unwrap().to_string(), "*.x.io/*");
    }
}

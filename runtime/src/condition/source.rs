//! Sources: the objects that conditions are of, and reasons that name them.

use super::Condition;

/// An object whose conditions are looked at.
///
/// With the names left empty it is the object itself, which a reason need not name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Source<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its conditions.
    pub conditions: &'a [Condition],
}

/// The reason with the object that it is of, unless it names one already.
///
/// ```
/// use evenkeel::condition::{Source, localize};
/// let source = Source { kind: "GitRepository", name: "app", conditions: &[] };
/// assert_eq!(localize("FetchFailed", &source), "FetchFailed @ GitRepository/app");
/// assert_eq!(localize("FetchFailed @ Bucket/a", &source), "FetchFailed @ Bucket/a");
/// ```
#[must_use]
pub fn localize(reason: &str, source: &Source<'_>) -> String {
    match reason.contains('@') {
        true => reason.to_owned(),
        false => format!("{reason} @ {}/{}", source.kind, source.name),
    }
}

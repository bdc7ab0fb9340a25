//! The objects of conditions, and reasons that name them.

use super::Condition;

/// An object with its conditions.
///
/// If kind and name are empty, it is the reconciled object itself, which a reason need not name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Source<'a> {
    /// The kind of the object.
    pub kind: &'a str,
    /// The name of the object.
    pub name: &'a str,
    /// The conditions of the object.
    pub conditions: &'a [Condition],
}

/// Appends the object to the reason, unless the reason already names one.
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

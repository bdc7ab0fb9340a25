//! Names that no rule can name: those into which macros are spelled out.

/// Adds an entry, or a map of entries, to a map; no rule can name it.
pub(super) const MAP_INSERT: &str = "cel.@mapInsert";
/// Sorts a list by another one as long; no rule can name it.
pub(super) const SORT_BY: &str = "@sortByAssociatedKeys";
/// The name under which folds keep what they have so far; no rule can name it.
pub(super) const ACCUMULATOR: &str = "@result";

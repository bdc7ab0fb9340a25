//! Names that rules can't use; expanded macros contain them.

/// Adds an entry, or a map of entries, to a map; rules can't call it.
pub(super) const MAP_INSERT: &str = "cel.@mapInsert";
/// Sorts a list by a second list of the same length; rules can't call it.
pub(super) const SORT_BY: &str = "@sortByAssociatedKeys";
/// The name of the accumulator of a fold; rules can't use it.
pub(super) const ACCUMULATOR: &str = "@result";

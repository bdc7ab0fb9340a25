//! Takes out of a merged object what its applier owned last time and no longer lists.

use serde_json::Value;

use super::managed_fields::Ledger;
use super::owned_paths::never_owned;
use super::owned_paths::{owned, with_declared_parents};
use super::remove::without;
use super::set::Set;
use super::shape::Shape;

/// `merged` without what only `last` owned: paths of any entry in `ledger` (the new one of the applier among them) stay.
/// Paths that nobody owned stay too, unless they lie under a declared field of which everything owned is released.
pub(crate) fn release(merged: &Value, last: &Set, ledger: &Ledger, shape: Shape<'_>) -> Value {
    if last.is_empty() {
        return merged.clone();
    }
    let full = |set: &Set| with_declared_parents(set, shape);
    let last = full(last);
    let all = full(&owned(merged, shape));
    // The server's own fields stay too: else metadata would go with the last label in it.
    let claimed = ledger.entries.values().fold(never_owned(), |set, entry| set.union(&full(&entry.set)));

    let bare = without(merged, &last, shape);
    let kept = full(&owned(&bare, shape)).union(&claimed);
    let claimed_back = without(merged, &all.difference(&kept), shape);

    let left = full(&owned(&claimed_back, shape));
    without(merged, &all.difference(&left).intersection(&last), shape)
}

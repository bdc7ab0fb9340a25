//! Removes fields that the applier owned last time and no longer applies.

use serde_json::Value;

use super::managed_fields::Ledger;
use super::owned_paths::never_owned;
use super::owned_paths::{owned, with_declared_parents};
use super::remove::without;
use super::set::Set;
use super::shape::Shape;

/// Removes the fields from `merged` that only `last` owned. Paths of any entry in `ledger` stay, including the applier's new entry. Paths
/// without an owner also stay, unless they are below a declared field all of whose owned children are released.
pub(crate) fn release(merged: &Value, last: &Set, ledger: &Ledger, shape: Shape<'_>) -> Value {
    if last.is_empty() {
        return merged.clone();
    }
    let full = |set: &Set| with_declared_parents(set, shape);
    let last = full(last);
    let all = full(&owned(merged, shape));
    // Fields of the server also stay; otherwise the metadata would be removed with its last label.
    let claimed = ledger.entries.values().fold(never_owned(), |set, entry| set.union(&full(&entry.set)));

    let bare = without(merged, &last, shape);
    let kept = full(&owned(&bare, shape)).union(&claimed);
    let claimed_back = without(merged, &all.difference(&kept), shape);

    let left = full(&owned(&claimed_back, shape));
    without(merged, &all.difference(&left).intersection(&last), shape)
}

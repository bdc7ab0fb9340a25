//! Removes fields that the applier owned last time and no longer applies.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::managed_fields::{Entry, Ledger};
use super::owned_paths::{never_owned, owned, with_declared_parents};
use super::remove::without;
use super::set::Set;
use super::shape::Shape;
use super::views::Views;

/// Removes the fields from `merged` that only `last` owned. Paths of any entry in `ledger` stay, including the applier's new entry. Paths
/// without an owner also stay, unless they are below a declared field all of whose owned children are released.
///
/// # Errors
/// If the object has no form in the version of an entry.
pub(super) fn release(merged: &Value, last: &Entry, ledger: &Ledger, views: Views<'_>) -> Result<Value, String> {
    if last.set.is_empty() {
        return Ok(merged.clone());
    }
    let converted = views.of(merged, &last.api_version);
    let (merged, shape) =
        converted.map_err(|why| format!("failed to convert merged object to last applied version: {why}"))?;
    let released = full(&last.set, shape);

    let bare = without(&merged, &released, shape);
    let claimed_back = claimed_back(&merged, bare, last, ledger, views)
        .map_err(|why| format!("failed add back owned items: {why}"))?;
    let failed = |why: String| format!("failed add back dangling items: {why}");
    let (claimed_back, _) = views.of(&claimed_back, &last.api_version).map_err(failed)?;

    let (all, left) = (full(&owned(&merged, shape), shape), full(&owned(&claimed_back, shape), shape));
    let new = without(&merged, &all.difference(&left).intersection(&released), shape);
    views.own(&new).map(Cow::into_owned)
}

/// Returns `bare` with the fields of `merged` that an entry owns, each in the version of its entry; the last applied version comes first.
fn claimed_back(merged: &Value, bare: Value, last: &Entry, ledger: &Ledger, views: Views<'_>) -> Result<Value, String> {
    let mut claims: BTreeMap<&str, Vec<&Set>> = BTreeMap::new();
    for entry in ledger.entries.values() {
        claims.entry(&entry.api_version).or_default().push(&entry.set);
    }
    let first = claims.remove(last.api_version.as_str()).unwrap_or_default();
    let versions = std::iter::once((last.api_version.as_str(), first)).chain(claims);

    let (mut merged, mut left) = (Cow::Borrowed(merged), bare);
    for (version, sets) in versions {
        let failed =
            |object: &str, why: String| format!("failed to convert {object} object at version {version}: {why}");
        let (all, shape) = views.of(&merged, version).map_err(|why| failed("merged", why))?;
        let (kept, _) = views.of(&left, version).map_err(|why| failed("pruned", why))?;
        // Fields of the server also stay; otherwise the metadata would be removed with its last label.
        let claimed = sets.into_iter().fold(never_owned(), |claimed, set| claimed.union(&full(set, shape)));
        let kept = full(&owned(&kept, shape), shape).union(&claimed);
        left = without(&all, &full(&owned(&all, shape), shape).difference(&kept), shape);
        merged = Cow::Owned(all.into_owned());
    }
    Ok(left)
}

fn full(set: &Set, shape: Shape<'_>) -> Set {
    with_declared_parents(set, shape)
}

//! The difference between two objects, in each version in which fields are owned.

use std::collections::BTreeMap;

use serde_json::Value;

use super::compare::{Comparison, compare};
use super::managed_fields::{Entry, Ledger};
use super::views::Views;

/// The difference between two objects, in each version in which fields are owned.
pub(super) struct Comparisons {
    own: Comparison,
    others: BTreeMap<String, Comparison>,
}

impl Comparisons {
    /// Compares two objects in the version of the request, and in those of the entries.
    ///
    /// # Errors
    /// If an object has no form in one of the versions.
    pub(super) fn new(old: &Value, new: &Value, ledger: &Ledger, views: Views<'_>) -> Result<Self, String> {
        let mut others = BTreeMap::new();
        let versions = ledger.entries.values().map(|entry| entry.api_version.as_str());
        for version in versions.filter(|version| views.differ(version)) {
            if !others.contains_key(version) {
                let (old, shape) =
                    views.of(old, version).map_err(|why| format!("failed to convert old object: {why}"))?;
                let (new, _) = views.of(new, version).map_err(|why| format!("failed to convert new object: {why}"))?;
                others.insert(version.to_owned(), compare(&old, &new, shape));
            }
        }
        Ok(Comparisons { own: compare(old, new, views.shape), others })
    }

    /// The difference in the version of the request.
    pub(super) fn own(&self) -> &Comparison {
        &self.own
    }

    /// The difference in the version of an entry.
    pub(super) fn of(&self, entry: &Entry) -> &Comparison {
        self.others.get(&entry.api_version).unwrap_or(&self.own)
    }
}

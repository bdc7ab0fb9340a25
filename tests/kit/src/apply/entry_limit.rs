//! Limits the number of update entries, as API servers do.

use std::collections::BTreeMap;

use super::managed_fields::{Entry, Id, Ledger, Operation};

/// Maximum number of update entries; the oldest ones beyond it are merged.
const MOST_UPDATES: usize = 10;

/// Merges the oldest update entries of each version into one of the manager `ancient-changes`.
pub(crate) fn cap(ledger: &mut Ledger) {
    let mut updates: Vec<Id> = ledger.entries.keys().filter(|id| id.operation == Operation::Update).cloned().collect();
    let mut excess = updates.len().saturating_sub(MOST_UPDATES);
    updates.sort_by_key(|id| ledger.entries.get(id).map_or(0, Entry::seconds));
    let mut firsts: BTreeMap<String, Id> = BTreeMap::new();
    for id in updates {
        if excess == 0 {
            return;
        }
        let Some(version) = ledger.entries.get(&id).map(|entry| entry.api_version.clone()) else { continue };
        match firsts.get(&version) {
            Some(first) => {
                fold(ledger, first, &id, &version);
                excess -= 1;
            }
            None => {
                firsts.insert(version, id);
            }
        }
    }
}

fn fold(ledger: &mut Ledger, first: &Id, id: &Id, version: &str) {
    let bucket = Id {
        manager: "ancient-changes".to_owned(),
        operation: Operation::Update,
        api_version: version.to_owned(),
        subresource: String::new(),
    };
    if !ledger.entries.contains_key(&bucket)
        && let Some(entry) = ledger.entries.remove(first)
    {
        ledger.entries.insert(bucket.clone(), entry);
    }
    let Some(Entry { set, time, .. }) = ledger.entries.remove(id) else { return };
    if let Some(entry) = ledger.entries.get_mut(&bucket) {
        entry.set.extend(set);
        entry.time = time;
    }
}

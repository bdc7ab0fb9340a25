//! The index entries of the objects of one watch.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::queue::Key;

/// An entry: the name of an index and a key in it.
pub(super) type Entry = Arc<str>;

/// Objects by entry, and entries by object.
#[derive(Debug, Default)]
pub(super) struct IndexEntries {
    keys: HashMap<Entry, BTreeSet<Key>>,
    entries: HashMap<Key, BTreeSet<Entry>>,
}

impl IndexEntries {
    /// The objects under the entry, by namespace and name.
    pub(super) fn get(&self, entry: &str) -> impl Iterator<Item = &Key> {
        self.keys.get(entry).into_iter().flatten()
    }

    /// Replaces the entries of the object. Returns the new and the previous entries.
    pub(super) fn put(&mut self, key: &Key, found: BTreeSet<Entry>) -> BTreeSet<Entry> {
        let mut all = self.remove(key);
        for entry in &found {
            self.keys.entry(entry.clone()).or_default().insert(key.clone());
        }
        all.extend(found.iter().cloned());
        if !found.is_empty() {
            self.entries.insert(key.clone(), found);
        }
        all
    }

    /// Removes the object and returns its entries.
    pub(super) fn remove(&mut self, key: &Key) -> BTreeSet<Entry> {
        let before = self.entries.remove(key).unwrap_or_default();
        for entry in &before {
            if let Some(keys) = self.keys.get_mut(entry) {
                keys.remove(key);
                if keys.is_empty() {
                    self.keys.remove(entry);
                }
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(entries: &[&str]) -> BTreeSet<Entry> {
        entries.iter().map(|entry| Entry::from(*entry)).collect()
    }

    #[test]
    fn an_index_change_reports_old_and_new_entries() {
        let (one, two) = (Key::new(Some("a"), "one"), Key::new(Some("a"), "two"));
        let mut entries = IndexEntries::default();
        assert_eq!(entries.put(&one, set(&["x", "y"])), set(&["x", "y"]));
        assert_eq!(entries.put(&two, set(&["y"])), set(&["y"]));
        assert_eq!(entries.put(&one, set(&["y", "z"])), set(&["x", "y", "z"]));
        let found = |entries: &IndexEntries, entry| entries.get(entry).cloned().collect::<Vec<_>>();
        assert_eq!((found(&entries, "x"), found(&entries, "y")), (vec![], vec![one.clone(), two.clone()]));
        assert_eq!(entries.remove(&one), set(&["y", "z"]));
        assert_eq!(entries.put(&two, set(&[])), set(&["y"]));
        assert!(entries.keys.is_empty() && entries.entries.is_empty(), "nothing is left behind");
    }
}

//! A map of limited size that evicts the least recently touched entry.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

#[derive(Debug)]
pub(super) struct Recent<K, V> {
    most: usize,
    touched: u64,
    entries: HashMap<K, (u64, V)>,
    order: BTreeMap<u64, K>,
}

impl<K: Clone + Eq + Hash, V: Default> Recent<K, V> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, touched: 0, entries: HashMap::new(), order: BTreeMap::new() }
    }

    /// Returns the entry, creates it if absent, and marks it as the most recently touched.
    pub(super) fn touch(&mut self, key: &K) -> &mut V {
        self.touched += 1;
        if let Some((at, _)) = self.entries.get(key) {
            self.order.remove(at);
        } else if self.entries.len() >= self.most
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.entries.remove(&oldest);
        }
        self.order.insert(self.touched, key.clone());
        let entry = self.entries.entry(key.clone()).or_default();
        entry.0 = self.touched;
        &mut entry.1
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        assert_eq!(self.entries.len(), self.order.len());
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_touched_for_longest_is_forgotten() {
        let mut recent = Recent::<char, u32>::new(3);
        for key in "abcada".chars() {
            *recent.touch(&key) += 1;
        }
        assert_eq!(recent.len(), 3);
        let counts = ['a', 'c', 'd', 'b'].map(|key| *recent.touch(&key));
        assert_eq!(counts, [3, 1, 1, 0], "b made room for d");
    }
}

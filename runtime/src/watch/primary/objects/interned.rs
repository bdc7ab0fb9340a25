//! Values that many cached objects share.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// One copy of each value, as long as an object has it.
#[derive(Debug)]
pub(super) struct Interned<T: ?Sized>(HashSet<Arc<T>>);

impl<T: ?Sized> Default for Interned<T> {
    fn default() -> Self {
        Self(HashSet::new())
    }
}

impl<T: Hash + Eq + ?Sized> Interned<T> {
    /// The shared copy of the value.
    pub(super) fn share<Q: Hash + Eq + ?Sized>(&mut self, value: &Q, new: impl FnOnce() -> Arc<T>) -> Arc<T>
    where
        Arc<T>: Borrow<Q>,
    {
        if let Some(known) = self.0.get(value) {
            return known.clone();
        }
        let value = new();
        self.0.insert(value.clone());
        value
    }

    /// Removes a value if the object that is being removed is the last one that has it.
    pub(super) fn release(&mut self, value: &Arc<T>) {
        // The set has one reference, and the object the other.
        if Arc::strong_count(value) <= 2 {
            self.0.remove(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shared_until_its_last_object_is_gone() {
        let mut values = Interned::<str>::default();
        let (one, other) = (values.share("a", || "a".into()), values.share("a", || "a".into()));
        assert!(Arc::ptr_eq(&one, &other));
        values.release(&one);
        assert_eq!(values.0.len(), 1);
        drop(one);
        values.release(&other);
        assert!(values.0.is_empty());
    }
}

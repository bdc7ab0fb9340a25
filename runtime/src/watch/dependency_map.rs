//! Dependencies between objects of the reconciled kind.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::lock::Mutex;
use crate::queue::Key;

/// Dependents by dependency, and dependencies by dependent. All clones share the map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependents(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    of: HashMap<Key, HashSet<Key>>,
    on: HashMap<Key, HashSet<Key>>,
}

impl Dependents {
    /// Replaces the dependencies of the dependent, whose changes enqueue it. Returns whether they differ from the previous ones.
    pub(crate) fn set(&self, dependent: &Key, on: HashSet<Key>) -> bool {
        let mut inner = self.0.lock();
        let before = inner.on.remove(dependent).unwrap_or_default();
        for dependency in before.difference(&on) {
            let left = inner.of.get_mut(dependency).is_some_and(|of| of.remove(dependent) && !of.is_empty());
            if !left {
                inner.of.remove(dependency);
            }
        }
        for dependency in on.difference(&before) {
            inner.of.entry(dependency.clone()).or_default().insert(dependent.clone());
        }
        let changed = on != before;
        if !on.is_empty() {
            inner.on.insert(dependent.clone(), on);
        }
        changed
    }

    /// The dependents of the object, in a stable order.
    pub(crate) fn of(&self, dependency: &Key) -> BTreeSet<Key> {
        self.0.lock().of.get(dependency).into_iter().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_current_dependencies_trigger_a_dependent() {
        let key = |name| Key::new(Some("a"), name);
        let dependents = Dependents::default();
        assert!(dependents.set(&key("x"), [key("y"), key("z")].into()));
        assert!(dependents.set(&key("w"), [key("z")].into()));
        assert!(!dependents.set(&key("w"), [key("z")].into()), "nothing new");
        assert_eq!(dependents.of(&key("z")), [key("w"), key("x")].into());
        assert!(dependents.set(&key("x"), HashSet::new()));
        assert_eq!((dependents.of(&key("y")), dependents.of(&key("z"))), (BTreeSet::new(), [key("w")].into()));
        assert!(dependents.set(&key("w"), HashSet::new()));
        assert!(dependents.0.lock().of.is_empty() && dependents.0.lock().on.is_empty(), "nothing stays behind");
    }
}

//! What metrics and debug pages read from the cache.

use std::sync::Arc;

use super::Primary;
use crate::condition::ConditionStatus;
use crate::pipeline::object::Object;
use crate::queue::Key;

impl Primary {
    /// The newest known version of the objects whose keys are wanted, one after the other: together they may not fit into memory.
    pub(crate) fn each(&self, wanted: &dyn Fn(&Key) -> bool) -> impl Iterator<Item = (Key, Arc<Object>)> {
        let keys: Vec<Key> = self.lock().keys().filter(|key| wanted(key)).cloned().collect();
        keys.into_iter().filter_map(|key| self.get(&key).map(|object| (key, object)))
    }

    /// Calls the function with type and status of each condition of all objects.
    pub(crate) fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus)) {
        self.lock().iter().for_each(|(_, known)| known.conditions(see));
    }

    /// The policy annotation of this name, of each object that fits its type.
    pub(crate) fn policies(&self, annotation: &str) -> Vec<(Key, Option<String>)> {
        let objects = self.lock();
        let fitting = objects.iter().filter(|(_, known)| known.fits());
        fitting.map(|(key, known)| (key.clone(), known.policy(annotation).map(ToOwned::to_owned))).collect()
    }
}

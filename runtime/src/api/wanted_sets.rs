//! The objects that the steps of a pass want, each in one set only.

use std::collections::{HashMap, HashSet};

use crate::dependent_rules::manifest::ObjectId;
use crate::lock::Mutex;

/// The sets of one pass, by step.
#[derive(Debug, Default)]
pub(crate) struct WantedSets(Mutex<Sets>);

type Sets = HashMap<&'static str, HashSet<ObjectId>>;

impl WantedSets {
    /// Takes the objects for the set of a step. `is_together`: whether another step acts in the same cluster.
    ///
    /// # Errors
    /// Another step wants one of them, with its name.
    pub(crate) fn want(
        &self,
        step: &'static str,
        ids: Vec<ObjectId>,
        is_together: &dyn Fn(&str) -> bool,
    ) -> Result<(), (ObjectId, &'static str)> {
        let mut sets = self.0.lock();
        let others = sets.iter().filter(|(other, _)| **other != step && is_together(other));
        for (other, taken) in others {
            if let Some(both) = ids.iter().find(|id| taken.contains(id)) {
                return Err((both.clone(), other));
            }
        }
        sets.insert(step, ids.into_iter().collect());
        Ok(())
    }

    /// Whether a step wants the object; `None`: no step wants it, and this one has not said what it wants.
    pub(crate) fn is_wanted(&self, step: &str, id: &ObjectId, is_together: &dyn Fn(&str) -> bool) -> Option<bool> {
        let sets = self.0.lock();
        if sets.iter().any(|(other, ids)| ids.contains(id) && is_together(other)) {
            return Some(true);
        }
        sets.contains_key(step).then_some(false)
    }

    /// The objects that the step wants; `None`: it has not said what it wants.
    pub(crate) fn of(&self, step: &str) -> Option<Vec<ObjectId>> {
        self.0.lock().get(step).map(|ids| ids.iter().cloned().collect())
    }
}

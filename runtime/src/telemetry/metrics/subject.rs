//! The interface through which metrics and debug pages read a running reconciler.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::condition::{Condition, ConditionStatus};
use crate::queue::{Key, KeyStatus, QueueStats};

/// A running reconciler, as metrics and debug pages read it.
pub(crate) trait Subject: Send + Sync {
    /// The statistics of its queue.
    fn figures(&self) -> QueueStats;
    /// How long the running passes have run: the sum, and the longest.
    fn unfinished(&self) -> (Duration, Duration);
    /// How long the reconciler has been paused, and why. `None`: it is not paused.
    fn paused(&self) -> Option<(Duration, String)>;
    /// The cached objects with a matching key, and whether each one is ready.
    fn objects(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<(Key, bool)>;
    /// The state of the object. `None`: it is not cached.
    fn inspect(&self, key: &Key) -> Option<ObjectView>;
    /// The number of objects that do not fit their type.
    fn undecodable_count(&self) -> usize;
    /// Calls `see` with type and status of each condition of all objects.
    fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus));
    /// Calls `see` with the policy of each object; never if the reconciler has no policies.
    fn policies(&self, see: &mut dyn FnMut(&'static str));
    /// The number of dependents of all objects, by kind and kstatus; empty if no step keeps any.
    fn dependents(&self) -> BTreeMap<(String, &'static str), i64>;
}

/// The state of one object, read without an API call. Contains neither its spec nor its data.
pub(crate) struct ObjectView {
    pub(crate) key: Key,
    /// The field that does not fit the type, and why. `None`: the object fits.
    pub(crate) undecodable: Option<String>,
    pub(crate) deleting: bool,
    /// Whether it is ready in its current generation.
    pub(crate) ready: bool,
    pub(crate) generation: Option<i64>,
    pub(crate) observed: Option<i64>,
    /// The conditions that the reconciler sets.
    pub(crate) conditions: Vec<Condition>,
    /// The objects that it watches by name.
    pub(crate) watched: Vec<String>,
    /// The objects that it owns.
    pub(crate) owned: Vec<String>,
    /// The objects that its steps keep.
    pub(crate) dependents: Vec<DependentView>,
    /// The state in the queue. `None`: idle, without a history.
    pub(crate) spot: Option<KeyStatus>,
}

/// A dependent of an object.
pub(crate) struct DependentView {
    /// Kind, namespace and name.
    pub(crate) object: String,
    /// The step that keeps it.
    pub(crate) step: String,
    /// The wave in which it was applied.
    pub(crate) wave: i16,
    /// Its status, as a word of kstatus.
    pub(crate) status: &'static str,
    /// The cause of the status, in a sentence.
    pub(crate) message: String,
}

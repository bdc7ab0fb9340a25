//! What the metrics and the debug pages read of a reconciler at work.

use std::time::Duration;

use crate::condition::Condition;
use crate::queue::{Key, KeyStatus, QueueStats};

/// A reconciler at work, for whoever looks at it from outside.
pub(crate) trait Subject: Send + Sync {
    /// What its queue has done and holds.
    fn figures(&self) -> QueueStats;
    /// How long the passes that run have run: together, and the longest.
    fn unfinished(&self) -> (Duration, Duration);
    /// For how long no pass has started, and why; `None`: they do.
    fn paused(&self) -> Option<(Duration, String)>;
    /// The objects in its cache whose keys are wanted, and which of them are ready.
    fn objects(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<(Key, bool)>;
    /// What is known of the object; `None`: it is gone.
    fn inspect(&self, key: &Key) -> Option<ObjectView>;
    /// How many objects do not fit their type.
    fn undecodable_count(&self) -> usize;
    /// Shows the conditions of all objects, one after another.
    fn conditions(&self, see: &mut dyn FnMut(&Condition));
    /// Shows the policies of all objects in words; nothing where the reconciler has none.
    fn policies(&self, see: &mut dyn FnMut(&'static str));
}

/// What is known of one object without a call. Neither its spec nor data are in it.
pub(crate) struct ObjectView {
    pub(crate) key: Key,
    /// Which field does not fit the type, and why; `None`: all do.
    pub(crate) undecodable: Option<String>,
    pub(crate) deleting: bool,
    /// In its own generation.
    pub(crate) ready: bool,
    pub(crate) generation: Option<i64>,
    pub(crate) observed: Option<i64>,
    /// Those that the reconciler sets.
    pub(crate) conditions: Vec<Condition>,
    /// The objects that it asked for by name.
    pub(crate) watched: Vec<String>,
    /// The objects that it owns.
    pub(crate) owned: Vec<String>,
    /// How it stands in the queue; `None`: at rest.
    pub(crate) spot: Option<KeyStatus>,
}

//! A change of an object, with the object's key.

use std::sync::Arc;

use serde_json::Value;

/// The key of an object in its resource: namespace (empty if cluster-scoped) and name.
pub(crate) type Key = (String, String);

/// One committed change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) key: Key,
    pub(crate) old: Option<Arc<Value>>,
    pub(crate) new: Option<Arc<Value>>,
    /// The last state of a deleted object, at the version of its deletion.
    pub(crate) gone: Option<Arc<Value>>,
}

//! The key of an object in the queue: its namespace and its name.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Namespace and name of an object. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
}

/// A map whose hash is faster than that of the standard library, and seeded at random as well.
pub(crate) type FastMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// A map by key.
pub(crate) type KeyMap<V> = FastMap<Key, V>;

impl Key {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self { namespace: namespace.map(Into::into), name: name.into() }
    }

    /// The key of an object. Objects from a server always have a name; without one the name is empty.
    pub(crate) fn of(meta: &kube::api::ObjectMeta) -> Self {
        Self::new(meta.namespace.as_deref(), meta.name.as_deref().unwrap_or_default())
    }
}

impl fmt::Display for Key {
    /// `namespace/name`, or only the name for cluster-scoped objects.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

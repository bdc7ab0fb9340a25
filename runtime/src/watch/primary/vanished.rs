//! Objects that are gone before their cleanup ran: those of a watcher that writes no finalizer, and those with our finalizer.
//!
//! A delete request that reads the object just before the finalizer is stored removes it just after, finalizer and all
//! (kubernetes/kubernetes#77988). The watch then reports the deletion of an object that was never marked for deletion.

use std::sync::Arc;

use kube::api::ObjectMeta;

use crate::lock::Mutex;
use crate::pipeline::object::Object;
use crate::queue::{Key, KeyMap};

/// The objects whose cleanup did not run. All clones share them. The map is usually empty, so a lookup is cheap.
#[derive(Clone, Default)]
pub(super) struct Vanished(Arc<Mutex<KeyMap<Arc<Object>>>>);

impl Vanished {
    /// Records the object, unless an earlier one of its name waits for its cleanup: no pass has handled this one then.
    pub(super) fn put(&self, key: &Key, object: Arc<Object>) {
        self.0.lock().entry(key.clone()).or_insert(object);
    }

    pub(super) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        self.0.lock().get(key).cloned()
    }

    pub(super) fn remove(&self, key: &Key) {
        self.0.lock().remove(key);
    }

    /// Removes all others.
    pub(super) fn retain(&self, is_kept: impl Fn(&Key, &str) -> bool) {
        self.0.lock().retain(|key, object| is_kept(key, object.uid()));
    }
}

/// Whether a deleted object had the finalizer without being marked for deletion. An object that leaves the selection of its watch looks
/// the same.
pub(super) fn has_vanished(meta: &ObjectMeta, finalizers: &[String]) -> bool {
    meta.deletion_timestamp.is_none() && meta.finalizers.iter().flatten().any(|held| finalizers.contains(held))
}

//! Objects that the API server deleted although they had our finalizer.
//!
//! A delete request that reads the object just before the finalizer is stored removes it just after, finalizer and all
//! (kubernetes/kubernetes#77988). The watch then reports the deletion of an object that was never marked for deletion.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::ObjectMeta;

use crate::pipeline::object::Object;
use crate::queue::Key;

/// The objects whose cleanup did not run. All clones share them.
#[derive(Clone, Default)]
pub(super) struct Vanished(Arc<Inner>);

#[derive(Default)]
struct Inner {
    objects: Mutex<HashMap<Key, Arc<Object>>>,
    /// Every pass asks, and there is almost never such an object.
    count: AtomicUsize,
}

impl Vanished {
    pub(super) fn put(&self, key: &Key, object: Arc<Object>) {
        self.change(|objects| drop(objects.insert(key.clone(), object)));
    }

    pub(super) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        (self.0.count.load(Ordering::SeqCst) > 0).then(|| self.lock().get(key).cloned()).flatten()
    }

    pub(super) fn remove(&self, key: &Key) {
        self.change(|objects| drop(objects.remove(key)));
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<Key, Arc<Object>>)) {
        let mut objects = self.lock();
        change(&mut objects);
        self.0.count.store(objects.len(), Ordering::SeqCst);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Object>>> {
        self.0.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a deleted object had the finalizer without being marked for deletion. An object that leaves the selection of its watch looks
/// the same.
pub(super) fn has_vanished(meta: &ObjectMeta, finalizer: &str) -> bool {
    meta.deletion_timestamp.is_none() && meta.finalizers.iter().flatten().any(|held| held == finalizer)
}

//! The versions of objects that a watcher has handled, of those that have changed since.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::lock::Mutex;
use crate::pipeline::object::Object;
use crate::queue::{Key, KeyMap};
use crate::resource_version::is_newer;

/// A version of an object before a change that a watcher has not handled yet.
#[derive(Clone)]
pub(crate) struct Before {
    uid: String,
    version: String,
    /// `None`: the watcher takes no earlier version.
    pub(crate) object: Option<Arc<Object>>,
}

/// The versions before unhandled changes. All clones share them. An object that has not changed has none.
#[derive(Clone, Default)]
pub(super) struct Changed(Arc<Mutex<KeyMap<Before>>>);

impl Before {
    fn of(before: &Object, object: Option<Arc<Object>>) -> Self {
        Self { uid: before.uid().to_owned(), version: before.resource_version().to_owned(), object }
    }
}

impl Changed {
    /// Records the version before a change, unless an earlier change is not handled either.
    pub(super) fn put(&self, key: &Key, before: &Arc<Object>, is_kept: bool) {
        let version = || Before::of(&**before, is_kept.then(|| before.clone()));
        match self.0.lock().entry(key.clone()) {
            Entry::Occupied(known) if known.get().uid == before.uid() => {}
            entry => drop(entry.insert_entry(version())),
        }
    }

    /// The version before the changes of this object that are not handled.
    pub(super) fn get(&self, key: &Key, uid: &str) -> Option<Before> {
        self.0.lock().get(key).filter(|before| before.uid == uid).cloned()
    }

    /// Records that this version has been handled. `has_changed`: a later one that differs is known.
    pub(super) fn handled(&self, key: &Key, object: &Object, is_kept: bool, has_changed: bool) {
        let version = object.resource_version();
        let is_later = |known: &Before| {
            known.uid == object.uid() && (known.version == version || is_newer(&known.version, version))
        };
        match (self.0.lock().entry(key.clone()), has_changed) {
            (Entry::Occupied(known), _) if is_later(known.get()) => {}
            (entry, true) => drop(entry.insert_entry(Before::of(object, is_kept.then(|| object.copy().into())))),
            (Entry::Occupied(known), false) => drop(known.remove()),
            (Entry::Vacant(_), false) => {}
        }
    }

    pub(super) fn remove(&self, key: &Key) {
        self.0.lock().remove(key);
    }

    /// Removes all others.
    pub(super) fn retain(&self, is_kept: impl Fn(&Key, &str) -> bool) {
        self.0.lock().retain(|key, before| is_kept(key, &before.uid));
    }
}

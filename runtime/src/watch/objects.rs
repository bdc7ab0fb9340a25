//! Watched objects, kept in full because steps read them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::DynamicObject;
use kube::runtime::watcher::Event;

use crate::decode::Whole;
use crate::queue::Key;

/// The objects of one watch, or of several with the same selector.
#[derive(Debug, Default)]
pub(super) struct Objects(Mutex<HashMap<Key, Arc<DynamicObject>>>);

/// A list on its way.
#[derive(Debug, Default)]
pub(super) struct Listing(HashSet<Key>);

impl Objects {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<DynamicObject>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<Arc<DynamicObject>> {
        self.lock().get(key).cloned()
    }

    /// Takes in an event of the watch of a namespace (or of all); returns the objects that appeared, changed or vanished.
    pub(super) fn take(&self, list: &mut Listing, namespace: Option<&str>, event: Event<Whole>) -> Vec<Key> {
        match event {
            Event::Init => {
                list.0.clear();
                Vec::new()
            }
            Event::InitApply(Whole(object)) => {
                list.0.insert(Key::of(&object.metadata));
                self.apply(object)
            }
            Event::Apply(Whole(object)) => self.apply(object),
            Event::Delete(Whole(object)) => {
                let key = Key::of(&object.metadata);
                self.lock().remove(&key).map(|_| key).into_iter().collect()
            }
            Event::InitDone => self.retain(namespace, &std::mem::take(&mut list.0)),
        }
    }

    fn apply(&self, object: Arc<DynamicObject>) -> Vec<Key> {
        let (key, mut objects) = (Key::of(&object.metadata), self.lock());
        let same = objects.get(&key).is_some_and(|before| is_same(before, &object));
        objects.insert(key.clone(), object);
        if same { Vec::new() } else { vec![key] }
    }

    fn retain(&self, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<Key> {
        let here = |key: &Key| namespace.is_none() || key.namespace.as_deref() == namespace;
        self.lock().extract_if(|key, _| here(key) && !listed.contains(key)).map(|(key, _)| key).collect()
    }
}

/// Whether only the version and what is not kept differ.
fn is_same(before: &DynamicObject, now: &DynamicObject) -> bool {
    let (a, b) = (&before.metadata, &now.metadata);
    a.uid == b.uid
        && a.generation == b.generation
        && a.labels == b.labels
        && a.annotations == b.annotations
        && a.finalizers == b.finalizers
        && a.owner_references == b.owner_references
        && a.deletion_timestamp == b.deletion_timestamp
        && before.data == now.data
}

//! Backup and restore of the store.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::change::{Change, Key};
use super::history::History;
use super::{Fed, Inner, Store, Table};
use crate::registry::Storage;

/// All objects at one version.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    version: u64,
    objects: HashMap<Storage, BTreeMap<Key, Arc<Value>>>,
}

impl Saved {
    /// Returns the content of an empty store.
    pub(crate) fn empty() -> Self {
        Saved { version: 1, objects: HashMap::new() }
    }

    /// Adds an object with its version, or replaces the object with the same key.
    pub(crate) fn put(&mut self, storage: &Storage, key: Key, object: Value, version: u64) {
        self.version = self.version.max(version);
        self.objects.entry(storage.clone()).or_default().insert(key, Arc::new(object));
    }
}

impl Store {
    /// Returns the current objects and their version.
    pub(crate) fn saved(&self) -> Saved {
        let inner = self.inner.lock();
        let objects = inner.tables.iter().map(|(storage, table)| (storage.clone(), table.objects.clone()));
        Saved { version: inner.version, objects: objects.collect() }
    }

    /// Restores objects and version.
    ///
    /// The history is empty, as after the restart of an API server. A watch from an earlier version fails. A watch from a
    /// later version receives no events until the store reaches that version again.
    pub(crate) fn restore(&self, saved: &Saved) {
        let mut inner = self.inner.lock();
        let (version, limit) = (saved.version, inner.history_limit);
        let table = |objects: &BTreeMap<Key, Arc<Value>>| Table {
            objects: objects.clone(),
            history: History::starting(version, limit),
        };
        let tables = saved.objects.iter().map(|(storage, objects)| (storage.clone(), table(objects))).collect();
        let before = std::mem::replace(&mut inner.tables, tables);
        inner.version = version;
        inner.feed_differences(&before, saved);
        drop(inner);
        self.tip.send_replace(version);
    }
}

impl Inner {
    /// Sends the differences to the subscriber of the feed: first restored objects, then removed ones.
    fn feed_differences(&self, before: &HashMap<Storage, Table>, saved: &Saved) {
        let Some(feed) = &self.feed else { return };
        let (version, none) = (saved.version, BTreeMap::new());
        let send = |storage: &Storage, key: &Key, old: Option<&Arc<Value>>, new: Option<&Arc<Value>>| {
            let gone = if new.is_none() { old.cloned() } else { None };
            let change = Change { version, key: key.clone(), old: old.cloned(), new: new.cloned(), gone };
            // Fails only if the controllers have stopped.
            let _ = feed.send(Fed { storage: storage.clone(), change: Arc::new(change) });
        };
        for (storage, objects) in &saved.objects {
            let was = before.get(storage).map_or(&none, |table| &table.objects);
            objects.iter().for_each(|(key, object)| send(storage, key, was.get(key), Some(object)));
        }
        for (storage, table) in before {
            let is = saved.objects.get(storage).unwrap_or(&none);
            let gone = table.objects.iter().filter(|(key, _)| !is.contains_key(*key));
            gone.for_each(|(key, object)| send(storage, key, Some(object), None));
        }
    }
}

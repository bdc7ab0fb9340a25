//! The versioned object store: one lock, one writer, one global version.

mod change;
mod history;
mod page;
mod restore;
mod scope;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

pub(crate) use change::{Change, Key};
pub(crate) use history::{Behind, History};
pub(crate) use page::{Lost, Page, Pages};
pub(crate) use restore::Saved;
pub(crate) use scope::Scope;

use crate::counters::Tally;
use crate::lock::Mutex;
use crate::registry::Storage;

/// All objects, and the history of each resource.
#[derive(Debug)]
pub(crate) struct Store {
    /// A panic cannot leave the tables half written: commit only moves values.
    inner: Mutex<Inner>,
    tip: watch::Sender<u64>,
    /// Counts the work of the store and of its readers.
    pub(crate) tally: Arc<Tally>,
}

#[derive(Debug)]
struct Inner {
    version: u64,
    history_limit: usize,
    tables: HashMap<Storage, Table>,
    feed: Option<UnboundedSender<Fed>>,
}

/// A change with its resource.
#[derive(Clone, Debug)]
pub(crate) struct Fed {
    pub(crate) storage: Storage,
    pub(crate) change: Arc<Change>,
}

#[derive(Debug)]
struct Table {
    objects: BTreeMap<Key, Arc<Value>>,
    history: History,
}

/// A write of one object.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) resource: Storage,
    pub(crate) key: Key,
    /// The object that the writer read.
    pub(crate) old: Option<Arc<Value>>,
    /// The new object; `None` deletes it.
    pub(crate) new: Option<Value>,
}

/// The write is based on an object that has changed since.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stale;

/// The objects of a resource at one version.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) version: u64,
    pub(crate) items: Vec<Arc<Value>>,
}

impl Store {
    /// Creates an empty store that retains `history_limit` changes per resource.
    pub(crate) fn new(history_limit: usize) -> Self {
        let inner = Inner { version: 1, history_limit, tables: HashMap::new(), feed: None };
        Store { inner: Mutex::new(inner), tip: watch::Sender::new(1), tally: Arc::default() }
    }

    /// Returns the latest version.
    pub(crate) fn version(&self) -> u64 {
        self.inner.lock().version
    }

    /// Subscribes to the latest version of all resources.
    pub(crate) fn tip(&self) -> watch::Receiver<u64> {
        self.tip.subscribe()
    }

    /// Subscribes to the latest version in a scope of a resource.
    pub(crate) fn follow(&self, resource: &Storage, scope: &Scope) -> watch::Receiver<u64> {
        self.inner.lock().table(resource).history.follow(scope)
    }

    /// Notifies all subscribers of a resource.
    pub(crate) fn wake(&self, resource: &Storage) {
        self.inner.lock().table(resource).history.wake();
    }

    pub(crate) fn get(&self, resource: &Storage, key: &Key) -> Option<Arc<Value>> {
        let found = self.inner.lock().tables.get(resource)?.objects.get(key).cloned()?;
        self.tally.visited.add(1);
        Some(found)
    }

    /// Stores an object with the next version, and adds the change to the history. All writes use this function.
    ///
    /// If the new value equals the old one, nothing is stored and the version does not change.
    ///
    /// # Errors
    /// Returns [`Stale`] if `old` is not the currently stored object.
    pub(crate) fn commit(&self, write: Write) -> Result<Arc<Value>, Stale> {
        let mut inner = self.inner.lock();
        let version = inner.version + 1;
        let table = inner.table(&write.resource);
        if !same(table.objects.get(&write.key), write.old.as_ref()) {
            return Err(Stale);
        }
        if let (Some(old), Some(new)) = (&write.old, &write.new)
            && **old == *new
        {
            return Ok(Arc::clone(old));
        }
        let storage = write.resource.clone();
        let Some((stored, change)) = table.put(write, version) else { return Err(Stale) };
        inner.version = version;
        if let Some(feed) = &inner.feed {
            // Fails only if the controllers have stopped.
            let _ = feed.send(Fed { storage, change });
        }
        drop(inner);
        self.tally.written.add(1);
        self.tip.send_replace(version);
        Ok(stored)
    }

    /// Subscribes to all changes, in order. A later call replaces the subscriber.
    pub(crate) fn feed(&self) -> UnboundedReceiver<Fed> {
        let (feed, reader) = mpsc::unbounded_channel();
        self.inner.lock().feed = Some(feed);
        reader
    }

    /// Returns the current objects of a resource, optionally of one namespace.
    pub(crate) fn list(&self, resource: &Storage, namespace: Option<&str>) -> Listing {
        let inner = self.inner.lock();
        let items = inner.tables.get(resource).map(|table| table.list(namespace)).unwrap_or_default();
        self.tally.visited.add(items.len());
        Listing { version: inner.version, items }
    }

    /// Returns all objects, sorted by resource, namespace and name.
    pub(crate) fn all(&self) -> Vec<(Storage, Arc<Value>)> {
        let inner = self.inner.lock();
        let mut tables: Vec<_> = inner.tables.iter().collect();
        tables.sort_by(|(a, _), (b, _)| (&a.group, &a.plural).cmp(&(&b.group, &b.plural)));
        let of = |(storage, table): (&Storage, &Table)| {
            let objects = table.objects.values().map(|object| (storage.clone(), Arc::clone(object)));
            objects.collect::<Vec<_>>()
        };
        tables.into_iter().flat_map(of).collect()
    }

    /// Returns the objects of a resource at an earlier version.
    ///
    /// # Errors
    /// Returns [`Behind`] if the history no longer contains that version.
    pub(crate) fn list_at(&self, resource: &Storage, namespace: Option<&str>, version: u64) -> Result<Listing, Behind> {
        let inner = self.inner.lock();
        let Some(table) = inner.tables.get(resource) else { return Ok(Listing { version, items: Vec::new() }) };
        let mut objects: BTreeMap<Key, Arc<Value>> = table.objects.clone();
        self.tally.visited.add(objects.len());
        for change in table.history.after(version)?.rev() {
            match &change.old {
                Some(old) => objects.insert(change.key.clone(), Arc::clone(old)),
                None => objects.remove(&change.key),
            };
        }
        let inside = |key: &Key| namespace.is_none_or(|namespace| key.0 == namespace);
        let items = objects.into_iter().filter(|(key, _)| inside(key)).map(|(_, object)| object).collect();
        Ok(Listing { version, items })
    }

    /// Checks whether a watch can start after `version`.
    ///
    /// # Errors
    /// Returns [`Behind`] if later changes may have been discarded.
    pub(crate) fn reaches(&self, resource: &Storage, version: u64) -> Result<(), Behind> {
        self.inner.lock().table(resource).history.reaches(version)
    }

    /// Returns the changes in a watched scope of a resource after `version`, and the latest version.
    ///
    /// # Errors
    /// Returns [`Behind`] if some of them have been discarded.
    pub(crate) fn changes(
        &self,
        resource: &Storage,
        scope: &Scope,
        version: u64,
    ) -> Result<(Vec<Arc<Change>>, u64), Behind> {
        let mut inner = self.inner.lock();
        let tip = inner.version;
        Ok((inner.table(resource).history.followed(scope, version)?, tip))
    }

    /// Starts the history of a resource at the current version, as a cluster does for a new custom resource.
    pub(crate) fn open(&self, resource: &Storage) {
        let mut inner = self.inner.lock();
        let (version, limit) = (inner.version, inner.history_limit);
        if !inner.tables.contains_key(resource) {
            inner.table(resource).history = History::starting(version, limit);
        }
    }

    /// Discards the history. Lists and watches from an older version then fail as expired.
    pub(crate) fn compact(&self) {
        let mut inner = self.inner.lock();
        let version = inner.version;
        for table in inner.tables.values_mut() {
            table.history.forget(version);
        }
    }

    /// Returns the resources that have objects in a namespace.
    pub(crate) fn resources_in(&self, namespace: &str) -> Vec<Storage> {
        let inner = self.inner.lock();
        let inside = inner.tables.iter().filter(|(_, table)| table.inside(namespace).next().is_some());
        inside.map(|(resource, _)| resource.clone()).collect()
    }

    /// Returns whether a resource has no objects.
    pub(crate) fn is_empty(&self, resource: &Storage) -> bool {
        self.inner.lock().tables.get(resource).is_none_or(|table| table.objects.is_empty())
    }
}

impl Inner {
    fn table(&mut self, resource: &Storage) -> &mut Table {
        let limit = self.history_limit;
        self.tables
            .entry(resource.clone())
            .or_insert_with(|| Table { objects: BTreeMap::new(), history: History::bounded(limit) })
    }
}

impl Table {
    fn list(&self, namespace: Option<&str>) -> Vec<Arc<Value>> {
        match namespace {
            None => self.objects.values().cloned().collect(),
            Some(namespace) => self.inside(namespace).cloned().collect(),
        }
    }

    fn inside(&self, namespace: &str) -> impl Iterator<Item = &Arc<Value>> {
        let range = self.objects.range((namespace.to_owned(), String::new())..);
        range.take_while(move |((inside, _), _)| inside == namespace).map(|(_, object)| object)
    }

    /// Stores or removes an object and records the change.
    ///
    /// Returns the object for the response, or `None` if there is nothing to remove.
    fn put(&mut self, write: Write, version: u64) -> Option<(Arc<Value>, Arc<Change>)> {
        let Write { key, old, new, .. } = write;
        let (stored, new) = match new {
            Some(value) => {
                let stored = Arc::new(stamped(value, version));
                self.objects.insert(key.clone(), Arc::clone(&stored));
                (Arc::clone(&stored), Some(stored))
            }
            None => {
                self.objects.remove(&key);
                // A watch resumes at the version of the deletion.
                (Arc::new(stamped(old.as_deref()?.clone(), version)), None)
            }
        };
        let gone = new.is_none().then(|| Arc::clone(&stored));
        let change = Arc::new(Change { version, key, old, new, gone });
        self.history.push(&change);
        Some((stored, change))
    }
}

/// Returns whether the stored object is the one that the writer read.
fn same(stored: Option<&Arc<Value>>, read: Option<&Arc<Value>>) -> bool {
    match (stored, read) {
        (None, None) => true,
        (Some(stored), Some(read)) => Arc::ptr_eq(stored, read),
        _ => false,
    }
}

/// Sets `metadata.resourceVersion` of an object.
pub(crate) fn stamped(mut object: Value, version: u64) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".to_owned(), json!(version.to_string()));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource() -> Storage {
        Storage::new("", "configmaps")
    }

    fn key(name: &str) -> Key {
        ("default".to_owned(), name.to_owned())
    }

    fn write(store: &Store, name: &str, new: Option<Value>) -> Arc<Value> {
        let old = store.get(&resource(), &key(name));
        store.commit(Write { resource: resource(), key: key(name), old, new }).unwrap()
    }

    fn object(name: &str, data: &str) -> Value {
        json!({"metadata": {"name": name}, "data": {"k": data}})
    }

    #[test]
    fn an_unchanged_write_keeps_the_version() {
        let store = Store::new(10);
        let first = write(&store, "a", Some(object("a", "1")));
        let again = write(&store, "a", Some((*first).clone()));
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(store.changes(&resource(), &Scope::default(), 0).unwrap().0.len(), 1);
    }

    #[test]
    fn a_write_based_on_an_old_object_is_stale() {
        let store = Store::new(10);
        let first = write(&store, "a", Some(object("a", "1")));
        write(&store, "a", Some(object("a", "2")));
        let late = Write { resource: resource(), key: key("a"), old: Some(first), new: Some(object("a", "3")) };
        assert_eq!(store.commit(late).unwrap_err(), Stale);
    }

    #[test]
    fn a_list_at_an_earlier_version_returns_earlier_objects() {
        let store = Store::new(10);
        write(&store, "a", Some(object("a", "1")));
        let then = store.version();
        write(&store, "a", Some(object("a", "2")));
        write(&store, "b", Some(object("b", "1")));
        let listing = store.list_at(&resource(), Some("default"), then).unwrap();
        assert_eq!(listing.items.len(), 1);
        assert_eq!(listing.items[0]["data"]["k"], "1");
    }

    #[test]
    fn a_deletion_has_its_own_version() {
        let store = Store::new(10);
        write(&store, "a", Some(object("a", "1")));
        let gone = write(&store, "a", None);
        assert_eq!(gone["metadata"]["resourceVersion"], store.version().to_string());
    }

    #[test]
    fn history_beyond_the_limit_is_expired() {
        let store = Store::new(2);
        let start = store.version();
        for n in 0..5 {
            write(&store, "a", Some(object("a", &n.to_string())));
        }
        assert!(store.reaches(&resource(), start).is_err());
        assert!(store.reaches(&resource(), store.version()).is_ok());
    }
}

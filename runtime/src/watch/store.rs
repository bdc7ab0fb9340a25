//! The cached objects of watches.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use kube::runtime::watcher::Event;

use super::cached_object::{CacheForm, CachedObject};
use super::index::{Entry, IndexEntries};
use crate::lock::Mutex;
use crate::queue::Key;
use crate::wiring::index::Indexer;

/// The objects of one watch, or of several with the same selector.
#[derive(Debug, Default)]
pub(super) struct Objects {
    inner: Mutex<Inner>,
    indexers: Vec<Indexer>,
}

/// An object that was created, changed or deleted, and its current and previous index entries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) key: Key,
    pub(super) entries: BTreeSet<Entry>,
}

/// An object, and the hash of its version.
#[derive(Debug)]
struct Numbered {
    object: CachedObject,
    number: u64,
}

/// Objects by namespace and name, and a sum over the versions in each namespace. The sum shows a change without reading all objects.
#[derive(Debug, Default)]
struct Inner {
    objects: BTreeMap<Key, Numbered>,
    sums: HashMap<Option<Arc<str>>, u64>,
    entries: IndexEntries,
}

impl Inner {
    fn insert(&mut self, key: Key, object: CachedObject) {
        let number = object.number(&key.name);
        let sum = self.sums.entry(key.namespace.clone()).or_default();
        *sum = sum.wrapping_add(number);
        if let Some(before) = self.objects.insert(key, Numbered { object, number }) {
            *sum = sum.wrapping_sub(before.number);
        }
    }

    fn remove(&mut self, key: Key) -> Option<Changed> {
        let before = self.objects.remove(&key)?;
        let sum = self.sums.entry(key.namespace.clone()).or_default();
        *sum = sum.wrapping_sub(before.number);
        Some(Changed { entries: self.entries.remove(&key), key })
    }

    /// The objects of a namespace (`None`: all). Reads no others.
    fn within(&self, namespace: Option<&str>) -> impl Iterator<Item = &CachedObject> {
        let here = move |(key, _): &(&Key, _)| namespace.is_none() || key.namespace.as_deref() == namespace;
        self.objects.range(Key::new(namespace, "")..).take_while(here).map(|(_, held)| &held.object)
    }

    /// The objects under an index entry, in a namespace (`None`: all). Reads no others.
    fn under(&self, entry: &str, namespace: Option<&str>) -> impl Iterator<Item = &Numbered> {
        let here = move |key: &&Key| namespace.is_none() || key.namespace.as_deref() == namespace;
        let keys = self.entries.get(entry).filter(here);
        keys.filter_map(|key| self.objects.get(key))
    }

    /// The version as a whole of the objects under an index entry.
    fn version_under(&self, entry: &str, namespace: Option<&str>) -> u64 {
        self.under(entry, namespace).fold(0, |all, held| all.wrapping_add(held.number))
    }

    /// The version as a whole of the objects of a namespace (`None`: all).
    fn version_within(&self, namespace: Option<&str>) -> u64 {
        let of = |(key, _): &(&Option<Arc<str>>, &u64)| namespace.is_none() || key.as_deref() == namespace;
        self.sums.iter().filter(of).fold(0, |all, (_, sum)| all.wrapping_add(*sum))
    }

    /// The version as a whole of the objects of a namespace (`None`: all), optionally only those under an index entry, and of all but one.
    fn version(&self, namespace: Option<&str>, entry: Option<&str>, but: Option<&Key>) -> String {
        let all = entry.map_or_else(|| self.version_within(namespace), |entry| self.version_under(entry, namespace));
        let is_among = |key: &&Key| {
            (namespace.is_none() || key.namespace.as_deref() == namespace)
                && entry.is_none_or(|entry| self.entries.get(entry).any(|one| one == *key))
        };
        let one = but.filter(is_among).and_then(|key| self.objects.get(key)).map_or(0, |held| held.number);
        format!("{:016x}", all.wrapping_sub(one))
    }
}

/// A list in progress.
#[derive(Debug, Default)]
pub(super) struct Listing(HashSet<Key>);

impl Objects {
    /// Creates an empty cache with these indexes.
    pub(super) fn indexed(indexers: Vec<Indexer>) -> Self {
        Self { indexers, ..Self::default() }
    }

    pub(super) fn get(&self, key: &Key) -> Option<CachedObject> {
        self.inner.lock().objects.get(key).map(|held| held.object.clone())
    }

    /// The objects of a namespace (`None`: all), optionally only those under an index entry, and the version as a whole of all `but` one.
    pub(super) fn all(
        &self,
        namespace: Option<&str>,
        entry: Option<&str>,
        but: Option<&Key>,
    ) -> (Vec<CachedObject>, String) {
        let inner = self.inner.lock();
        let objects = match entry {
            Some(entry) => inner.under(entry, namespace).map(|held| held.object.clone()).collect(),
            None => inner.within(namespace).cloned().collect(),
        };
        (objects, inner.version(namespace, entry, but))
    }

    /// The same version as in [`all`](Self::all).
    pub(super) fn version(&self, namespace: Option<&str>, entry: Option<&str>, but: Option<&Key>) -> String {
        self.inner.lock().version(namespace, entry, but)
    }

    /// Applies an event of the watch of a namespace (`None`: all). Returns the objects that were created, changed or deleted.
    pub(super) fn take<K: CacheForm>(
        &self,
        list: &mut Listing,
        namespace: Option<&str>,
        event: Event<K>,
    ) -> Vec<Changed> {
        match event {
            Event::Init => {
                list.0.clear();
                Vec::new()
            }
            Event::InitApply(object) => {
                let key = Key::of(object.meta());
                list.0.insert(key.clone());
                self.apply(key, object.into_cached()).into_iter().collect()
            }
            Event::Apply(object) => self.apply(Key::of(object.meta()), object.into_cached()).into_iter().collect(),
            Event::Delete(object) => self.inner.lock().remove(Key::of(object.meta())).into_iter().collect(),
            Event::InitDone => self.retain(namespace, &std::mem::take(&mut list.0)),
        }
    }

    fn apply(&self, key: Key, object: CachedObject) -> Option<Changed> {
        let mut inner = self.inner.lock();
        if inner.objects.get(&key).is_some_and(|before| before.object.is_same(&object)) {
            inner.insert(key, object);
            return None;
        }
        drop(inner);
        // The author's functions run without the lock. No other watch delivers this object.
        let found = object.object().into_iter().flat_map(|object| self.indexers.iter().map(|one| one.entries(object)));
        let found: BTreeSet<Entry> = found.flatten().map(Entry::from).collect();
        let mut inner = self.inner.lock();
        inner.insert(key.clone(), object);
        Some(Changed { entries: inner.entries.put(&key, found), key })
    }

    fn retain(&self, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<Changed> {
        let here = |key: &&Key| namespace.is_none() || key.namespace.as_deref() == namespace;
        let mut inner = self.inner.lock();
        let gone = inner.objects.keys().filter(|key| here(key) && !listed.contains(*key)).cloned();
        let gone: Vec<Key> = gone.collect();
        gone.into_iter().filter_map(|key| inner.remove(key)).collect()
    }
}

/// A cache of the objects that a watch delivers as these JSON texts.
#[cfg(feature = "__test-hooks")]
#[allow(clippy::expect_used, reason = "a test stops at the first surprise")]
pub(crate) fn hold(cache: crate::wiring::Cache, texts: &[String]) -> impl Send + use<> {
    use crate::client::decode::{Meta, OwnerRecord, Whole};
    use crate::wiring::Cache;

    fn take<K: CacheForm>(objects: &Objects, text: &str) {
        let object: K = serde_json::from_str(text).expect("an object");
        objects.take(&mut Listing::default(), None, Event::Apply(object));
    }
    let objects = Objects::default();
    for text in texts {
        match cache {
            Cache::None => take::<OwnerRecord>(&objects, text),
            Cache::Metadata => take::<Meta>(&objects, text),
            Cache::Full => take::<Whole>(&objects, text),
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kube::api::{ApiResource, DynamicObject, ObjectMeta};

    use super::*;
    use crate::wiring::Cache;

    fn object(namespace: &str, name: &str, version: &str) -> Arc<DynamicObject> {
        let resource = ApiResource::erase::<k8s_openapi::api::core::v1::Secret>(&());
        let mut object = DynamicObject::new(name, &resource).within(namespace);
        object.metadata =
            ObjectMeta { resource_version: Some(version.into()), uid: Some(name.into()), ..object.metadata };
        Arc::new(object)
    }

    fn apply(objects: &Objects, cache: Cache, object: &Arc<DynamicObject>) -> Option<Key> {
        objects.apply(Key::of(&object.metadata), CachedObject::of(object, cache)).map(|changed| changed.key)
    }

    #[test]
    fn the_store_version_is_independent_of_the_cache_mode() {
        let mut versions = Vec::new();
        for cache in [Cache::None, Cache::Metadata, Cache::Full] {
            let objects = Objects::default();
            assert_eq!(apply(&objects, cache, &object("a", "x", "1")), Some(Key::new(Some("a"), "x")));
            assert_eq!(apply(&objects, cache, &object("a", "x", "1")), None, "nothing new");
            let changed = apply(&objects, cache, &object("a", "x", "2"));
            assert_eq!(changed.is_some(), cache != Cache::Full, "of a whole object it shows that it is the same");
            versions.push(objects.version(None, None, None));
        }
        versions.dedup();
        assert_eq!(versions.len(), 1);
    }

    #[test]
    fn a_namespace_version_covers_only_its_objects() {
        let objects = Objects::default();
        apply(&objects, Cache::Full, &object("a", "x", "1"));
        apply(&objects, Cache::Full, &object("b", "y", "2"));
        let (in_a, in_b, all) = (
            objects.version(Some("a"), None, None),
            objects.version(Some("b"), None, None),
            objects.version(None, None, None),
        );
        apply(&objects, Cache::Full, &object("b", "z", "3"));
        assert_eq!(objects.version(Some("a"), None, None), in_a);
        assert_ne!(objects.version(Some("b"), None, None), in_b);
        assert_ne!(objects.version(None, None, None), all);
        let names = |namespace| {
            let (found, version) = objects.all(namespace, None, None);
            assert_eq!(version, objects.version(namespace, None, None));
            found.iter().filter_map(|object| object.meta()?.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(Some("a")), names(Some("b")), names(None)),
            (vec!["x".into()], vec!["y".into(), "z".into()], vec!["x".into(), "y".into(), "z".into()])
        );
        let gone = objects.retain(Some("b"), &[Key::new(Some("b"), "y")].into());
        assert_eq!(gone, [Changed { key: Key::new(Some("b"), "z"), entries: BTreeSet::new() }]);
        assert_eq!((objects.version(Some("b"), None, None), objects.version(None, None, None)), (in_b, all));
    }

    #[test]
    fn the_version_of_the_others_leaves_one_object_out() {
        let objects = Objects::default();
        let key = |name: &str| Key::new(Some("a"), name);
        apply(&objects, Cache::Full, &object("a", "x", "1"));
        let only_x = objects.version(None, None, None);
        apply(&objects, Cache::Full, &object("a", "y", "1"));
        assert_eq!(objects.version(None, None, Some(&key("y"))), only_x);
        assert_eq!(objects.version(Some("a"), None, Some(&key("y"))), only_x);
        apply(&objects, Cache::Full, &object("a", "y", "2"));
        assert_eq!(objects.version(None, None, Some(&key("y"))), only_x);
        let all = objects.version(None, None, None);
        assert_eq!(objects.version(None, None, Some(&key("z"))), all, "it is not among them");
        assert_eq!(objects.version(Some("b"), None, Some(&key("y"))), objects.version(Some("b"), None, None));
    }
}

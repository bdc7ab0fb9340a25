//! Watched objects, as far as they are kept.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::runtime::watcher::Event;

use super::kept::{Keeps, Kept};
use crate::queue::Key;

/// The objects of one watch, or of several with the same selector.
#[derive(Debug, Default)]
pub(super) struct Objects(Mutex<Inner>);

/// Objects by namespace and name, and of each namespace a sum over its versions: what changes among them shows without looking at all.
#[derive(Debug, Default)]
struct Inner {
    objects: BTreeMap<Key, Kept>,
    sums: HashMap<Option<Arc<str>>, u64>,
}

impl Inner {
    fn add(&mut self, key: &Key, by: impl FnOnce(u64, u64) -> u64, object: &Kept) {
        let sum = self.sums.entry(key.namespace.clone()).or_default();
        *sum = by(*sum, object.number(&key.name));
    }

    fn insert(&mut self, key: Key, object: Kept) -> Option<Kept> {
        let before = self.remove(&key);
        self.add(&key, u64::wrapping_add, &object);
        self.objects.insert(key, object);
        before
    }

    fn remove(&mut self, key: &Key) -> Option<Kept> {
        let object = self.objects.remove(key)?;
        self.add(key, u64::wrapping_sub, &object);
        Some(object)
    }

    /// Of a namespace, or of all.
    fn version(&self, namespace: Option<&str>) -> String {
        let of = |(key, _): &(&Option<Arc<str>>, &u64)| namespace.is_none() || key.as_deref() == namespace;
        let sum = self.sums.iter().filter(of).fold(0_u64, |all, (_, sum)| all.wrapping_add(*sum));
        format!("{sum:016x}")
    }
}

/// A list on its way.
#[derive(Debug, Default)]
pub(super) struct Listing(HashSet<Key>);

impl Objects {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, key: &Key) -> Option<Kept> {
        self.lock().objects.get(key).cloned()
    }

    /// Those of a namespace, or all, and their version as a whole. Looks at no others.
    pub(super) fn all(&self, namespace: Option<&str>) -> (Vec<Kept>, String) {
        let inner = self.lock();
        let here = |(key, _): &(&Key, _)| namespace.is_none() || key.namespace.as_deref() == namespace;
        let objects = inner.objects.range(Key::new(namespace, "")..).take_while(here).map(|(_, object)| object.clone());
        (objects.collect(), inner.version(namespace))
    }

    /// The version of a namespace as a whole, or of all.
    pub(super) fn version(&self, namespace: Option<&str>) -> String {
        self.lock().version(namespace)
    }

    /// Takes in an event of the watch of a namespace (or of all); returns the objects that appeared, changed or vanished.
    pub(super) fn take<K: Keeps>(&self, list: &mut Listing, namespace: Option<&str>, event: Event<K>) -> Vec<Key> {
        match event {
            Event::Init => {
                list.0.clear();
                Vec::new()
            }
            Event::InitApply(object) => {
                let key = Key::of(object.meta());
                list.0.insert(key.clone());
                self.apply(key, object.kept())
            }
            Event::Apply(object) => self.apply(Key::of(object.meta()), object.kept()),
            Event::Delete(object) => {
                let key = Key::of(object.meta());
                self.lock().remove(&key).map(|_| key).into_iter().collect()
            }
            Event::InitDone => self.retain(namespace, &std::mem::take(&mut list.0)),
        }
    }

    fn apply(&self, key: Key, object: Kept) -> Vec<Key> {
        let mut objects = self.lock();
        let same = objects.objects.get(&key).is_some_and(|before| before.is_same(&object));
        objects.insert(key.clone(), object);
        if same { Vec::new() } else { vec![key] }
    }

    fn retain(&self, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<Key> {
        let here = |key: &&Key| namespace.is_none() || key.namespace.as_deref() == namespace;
        let mut inner = self.lock();
        let gone = inner.objects.keys().filter(|key| here(key) && !listed.contains(*key)).cloned();
        let gone: Vec<Key> = gone.collect();
        gone.iter().for_each(|key| drop(inner.remove(key)));
        gone
    }
}

/// What is kept of objects that a watch delivers in these words.
#[cfg(feature = "sabotage")]
#[allow(clippy::expect_used, reason = "a test stops at the first surprise")]
pub(crate) fn hold(cache: crate::wiring::Cache, texts: &[String]) -> impl Send + use<> {
    use crate::decode::{Meta, Record, Whole};
    use crate::wiring::Cache;

    fn take<K: Keeps>(objects: &Objects, text: &str) {
        let object: K = serde_json::from_str(text).expect("an object");
        objects.take(&mut Listing::default(), None, Event::Apply(object));
    }
    let objects = Objects::default();
    for text in texts {
        match cache {
            Cache::None => take::<Record>(&objects, text),
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

    fn apply(objects: &Objects, cache: Cache, object: &Arc<DynamicObject>) -> Vec<Key> {
        objects.apply(Key::of(&object.metadata), Kept::of(object, cache))
    }

    #[test]
    fn whatever_is_kept_a_change_is_told_and_the_version_as_a_whole_is_the_same() {
        let mut versions = Vec::new();
        for cache in [Cache::None, Cache::Metadata, Cache::Full] {
            let objects = Objects::default();
            assert_eq!(apply(&objects, cache, &object("a", "x", "1")), [Key::new(Some("a"), "x")]);
            assert_eq!(apply(&objects, cache, &object("a", "x", "1")), [], "nothing new");
            let told = apply(&objects, cache, &object("a", "x", "2")).len();
            assert_eq!(told, usize::from(cache != Cache::Full), "of a whole object it shows that it is the same");
            versions.push(objects.version(None));
        }
        versions.dedup();
        assert_eq!(versions.len(), 1);
    }

    #[test]
    fn the_version_of_a_namespace_tells_of_its_own_objects_only_and_comes_back_with_them() {
        let objects = Objects::default();
        apply(&objects, Cache::Full, &object("a", "x", "1"));
        apply(&objects, Cache::Full, &object("b", "y", "2"));
        let (in_a, in_b, all) = (objects.version(Some("a")), objects.version(Some("b")), objects.version(None));
        apply(&objects, Cache::Full, &object("b", "z", "3"));
        assert_eq!(objects.version(Some("a")), in_a);
        assert_ne!(objects.version(Some("b")), in_b);
        assert_ne!(objects.version(None), all);
        let names = |namespace| {
            let (found, version) = objects.all(namespace);
            assert_eq!(version, objects.version(namespace));
            found.iter().filter_map(|object| object.meta()?.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(Some("a")), names(Some("b")), names(None)),
            (vec!["x".into()], vec!["y".into(), "z".into()], vec!["x".into(), "y".into(), "z".into()])
        );
        assert_eq!(objects.retain(Some("b"), &[Key::new(Some("b"), "y")].into()), [Key::new(Some("b"), "z")]);
        assert_eq!((objects.version(Some("b")), objects.version(None)), (in_b, all));
    }
}

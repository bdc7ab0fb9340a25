//! Watched objects, kept in full because steps read them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::DynamicObject;
use kube::runtime::watcher::Event;

use crate::cause::number;
use crate::decode::Whole;
use crate::queue::Key;

/// The objects of one watch, or of several with the same selector.
#[derive(Debug, Default)]
pub(super) struct Objects(Mutex<Inner>);

/// Objects by namespace and name, and of each namespace a sum over its versions: what changes among them shows without looking at all.
#[derive(Debug, Default)]
struct Inner {
    objects: BTreeMap<Key, Arc<DynamicObject>>,
    sums: HashMap<Option<Arc<str>>, u64>,
}

impl Inner {
    fn add(&mut self, key: &Key, by: impl FnOnce(u64, u64) -> u64, object: &DynamicObject) {
        let meta = &object.metadata;
        let (uid, version) =
            (meta.uid.as_deref().unwrap_or_default(), meta.resource_version.as_deref().unwrap_or_default());
        let sum = self.sums.entry(key.namespace.clone()).or_default();
        *sum = by(*sum, number(&[&key.name, uid, version]));
    }

    fn insert(&mut self, key: Key, object: Arc<DynamicObject>) -> Option<Arc<DynamicObject>> {
        let before = self.remove(&key);
        self.add(&key, u64::wrapping_add, &object);
        self.objects.insert(key, object);
        before
    }

    fn remove(&mut self, key: &Key) -> Option<Arc<DynamicObject>> {
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

    pub(super) fn get(&self, key: &Key) -> Option<Arc<DynamicObject>> {
        self.lock().objects.get(key).cloned()
    }

    /// Those of a namespace, or all, and their version as a whole. Looks at no others.
    pub(super) fn all(&self, namespace: Option<&str>) -> (Vec<Arc<DynamicObject>>, String) {
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
        let same = objects.objects.get(&key).is_some_and(|before| is_same(before, &object));
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

#[cfg(test)]
mod tests {
    use kube::api::{ApiResource, ObjectMeta};

    use super::*;

    fn object(namespace: &str, name: &str, version: &str) -> Arc<DynamicObject> {
        let resource = ApiResource::erase::<k8s_openapi::api::core::v1::Secret>(&());
        let mut object = DynamicObject::new(name, &resource).within(namespace);
        object.metadata =
            ObjectMeta { resource_version: Some(version.into()), uid: Some(name.into()), ..object.metadata };
        Arc::new(object)
    }

    #[test]
    fn the_version_of_a_namespace_tells_of_its_own_objects_only_and_comes_back_with_them() {
        let objects = Objects::default();
        objects.apply(object("a", "x", "1"));
        objects.apply(object("b", "y", "2"));
        let (in_a, in_b, all) = (objects.version(Some("a")), objects.version(Some("b")), objects.version(None));
        objects.apply(object("b", "z", "3"));
        assert_eq!(objects.version(Some("a")), in_a);
        assert_ne!(objects.version(Some("b")), in_b);
        assert_ne!(objects.version(None), all);
        let names = |namespace| {
            let (found, version) = objects.all(namespace);
            assert_eq!(version, objects.version(namespace));
            found.iter().filter_map(|object| object.metadata.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(Some("a")), names(Some("b")), names(None)),
            (vec!["x".into()], vec!["y".into(), "z".into()], vec!["x".into(), "y".into(), "z".into()])
        );
        assert_eq!(objects.retain(Some("b"), &[Key::new(Some("b"), "y")].into()), [Key::new(Some("b"), "z")]);
        assert_eq!((objects.version(Some("b")), objects.version(None)), (in_b, all));
    }
}

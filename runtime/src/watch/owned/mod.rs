//! The owned objects: a small record and the cached part of each, and the events that enqueue the owner.

mod records;
#[cfg(test)]
mod tests;
mod writes;

use std::collections::HashSet;
use std::sync::Arc;

use kube::api::{DynamicObject, ObjectMeta};

pub(super) use self::records::Counts;
use self::records::{Child, Id, Records};
use crate::api::{Target, group, marked};
use crate::lock::Mutex;
use crate::queue::Key;
use crate::watch::cached_object::CachedObject;
use crate::watch::object_version::ObjectVersion;
use crate::wiring::{Cache, KindInfo};

/// The records of all owned kinds. All clones share them.
#[derive(Clone, Debug)]
pub(super) struct Children(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    owner: KindInfo,
    kinds: Vec<(KindInfo, Cache)>,
    records: Mutex<Records>,
}

impl Children {
    pub(super) fn new(owner: KindInfo, kinds: Vec<(KindInfo, Cache)>, counts: Vec<Counts>) -> Self {
        let records = Mutex::new(Records { counts, ..Records::default() });
        Self(Arc::new(Shared { owner, kinds, records }))
    }

    /// The owned kinds, and what is cached of each in addition to the record.
    pub(super) fn kinds(&self) -> &[(KindInfo, Cache)] {
        &self.0.kinds
    }

    fn id(&self, target: &Target) -> Option<Id> {
        let kind = self.0.kinds.iter().position(|(kind, _)| *kind == target.kind)?;
        Some((kind, Key::new(target.namespace.as_deref(), &target.name)))
    }

    /// The record of the object, if its controller is of the reconciled kind.
    fn child(&self, records: &Records, id: &Id, meta: &ObjectMeta, cached: Option<CachedObject>) -> Option<Child> {
        let referred = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        let (kind, key) = id;
        let marked = if referred.is_some() { None } else { Some(marked(&self.0.kinds[*kind].0, meta)?) };
        // Without clones: every event of an owned kind comes here.
        let (owner, namespace) = match &marked {
            Some(owner) => (&owner.reference, owner.namespace.as_deref().map(Into::into)),
            None => (referred?, key.namespace.clone()),
        };
        let resource = &self.0.owner.resource;
        if owner.kind != resource.kind || group(owner) != resource.group {
            return None;
        }
        let namespace = namespace.filter(|_| self.0.owner.namespaced);
        let former = records.children.get(id).map(|child| &child.owner);
        let former = former.filter(|former| *former.name == *owner.name && former.namespace == namespace);
        Some(Child {
            uid: meta.uid.as_deref().unwrap_or_default().into(),
            generation: meta.generation.map(|generation| generation.to_string().into()),
            resource_version: meta.resource_version.as_deref().unwrap_or_default().into(),
            owner_uid: records.shared(&owner.uid),
            owner: former.cloned().unwrap_or_else(|| Key { namespace, name: owner.name.as_str().into() }),
            cached,
        })
    }

    /// All children of an owner, except those that we deleted.
    pub(super) fn of(&self, owner_uid: &str) -> Vec<ObjectVersion> {
        self.0.records.lock().alive(owner_uid).map(|(id, child)| self.seen(id, child)).collect()
    }

    /// A hash over all children of an owner that differs after every relevant change. Takes constant time.
    pub(super) fn sum(&self, owner_uid: &str) -> u64 {
        self.0.records.lock().by_owner.get(owner_uid).map_or(0, |siblings| siblings.sum)
    }

    /// The cached parts of the children of an owner, except those that we deleted.
    pub(super) fn cached_of(&self, owner_uid: &str, kind: &KindInfo) -> Vec<CachedObject> {
        let records = self.0.records.lock();
        let of_kind = records.alive(owner_uid).filter(|((at, _), _)| self.0.kinds[*at].0 == *kind);
        of_kind.filter_map(|(_, child)| child.cached.clone()).collect()
    }

    /// The cached part of a child, unless we deleted it.
    pub(super) fn cached(&self, target: &Target) -> Option<CachedObject> {
        let (id, records) = (self.id(target)?, self.0.records.lock());
        records.children.get(&id).filter(|child| records.is_alive(&id, child))?.cached.clone()
    }

    pub(super) fn get(&self, target: &Target) -> Option<ObjectVersion> {
        let id = self.id(target)?;
        Some(self.seen(&id, self.0.records.lock().children.get(&id)?))
    }

    /// Whether the known version of a child is this one; `None`: none is known.
    pub(super) fn is_known(&self, seen: &ObjectVersion) -> Option<bool> {
        let (id, records) = (self.id(&seen.target)?, self.0.records.lock());
        let child = records.children.get(&id)?;
        Some(*child.uid == *seen.uid && child.version() == seen.version)
    }

    /// The known version of a child, unless we deleted it.
    pub(super) fn alive(&self, target: &Target) -> Option<ObjectVersion> {
        let (id, records) = (self.id(target)?, self.0.records.lock());
        let child = records.children.get(&id).filter(|child| records.is_alive(&id, child))?;
        Some(self.seen(&id, child))
    }

    fn seen(&self, (kind, key): &Id, child: &Child) -> ObjectVersion {
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        ObjectVersion {
            target: Target { kind: self.0.kinds[*kind].0.clone(), namespace, name: key.name.to_string() },
            uid: child.uid.to_string(),
            version: child.version().to_owned(),
            resource_version: child.resource_version.to_string(),
            controller: Some(child.owner_uid.to_string()),
        }
    }

    /// Applies an object that the watch of a kind delivered, and returns the owners to enqueue.
    pub(super) fn apply(&self, kind: usize, meta: &ObjectMeta, cached: Option<CachedObject>) -> Vec<Key> {
        let (id, mut records) = ((kind, Key::of(meta)), self.0.records.lock());
        match self.child(&records, &id, meta, cached) {
            Some(child) => records.apply(&id, child),
            None => records.remove(&id),
        }
    }

    /// Records the start of a list of the kind.
    pub(super) fn begin_list(&self, kind: usize, namespace: Option<Arc<str>>) {
        self.0.records.lock().lists.insert((kind, namespace), HashSet::new());
    }

    /// Applies an object of a list, and returns the owners to enqueue.
    pub(super) fn listed(
        &self,
        kind: usize,
        namespace: Option<&Arc<str>>,
        meta: &ObjectMeta,
        cached: Option<CachedObject>,
    ) -> Vec<Key> {
        let (id, mut records) = ((kind, Key::of(meta)), self.0.records.lock());
        let Some(child) = self.child(&records, &id, meta, cached) else { return records.remove(&id) };
        let under_way = records.lists.get(&(kind, namespace.cloned()));
        if under_way.is_some_and(|written| written.contains(&id.1)) {
            return records.apply(&id, child);
        }
        records.listed(&id, child, meta.deletion_timestamp.is_some())
    }

    /// Removes an object whose deletion the watch delivered.
    pub(super) fn remove(&self, kind: usize, key: &Key) -> Vec<Key> {
        self.0.records.lock().remove(&(kind, key.clone()))
    }

    /// Removes the objects that a complete list of the namespace (or of all namespaces) does not contain.
    pub(super) fn retain(&self, kind: usize, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<Key> {
        let mut records = self.0.records.lock();
        records.lists.remove(&(kind, namespace.map(Arc::from)));
        let of_list = |id: &&Id| id.0 == kind && (namespace.is_none() || id.1.namespace.as_deref() == namespace);
        let gone: Vec<Id> =
            records.children.keys().filter(of_list).filter(|id| !listed.contains(&id.1)).cloned().collect();
        gone.iter().flat_map(|id| records.remove(id)).collect()
    }

    /// Starts a write for this owner: until the guard is dropped, events of the object do not enqueue owners. Returns the current share of
    /// the object in the owner's [sum](Self::sum).
    pub(super) fn begin(&self, target: &Target, owner_uid: &str) -> u64 {
        let Some(id) = self.id(target) else { return 0 };
        let mut records = self.0.records.lock();
        let known = records.children.get(&id).filter(|child| *child.owner_uid == *owner_uid);
        let number = known.map_or(0, |child| records.number(&id, child));
        records.writes.entry(id).or_default().under_way += 1;
        number
    }

    /// Records the object that a write for this owner returned, without enqueuing the owner. Returns its share in the owner's
    /// [sum](Self::sum).
    pub(super) fn wrote(&self, seen: &ObjectVersion, object: &Arc<DynamicObject>, owner: &Key) -> u64 {
        let Some(id) = self.id(&seen.target) else { return 0 };
        let Some(owner_uid) = seen.controller.as_deref() else { return 0 };
        let cache = self.0.kinds[id.0].1;
        let cached = (cache > Cache::None).then(|| CachedObject::of(object, cache));
        let mut records = self.0.records.lock();
        let child = Child {
            uid: seen.uid.as_str().into(),
            generation: object.metadata.generation.map(|generation| generation.to_string().into()),
            resource_version: seen.resource_version.as_str().into(),
            owner_uid: records.shared(owner_uid),
            owner: owner.clone(),
            cached,
        };
        let number = records.hash(&id, &child);
        records.wrote(id, child);
        number
    }

    /// Records that a write deleted the object.
    pub(super) fn deleted(&self, target: &Target) {
        let Some(id) = self.id(target) else { return };
        let mut records = self.0.records.lock();
        if records.writes.get(&id).is_some_and(|writes| !writes.gone.is_empty()) {
            // The watch was faster. The current record is a new object of the same name.
            return;
        }
        records.touch(&id);
        if let Some(uid) = records.children.get(&id).map(|child| child.uid.clone()) {
            records.subtract(&id);
            records.deleted.insert(id, uid);
        }
    }

    /// Ends a write. Returns the owners to enqueue for versions that arrived in the meantime and are not from our writes.
    pub(super) fn end(&self, target: &Target) -> Vec<Key> {
        self.id(target).map_or_else(Vec::new, |id| self.0.records.lock().end(&id))
    }
}

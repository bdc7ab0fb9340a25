//! The records of the owned objects: one per object, and one sum per owner that differs after every relevant change.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::writes::Writes;
use crate::queue::{FastMap, Key};
use crate::resource_version::is_newer;
use crate::trigger::number;
use crate::watch::cached_object::CachedObject;

/// A child: the position of its kind in the list of owned kinds, and its key.
pub(super) type Id = (usize, Key);

/// The scope of a list: the position of an owned kind in the list of owned kinds, and a namespace (`None`: all).
pub(super) type Place = (usize, Option<Arc<str>>);

/// The changes of a child that count for its owner's digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) enum Counts {
    /// A new generation, that is, a changed spec; any change if the kind has no generation.
    Generation,
    /// Any change, since a step reads the kind.
    VersionRecord,
}

/// The children of one owner and the sum of their hashes, so that a change of one is detected without reading the others.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    pub(super) ids: BTreeSet<Id>,
    pub(super) sum: u64,
}

#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) children: FastMap<Id, Child>,
    pub(super) by_owner: FastMap<Arc<str>, Siblings>,
    /// The changes that count, by kind.
    pub(super) counts: Vec<Counts>,
    pub(super) writes: FastMap<Id, Writes>,
    /// The uids of the objects that we deleted, until the watch delivers the deletion.
    pub(super) deleted: FastMap<Id, Box<str>>,
    /// The objects that we wrote or deleted since each pending list began.
    pub(super) lists: FastMap<Place, HashSet<Key>>,
}

/// One version of a child.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) uid: Box<str>,
    /// `None` if its kind has no generation.
    pub(super) generation: Option<Box<str>>,
    pub(super) resource_version: Box<str>,
    /// Shared by all children of the owner.
    pub(super) owner_uid: Arc<str>,
    pub(super) owner: Key,
    /// The cached part, which steps read without a call.
    pub(super) cached: Option<CachedObject>,
}

impl Child {
    /// Its generation, or its resourceVersion if the kind has no generation.
    pub(super) fn version(&self) -> &str {
        self.generation.as_deref().unwrap_or(&self.resource_version)
    }
}

impl Records {
    /// The uid of an owner, shared with its other children.
    pub(super) fn shared(&self, owner_uid: &str) -> Arc<str> {
        self.by_owner.get_key_value(owner_uid).map_or_else(|| owner_uid.into(), |(uid, _)| uid.clone())
    }

    pub(super) fn is_alive(&self, id: &Id, child: &Child) -> bool {
        self.deleted.get(id) != Some(&child.uid)
    }

    pub(super) fn alive(&self, owner_uid: &str) -> impl Iterator<Item = (&Id, &Child)> {
        let ids = self.by_owner.get(owner_uid).into_iter().flat_map(|siblings| &siblings.ids);
        let known = ids.filter_map(|id| Some((id, self.children.get(id)?)));
        known.filter(|(id, child)| self.is_alive(id, child))
    }

    /// Records a write or deletion of the child, which pending lists may not contain.
    pub(super) fn touch(&mut self, (kind, key): &Id) {
        let of = |(at, namespace): &Place| at == kind && (namespace.is_none() || *namespace == key.namespace);
        for (_, written) in self.lists.iter_mut().filter(|(place, _)| of(place)) {
            written.insert(key.clone());
        }
    }

    /// Applies a child from a list that began after everything known of it. An older state in the list means that the store was restored.
    pub(super) fn listed(&mut self, id: &Id, child: Child, is_deleting: bool) -> Vec<Key> {
        let is_past =
            |known: &Child| known.uid == child.uid && is_newer(&known.resource_version, &child.resource_version);
        let is_back = !is_deleting && self.deleted.get(id) == Some(&child.uid);
        let is_other = |known: &Child| known.resource_version != child.resource_version;
        if is_back || self.children.get(id).is_some_and(|known| is_other(known) && is_past(known)) {
            self.forget(id);
            self.deleted.remove(id);
        }
        let owners = self.apply(id, child);
        if let Some(writes) = self.writes.get_mut(id) {
            writes.ours.clear();
        }
        self.tidy(id);
        owners
    }

    pub(super) fn apply(&mut self, id: &Id, child: Child) -> Vec<Key> {
        let (version, owner) = (&child.resource_version, child.owner.clone());
        let known = self.children.get(id).is_some_and(|known| known.resource_version == *version);
        let ours = self.writes.get_mut(id).is_some_and(|writes| writes.delivered(version));
        self.tidy(id);
        let is_news = !known && !ours;
        let now = match self.writes.get_mut(id).filter(|writes| is_news && writes.under_way > 0) {
            Some(writes) => {
                writes.held.push((version.clone(), owner.clone()));
                None
            }
            None => Some(owner.clone()),
        };
        let former = self.store(id.clone(), child).filter(|former| *former != owner);
        former.into_iter().chain(now).filter(|_| is_news).collect()
    }

    /// Stores a version unless a newer one is known. Returns the owner of the previous version.
    pub(super) fn store(&mut self, id: Id, child: Child) -> Option<Key> {
        if let Some(known) = self.children.get(&id)
            && known.uid == child.uid
            && !is_newer(&child.resource_version, &known.resource_version)
        {
            return None;
        }
        let former = self.forget(&id).map(|child| child.owner);
        let number = self.number(&id, &child);
        let siblings = self.by_owner.entry(child.owner_uid.clone()).or_default();
        siblings.sum = siblings.sum.wrapping_add(number);
        siblings.ids.insert(id.clone());
        self.children.insert(id, child);
        former
    }

    pub(super) fn forget(&mut self, id: &Id) -> Option<Child> {
        self.subtract(id);
        let child = self.children.remove(id)?;
        if let Some(siblings) = self.by_owner.get_mut(&child.owner_uid) {
            siblings.ids.remove(id);
            if siblings.ids.is_empty() {
                self.by_owner.remove(&child.owner_uid);
            }
        }
        Some(child)
    }

    pub(super) fn remove(&mut self, id: &Id) -> Vec<Key> {
        let former = self.forget(id);
        self.deleted.remove(id);
        if let Some(writes) = self.writes.get_mut(id) {
            writes.ours.clear();
            writes.gone.extend(former.as_ref().map(|child| child.uid.clone()));
        }
        self.tidy(id);
        former.into_iter().map(|child| child.owner).collect()
    }

    pub(super) fn wrote(&mut self, id: Id, child: Child) {
        self.touch(&id);
        let version = &child.resource_version;
        let known = self.children.get(&id);
        if known.is_some_and(|known| known.resource_version == *version) {
            // Nothing changed, or the watch was faster. No further event follows; an event that already arrived is in `held`.
            self.writes.entry(id).or_default().held.retain(|(held, _)| held != version);
            return;
        }
        let writes = self.writes.entry(id.clone()).or_default();
        if writes.gone.contains(&child.uid) {
            return;
        }
        writes.ours.push(version.clone());
        // With the record, the owner is enqueued even if the object is deleted before the watch delivers it, as during a first list.
        self.store(id, child);
    }

    pub(super) fn end(&mut self, id: &Id) -> Vec<Key> {
        let Some(writes) = self.writes.get_mut(id) else { return Vec::new() };
        writes.under_way = writes.under_way.saturating_sub(1);
        if writes.under_way > 0 {
            return Vec::new();
        }
        writes.gone.clear();
        let held = std::mem::take(&mut writes.held);
        let foreign =
            held.into_iter().filter(|(version, _)| !writes.delivered(version)).map(|(_, owner)| owner).collect();
        self.tidy(id);
        foreign
    }

    pub(super) fn tidy(&mut self, id: &Id) {
        if self.writes.get(id).is_some_and(Writes::is_over) {
            self.writes.remove(id);
        }
    }

    /// The share of a child in the sum of its owner; zero if we deleted it.
    pub(super) fn number(&self, id: &Id, child: &Child) -> u64 {
        if self.is_alive(id, child) { self.hash(id, child) } else { 0 }
    }

    pub(super) fn hash(&self, id: &Id, child: &Child) -> u64 {
        let version = match self.counts.get(id.0) {
            Some(Counts::VersionRecord) => &child.resource_version,
            _ => child.version(),
        };
        let namespace = id.1.namespace.as_deref().unwrap_or_default();
        // Children of two kinds may have the same name, but not the same uid.
        number(&[namespace, &id.1.name, &child.uid, version])
    }

    /// Subtracts a known child from the sum of its owner.
    pub(super) fn subtract(&mut self, id: &Id) {
        let Some(child) = self.children.get(id) else { return };
        let number = self.number(id, child);
        if let Some(siblings) = self.by_owner.get_mut(&child.owner_uid) {
            siblings.sum = siblings.sum.wrapping_sub(number);
        }
    }
}

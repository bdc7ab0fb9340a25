//! The reconciled kind: its cache, and the events that trigger a reconcile.

mod answer;
mod area;
mod changed;
mod feed;
mod held;
#[cfg(feature = "metrics")]
mod inspect;
mod listing;
mod objects;
mod older;
mod predicate;
mod reduced;
mod rollback;
mod shards;
#[cfg(test)]
mod tests;
mod undecodable;
mod vanished;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::api::ObjectMeta;

use crate::client::decode::{Decoded, Decoder, Invalid};
use crate::lock::{Mutex, MutexGuard};
use crate::pipeline::bare_store::BareStore;
use crate::pipeline::object::Object;
use crate::queue::{Key, TriggerSet};
use crate::resource_version::is_newer;
use crate::status::bare::BareStatus;
use crate::wiring::{Mark, WatcherWiring};

#[cfg(feature = "compact")]
pub(crate) use self::objects::Compaction;
pub(crate) use self::predicate::PrimaryPredicate;
pub(crate) use self::reduced::Reduction;
pub(crate) use self::shards::JoinedShard;
pub(crate) use self::undecodable::{UNDECODABLE, Undecodable};

use self::area::Area;
use self::changed::{Before, Changed};
use self::held::{Held, with_status_of};
use self::listing::CacheChange;
use self::objects::Objects;
use self::older::Older;
use self::predicate::triggers;
use self::rollback::{Comparison, Source};
use self::undecodable::Aside;
use self::vanished::{Vanished, has_vanished};

/// The cache of the reconciled kind. All clones share it.
#[derive(Clone)]
pub(crate) struct Primary {
    decoder: Decoder,
    bare: Arc<BareStore>,
    objects: Arc<Mutex<Objects>>,
    /// Removes from each object what the cache does not hold.
    reduction: Option<Arc<Reduction>>,
    aside: Aside,
    vanished: Vanished,
    changed: Changed,
    /// The older ones of objects of one name in different shards.
    older: Older,
}

impl Primary {
    /// Creates an empty cache for objects of the decoder's type.
    pub(crate) fn new(decoder: Decoder) -> Self {
        Self {
            decoder,
            bare: Arc::default(),
            objects: Arc::default(),
            reduction: None,
            aside: Aside::default(),
            vanished: Vanished::default(),
            changed: Changed::default(),
            older: Older::default(),
        }
    }

    /// The same, with this store for the status of bare objects.
    pub(crate) fn storing(self, bare: BareStore) -> Self {
        Self { bare: Arc::new(bare), ..self }
    }

    /// The same, with this part of the objects only; `None`: whole objects.
    pub(crate) fn reducing(self, reduction: Option<Reduction>) -> Self {
        let Some(reduction) = reduction else { return self };
        // An object of metadata can be empty.
        let objects = match self.decoder.exact(r#"{"metadata":{}}"#) {
            Ok(blank) => Objects::slim(blank),
            Err(_) => Objects::default(),
        };
        Self { objects: Arc::new(Mutex::new(objects)), reduction: Some(Arc::new(reduction)), ..self }
    }

    /// The same, with objects as compressed text, unless it holds only a part of them.
    #[cfg(feature = "compact")]
    pub(crate) fn compacting(self, compaction: Option<Compaction>) -> Self {
        let Some(compaction) = compaction else { return self };
        let decoder = self.decoder.clone().keeping_texts();
        let objects = match self.reduction {
            // Another cache of the kind may read the events of the same watch.
            Some(_) => self.objects,
            None => Arc::new(Mutex::new(Objects::compact(compaction, decoder.clone(), self.bare.clone()))),
        };
        Self { decoder, objects, ..self }
    }

    /// The object as the cache holds it.
    fn reduced(&self, object: Arc<Object>) -> Arc<Object> {
        let object = self.bare.restored(object);
        self.reduction.iter().fold(object, |object, reduction| reduction.reduced(object))
    }

    /// Where the status of bare objects is stored besides memory.
    pub(crate) fn bare_store(&self) -> &BareStore {
        &self.bare
    }

    /// The newest known object: the result of our last write if it is newer than the watch, otherwise the watched object.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        self.lock().get(key)?.newest().cloned()
    }

    /// Stores the status of an object in memory, as its kind has none of ours.
    pub(crate) fn store_status(&self, key: &Key, uid: &str, status: BareStatus) {
        let status = Arc::new(status);
        self.lock().update(key, |held| held.store_status(uid, &status));
    }

    /// The keys of the objects whose uid is wanted, also of those that do not fit their type.
    pub(crate) fn keys_of(&self, wanted: impl Fn(&str) -> bool) -> Vec<Key> {
        let objects = self.lock();
        let fitting = objects.iter().filter(|(_, known)| known.fits() && wanted(&known.uid()));
        let mut keys: Vec<Key> = fitting.map(|(key, _)| key.clone()).collect();
        drop(objects);
        keys.extend(self.aside.keys_of(wanted));
        keys
    }

    /// The uid of the object to which the next pass belongs: a deleted object whose cleanup did not run comes first.
    pub(crate) fn uid(&self, key: &Key) -> Option<String> {
        let of = |object: Arc<Object>| object.uid().to_owned();
        let aside = || self.aside.get(key).and_then(|broken| broken.uid);
        self.vanished(key).or_else(|| self.get(key)).map(of).or_else(aside)
    }

    /// The keys of all objects that fit their type.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let objects = self.lock();
        objects.iter().filter(|(_, known)| known.fits()).map(|(key, _)| key.clone()).collect()
    }

    /// The version that the watch delivered last.
    pub(crate) fn seen_version(&self, key: &Key) -> Option<String> {
        self.lock().peek(key).map(|known| known.version().into_owned())
    }

    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock()
    }

    /// The record of an object that does not fit its type.
    pub(crate) fn undecodable(&self, key: &Key) -> Option<Undecodable> {
        self.aside.get(key)
    }

    /// The record of an object that does not fit its type, unless it was already reported. Marks it as reported.
    pub(crate) fn report_undecodable(&self, key: &Key) -> Option<Undecodable> {
        self.aside.report(key)
    }

    /// The keys of the objects that do not fit their type.
    #[cfg(feature = "metrics")]
    pub(crate) fn undecodable_keys(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<Key> {
        self.aside.keys(wanted)
    }

    /// Applies a change to the cache.
    fn apply(&self, object: Decoded, filter: &PrimaryPredicate) -> Option<CacheChange> {
        let key = Key::of(object.metadata());
        self.take(&key, object, filter, Source::Watch)
    }

    /// Applies the object of this key to the cache. An unchanged version, as after a relist, has no effect.
    fn take(&self, key: &Key, object: Decoded, filter: &PrimaryPredicate, source: Source<'_>) -> Option<CacheChange> {
        let object = match object {
            Decoded::Valid(object, text) => Decoded::Valid(self.reduced(object), text),
            invalid @ Decoded::Invalid(_) => invalid,
        };
        let meta = object.metadata();
        let version = version_of(meta);
        let mut objects = self.lock();
        let held = objects.get(key);
        let comparison = match held {
            Some(held) => held.compare(meta, version, source),
            None => source.compare_unknown(version),
        };
        if comparison == Comparison::Same {
            return None;
        }
        let is_past = comparison == Comparison::Restored;
        let (now, text) = match object {
            Decoded::Valid(object, text) => (object, text),
            Decoded::Invalid(broken) => {
                let text = |field: &Option<String>| field.clone().unwrap_or_default();
                let (version, uid) = (text(&broken.meta.resource_version), text(&broken.meta.uid));
                objects.insert(key, Held::misfit(version, uid), None);
                drop(objects);
                return self.put_aside(key, &broken, filter);
            }
        };
        let before = objects.remove(key).filter(|_| !is_past);
        // The map is usually empty, so this lookup is cheap.
        self.aside.remove(key);
        // The restore did not undo the effects of the body outside the cluster, so the body must run again.
        let back = if is_past { TriggerSet::RESYNC } else { TriggerSet::NONE };
        // An object that replaces one of ours may belong to another shard.
        let is_here =
            filter.shard_gates.reconciles(now.uid()) || before.as_ref().is_some_and(|held| is_here(held, filter));
        let triggers = if is_here { triggers(before.as_ref(), &*now, filter, source) | back } else { TriggerSet::NONE };
        if let Some(before) = before.as_ref().and_then(Held::newest).filter(|_| is_here) {
            self.note_change(key, before, &*now, triggers, filter);
        }
        let now = with_status_of(before.as_ref().and_then(Held::newest), now);
        let wrote = before.and_then(|held| held.wrote).filter(|wrote| outlives(&**wrote, &*now));
        objects.insert(key, Held::object(now, wrote), text.as_deref());
        Some(CacheChange { key: key.clone(), triggers })
    }

    /// Records for a watcher that an object has changed, or was replaced by another one of its name.
    fn note_change(
        &self,
        key: &Key,
        before: &Arc<Object>,
        now: &Object,
        triggers: TriggerSet,
        filter: &PrimaryPredicate,
    ) {
        let Some(watcher) = filter.watcher else { return };
        if before.uid() != now.uid() {
            if watcher.mark == Mark::None {
                self.vanished.put(key, before.clone());
            }
        } else if triggers.intersects(TriggerSet::OF_OBJECT) {
            self.changed.put(key, before, watcher.previous);
        }
    }

    /// The version of an object before the changes that a watcher has not handled; `None`: there are none.
    pub(crate) fn before(&self, key: &Key, uid: &str) -> Option<Before> {
        self.changed.get(key, uid)
    }

    /// Records that a watcher has handled this version. `has_changed`: the newest one differs from it.
    pub(crate) fn handled(&self, key: &Key, object: &Object, watcher: WatcherWiring, has_changed: bool) {
        self.changed.handled(key, object, watcher.previous, has_changed);
    }

    /// Records an object that does not fit its type. It is not served; its pass reports the error.
    fn put_aside(&self, key: &Key, broken: &Invalid, filter: &PrimaryPredicate) -> Option<CacheChange> {
        let triggers = match &*broken.meta {
            meta if !filter.shard_gates.reconciles(meta.uid.as_deref().unwrap_or_default()) => TriggerSet::NONE,
            meta if meta.deletion_timestamp.is_some() => TriggerSet::DELETION,
            _ => TriggerSet::GENERATION,
        };
        self.aside.put(key, broken).then(|| CacheChange { key: key.clone(), triggers })
    }

    /// Records an object that does not fit its type although its metadata does.
    pub(crate) fn set_aside(&self, key: &Key, broken: &Invalid) {
        self.aside.put(key, broken);
    }

    /// The versions of our writes that the watch of the area has not delivered.
    fn outstanding(&self, area: &Area) -> HashMap<Key, String> {
        let objects = self.lock();
        let wrote = objects.iter().filter_map(|(key, known)| {
            let wrote = known.wrote().filter(|_| area.has_name(key))?;
            Some((key.clone(), version(&**wrote).to_owned()))
        });
        wrote.collect()
    }

    /// Removes a deleted object. One that had our finalizer still needs its cleanup.
    fn delete(&self, object: Decoded, filter: &PrimaryPredicate) -> Option<CacheChange> {
        let key = Key::of(object.metadata());
        let (change, last) = self.remove(&key)?;
        // Its status shows whether code has run for it.
        let object = match object {
            Decoded::Valid(object, text) => Decoded::Valid(with_status_of(last.as_ref(), self.reduced(object)), text),
            invalid @ Decoded::Invalid(_) => invalid,
        };
        if !filter.shard_gates.reconciles(object.metadata().uid.as_deref().unwrap_or_default()) {
            return Some(CacheChange { triggers: TriggerSet::NONE, ..change });
        }
        let is_plain = filter.watcher.is_some_and(|watcher| watcher.mark == Mark::None);
        match object {
            Decoded::Valid(object, _) if is_plain || has_vanished(object.meta(), &filter.finalizers) => {
                self.vanished.put(&key, object);
            }
            Decoded::Invalid(_) if is_plain => last.into_iter().for_each(|last| self.vanished.put(&key, last)),
            Decoded::Valid(..) | Decoded::Invalid(_) => {}
        }
        Some(change)
    }

    /// The last state of a deleted object whose cleanup did not run.
    pub(crate) fn vanished(&self, key: &Key) -> Option<Arc<Object>> {
        self.vanished.get(key)
    }

    /// Records that the deleted object needs no cleanup any more.
    pub(crate) fn cleaned_up(&self, key: &Key) {
        self.vanished.remove(key);
    }

    /// Removes an object. Returns its newest known version with the change.
    fn remove(&self, key: &Key) -> Option<(CacheChange, Option<Arc<Object>>)> {
        let last = self.lock().remove(key)?.newest().cloned();
        self.aside.remove(key);
        self.changed.remove(key);
        Some((CacheChange { key: key.clone(), triggers: TriggerSet::DELETION }, last))
    }

    /// Removes the objects that a complete list of the area does not contain.
    fn retain(&self, area: &Area, listed: &HashSet<Key>, filter: &PrimaryPredicate) -> Vec<CacheChange> {
        let objects = self.lock();
        let is_gone = |key: &Key| area.has_name(key) && !listed.contains(key);
        let gone: Vec<Key> = match area.shard {
            None => objects.keys().filter(|key| is_gone(key)).cloned().collect(),
            Some(shard) => {
                let here = objects.iter().filter(|(key, known)| is_gone(key) && shard.contains(&known.uid()));
                here.map(|(key, _)| key.clone()).collect()
            }
        };
        drop(objects);
        let removed = gone.iter().filter_map(|key| self.remove(key)).map(|(change, last)| match last {
            Some(last) if !filter.shard_gates.reconciles(last.uid()) => {
                CacheChange { triggers: TriggerSet::NONE, ..change }
            }
            // The deletion of these objects was missed, so that a watcher without finalizers hears of it here only.
            Some(last) if filter.watcher.is_some_and(|watcher| watcher.mark == Mark::None) => {
                self.vanished.put(&change.key, last);
                change
            }
            _ => change,
        });
        removed.collect()
    }
}

/// Whether this process reconciles the cached object.
fn is_here(held: &Held, filter: &PrimaryPredicate) -> bool {
    held.newest().is_some_and(|object| filter.shard_gates.reconciles(object.uid()))
}

fn version_of(meta: &ObjectMeta) -> &str {
    meta.resource_version.as_deref().unwrap_or_default()
}

fn version(object: &Object) -> &str {
    object.resource_version()
}

/// Whether our write is newer than the delivered version. If a version is not a number, the delivered version wins.
fn outlives(wrote: &Object, seen: &Object) -> bool {
    let numbers = version(wrote).parse::<u128>().is_ok() && version(seen).parse::<u128>().is_ok();
    numbers && wrote.meta().uid == seen.meta().uid && is_newer(version(wrote), version(seen))
}

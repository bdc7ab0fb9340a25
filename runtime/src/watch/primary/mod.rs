//! The kind that is reconciled: its cache, and which of its events wake.

mod held;
mod listing;
mod rollback;
#[cfg(test)]
mod tests;
mod undecodable;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::{DynamicObject, ObjectMeta};
use kube::runtime::watcher::Event;

use crate::client::decode::{Decoded, Decoder, Invalid};
use crate::pipeline::object::Object;
use crate::queue::{Key, Queue, TriggerSet};
use crate::resource_version::is_newer;
use crate::status::erased::AnyStatus;
use crate::trigger::{self, EnabledTriggers};
use crate::watch::dependency_map::Dependents;
use crate::watch::first_list::WatchHandle;
use crate::watch::shared::SharedWatches;
use crate::watch::watch_target::WatchTarget;
use crate::wiring::triggers::{Counted, Triggers};

pub(crate) use self::undecodable::{UNDECODABLE, Undecodable};

use self::held::Held;
use self::listing::{CacheChange, Listing};
use self::rollback::{Newest, Sight, Source};
use self::undecodable::Aside;

/// What is found out of an object.
type OfObject<T> = Box<dyn Fn(&Object) -> T + Send + Sync>;

/// What the event filter has to know of the reconciler.
pub(crate) struct PrimaryPredicate {
    /// The triggers that count.
    pub(crate) enabled_triggers: EnabledTriggers,
    pub(crate) finalizer: String,
    /// The annotation that asks for a pass.
    pub(crate) request_annotation: &'static str,
    /// The annotation that holds the policy, where there are policies.
    pub(crate) policy: Option<&'static str>,
    /// The labels and annotations that count.
    pub(crate) triggers: Triggers,
    /// The labels and annotations that the claim of the object wrote.
    pub(crate) claimed: OfObject<Vec<String>>,
    pub(crate) is_suspended: OfObject<bool>,
    /// Who is woken by a change of whom.
    pub(crate) dependents: Dependents,
}

/// The cache of the reconciled kind. Cloneable: all clones are one cache.
#[derive(Clone)]
pub(crate) struct Primary {
    decoder: Decoder,
    objects: Arc<Mutex<HashMap<Key, Held>>>,
    aside: Aside,
}

impl Primary {
    /// Of the objects of the type that the decoder makes.
    pub(crate) fn new(decoder: Decoder) -> Self {
        Self { decoder, objects: Arc::default(), aside: Aside::default() }
    }

    /// Takes note of the answer to a write of ours. `None`: it cannot be decoded.
    pub(crate) fn take_answer(&self, written: &DynamicObject) -> Option<Arc<Object>> {
        match serde_json::to_value(written).and_then(|written| self.decoder.exact(written)) {
            Ok(object) => {
                self.wrote(object.clone());
                Some(object)
            }
            Err(error) => {
                tracing::warn!(%error, "the server's answer cannot be decoded; waiting for the watch");
                None
            }
        }
    }

    /// The newest that is known: the cache, or our own last write where that is newer.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        self.lock().get(key)?.newest().cloned()
    }

    /// Takes note of the object as a write of ours returned it: served until the watch delivers that version or a newer one.
    pub(crate) fn wrote(&self, object: Arc<Object>) {
        let mut objects = self.lock();
        // What the watch does not know (any more) is gone: a write of ours makes no object of this kind.
        let Some(held) = objects.get_mut(&Key::of(object.meta())) else { return };
        let newest = held.wrote.as_deref().map_or(held.version(), version);
        if is_newer(version(&*object), newest) {
            held.wrote = Some(object);
        }
    }

    /// The newest that is known of all objects whose keys are wanted.
    #[cfg(feature = "metrics")]
    pub(crate) fn all(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<(Key, Arc<Object>)> {
        let objects = self.lock();
        let wanted = objects.iter().filter(|(key, _)| wanted(key));
        let newest = wanted.filter_map(|(key, held)| Some((key.clone(), held.newest()?.clone())));
        newest.collect()
    }

    /// The keys of all objects that fit their type.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let objects = self.lock();
        objects.iter().filter(|(_, held)| held.seen().is_some()).map(|(key, _)| key.clone()).collect()
    }

    /// The version that the watch delivered last.
    pub(crate) fn seen_version(&self, key: &Key) -> Option<String> {
        self.lock().get(key).map(|held| held.version().to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Held>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of an object that does not fit its type.
    pub(crate) fn undecodable(&self, key: &Key) -> Option<Undecodable> {
        self.aside.get(key)
    }

    /// The same, the first time that it is asked for.
    pub(crate) fn report_undecodable(&self, key: &Key) -> Option<Undecodable> {
        self.aside.report(key)
    }

    /// The keys of the objects that do not fit their type.
    #[cfg(feature = "metrics")]
    pub(crate) fn undecodable_keys(&self, wanted: &dyn Fn(&Key) -> bool) -> Vec<Key> {
        self.aside.keys(wanted)
    }

    /// Joins the watch of one place and queues what an event wakes; the first list is queued as a whole, once it is complete.
    pub(crate) fn join(
        &self,
        watches: &SharedWatches,
        place: &WatchTarget,
        filter: Arc<PrimaryPredicate>,
        queue: Queue,
    ) -> WatchHandle {
        let (this, namespace) = (self.clone(), place.namespace.clone());
        let (mut list, mut newest) = (Listing::default(), Newest::default());
        watches.join_typed(place, self.decoder, move |event| match event {
            // What an earlier list brought that broke off has not woken anybody yet, and will not come as a change again.
            Event::Init => {
                let (wrote, changes) = (this.outstanding(namespace.as_deref()), std::mem::take(&mut list.changes));
                list = Listing { wrote, changes, ..Listing::default() };
            }
            Event::InitApply(object) => {
                let meta = object.metadata();
                let key = Key::of(meta);
                list.newest.raise(version_of(meta));
                let source = Source::List { wrote: list.wrote.get(&key).map(|v| &**v), newest: &newest };
                list.changes.extend(this.take(&key, object, &filter, source));
                list.seen.insert(key);
            }
            Event::InitDone => {
                let Listing { seen, changes, newest: listed, .. } = std::mem::take(&mut list);
                newest = listed;
                this.wake(&queue, &filter, changes);
                this.wake(&queue, &filter, this.retain(namespace.as_deref(), &seen));
            }
            Event::Apply(object) => {
                newest.raise(version_of(object.metadata()));
                this.wake(&queue, &filter, this.apply(object, &filter));
            }
            Event::Delete(object) => {
                let meta = object.metadata();
                newest.raise(version_of(meta));
                this.wake(&queue, &filter, this.remove(&Key::of(meta)));
            }
        })
    }

    fn wake(&self, queue: &Queue, filter: &PrimaryPredicate, changes: impl IntoIterator<Item = CacheChange>) {
        for CacheChange { key, triggers } in changes {
            match self.seen_version(&key) {
                Some(version) => queue.seen(&key, &version),
                None => tracing::debug!(object = %key, "gone"),
            }
            if !triggers.is_empty() {
                queue.add(&key, triggers);
            }
            for dependent in filter.dependents.of(&key) {
                queue.add(&dependent, TriggerSet::WATCHED);
            }
        }
    }

    /// Takes a change into the cache.
    fn apply(&self, object: Decoded, filter: &PrimaryPredicate) -> Option<CacheChange> {
        let key = Key::of(object.metadata());
        self.take(&key, object, filter, Source::Watch)
    }

    /// Takes the object of this key into the cache. An unchanged version changes nothing, as after a relist.
    fn take(&self, key: &Key, object: Decoded, filter: &PrimaryPredicate, source: Source<'_>) -> Option<CacheChange> {
        let meta = object.metadata();
        let version = version_of(meta);
        let mut objects = self.lock();
        let held = objects.get(key);
        let sight = match held {
            Some(held) => held.sight(meta, version, source),
            None => source.sight_of_unknown(version),
        };
        if sight == Sight::Same {
            return None;
        }
        let is_past = sight == Sight::Restored;
        let now = match object {
            Decoded::Valid(object) => object,
            Decoded::Invalid(broken) => {
                objects.insert(key.clone(), Held::misfit(version_of(&broken.meta).to_owned()));
                drop(objects);
                return self.set_aside(key, &broken);
            }
        };
        let before = objects.remove(key).filter(|_| !is_past);
        // Whether it was, is a look at a map that is empty as a rule.
        self.aside.remove(key);
        // What the body did outside of the cluster was not set back.
        let back = if is_past { TriggerSet::RESYNC } else { TriggerSet::NONE };
        let triggers = triggers(before.as_ref(), &*now, filter) | back;
        let wrote = before.and_then(|held| held.wrote).filter(|wrote| outlives(&**wrote, &*now));
        objects.insert(key.clone(), Held::object(now, wrote));
        Some(CacheChange { key: key.clone(), triggers })
    }

    /// An object that does not fit its type is known, but not served: its pass reports it.
    fn set_aside(&self, key: &Key, broken: &Invalid) -> Option<CacheChange> {
        let triggers =
            if broken.meta.deletion_timestamp.is_some() { TriggerSet::DELETION } else { TriggerSet::GENERATION };
        self.aside.put(key, broken).then(|| CacheChange { key: key.clone(), triggers })
    }

    /// The versions of our writes that the watch of the namespace (or of all) has not delivered.
    fn outstanding(&self, namespace: Option<&str>) -> HashMap<Key, String> {
        let objects = self.lock();
        let here = objects.iter().filter(|(key, _)| namespace.is_none() || key.namespace.as_deref() == namespace);
        here.filter_map(|(key, held)| Some((key.clone(), version(held.wrote.as_deref()?).to_owned()))).collect()
    }

    fn remove(&self, key: &Key) -> Option<CacheChange> {
        self.lock().remove(key)?;
        self.aside.remove(key);
        Some(CacheChange { key: key.clone(), triggers: TriggerSet::DELETION })
    }

    /// Removes what a complete list of the namespace (or of all) does not hold.
    fn retain(&self, namespace: Option<&str>, listed: &HashSet<Key>) -> Vec<CacheChange> {
        let objects = self.lock();
        let here = objects.keys().filter(|key| namespace.is_none() || key.namespace.as_deref() == namespace);
        let gone: Vec<Key> = here.filter(|key| !listed.contains(*key)).cloned().collect();
        drop(objects);
        gone.iter().filter_map(|key| self.remove(key)).collect()
    }
}

fn version_of(meta: &ObjectMeta) -> &str {
    meta.resource_version.as_deref().unwrap_or_default()
}

fn version(object: &Object) -> &str {
    object.resource_version()
}

/// Whether what we wrote is newer than what the watch delivers. Versions that are no numbers cannot tell: then the watch wins.
fn outlives(wrote: &Object, seen: &Object) -> bool {
    let numbers = version(wrote).parse::<u128>().is_ok() && version(seen).parse::<u128>().is_ok();
    numbers && wrote.meta().uid == seen.meta().uid && is_newer(version(wrote), version(seen))
}

/// Why the object has to be looked at.
fn triggers(before: Option<&Held>, now: &Object, filter: &PrimaryPredicate) -> TriggerSet {
    let held = before.and_then(|held| Some((held, held.seen()?)));
    let held = held.filter(|(_, old)| old.meta().uid == now.meta().uid);
    let claimed = if filter.triggers == Triggers::ALL { Vec::new() } else { (filter.claimed)(now) };
    filter.enabled_triggers.of_change(&trigger::PrimaryChange {
        before: held.map(|(_, old)| old.meta()),
        now: now.meta(),
        observed: now.status().and_then(AnyStatus::observed_generation),
        is_ours: held
            .is_some_and(|(held, _)| held.wrote.as_deref().is_some_and(|wrote| version(wrote) == version(now))),
        finalizer: &filter.finalizer,
        request_annotation: filter.request_annotation,
        policy: filter.policy,
        counted: Counted { triggers: filter.triggers, claimed: &claimed },
        suspended: (held.is_some_and(|(_, old)| (filter.is_suspended)(&**old)), (filter.is_suspended)(now)),
    })
}

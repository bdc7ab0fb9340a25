//! The known dependents by component.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::entry::Entry;
use super::known::KnownDependent;
use crate::lock::Mutex;
use crate::queue::{FastMap, Key};
use crate::resource_version::is_newer;

/// How long a call without an answer may still be carried out: the longest time of a request on an API server, which is a minute, and a margin.
const UNTIL_CERTAIN: Duration = Duration::from_secs(65);

/// A kind, as its place in the list of kinds, and an object of it.
pub(super) type Id = (usize, Key);

/// The known dependents, from the watches and from our own writes.
#[derive(Default)]
pub(super) struct Store(Mutex<State>);

#[derive(Default)]
struct State {
    /// Values are boxed, since half of the slots of a table are empty.
    objects: FastMap<Arc<Id>, Box<Entry>>,
    components: FastMap<Arc<Key>, Box<Group>>,
    /// The lists of each kind that have begun.
    lists: FastMap<usize, u64>,
    writes: FastMap<Id, Writes>,
    /// The creations without an answer, with their components and times.
    unanswered: FastMap<Id, (Key, Instant)>,
}

/// The objects of one component.
#[derive(Default)]
struct Group {
    ids: HashSet<Arc<Id>>,
    /// Those that are applied again although nothing has changed.
    reapplied: HashSet<Arc<Id>>,
    sums: Sums,
}

/// The sums over the dependents of each step.
#[derive(Default)]
struct Sums(Vec<(Arc<str>, u64)>);

impl Sums {
    fn add(&mut self, step: &Arc<str>, number: u64) {
        match self.0.iter_mut().find(|(known, _)| known == step) {
            Some((_, sum)) => *sum = sum.wrapping_add(number),
            None => {
                // Most components have one set.
                self.0.reserve_exact(1);
                self.0.push((step.clone(), number));
            }
        }
    }
}

/// The writes of an object that are under way.
#[derive(Default)]
struct Writes {
    count: usize,
    /// The uids whose deletion was delivered meanwhile.
    gone: HashSet<String>,
}

impl Store {
    pub(super) fn get(&self, at: usize, key: &Key) -> Option<KnownDependent> {
        self.0.lock().objects.get(&(at, key.clone())).map(|entry| entry.known())
    }

    pub(super) fn of(&self, component: &Key) -> Vec<(usize, Key, KnownDependent)> {
        let state = self.0.lock();
        let ids = state.components.get(component).into_iter().flat_map(|group| &group.ids);
        let known = ids.filter_map(|id| Some((id.0, id.1.clone(), state.objects.get(id)?.known())));
        known.collect()
    }

    /// The sums over the dependents of each step.
    pub(super) fn sums(&self, component: &Key) -> Vec<(Arc<str>, u64)> {
        self.0.lock().components.get(component).map(|group| group.sums.0.clone()).unwrap_or_default()
    }

    pub(super) fn sum(&self, component: &Key) -> u64 {
        let state = self.0.lock();
        let sums = state.components.get(component).into_iter().flat_map(|group| &group.sums.0);
        sums.fold(0, |all, (_, sum)| all.wrapping_add(*sum))
    }

    /// The step of an object of the component, and its share in the sum.
    pub(super) fn share(&self, (at, key): (usize, &Key), component: &Key) -> Option<(Arc<str>, u64)> {
        let known = self.get(at, key).filter(|known| known.component == *component)?;
        let share = known.number(key);
        Some((known.step, share))
    }

    /// The time until the first object of the component is applied again although nothing has changed.
    pub(super) fn until_reapply(&self, component: &Key) -> Option<Duration> {
        let state = self.0.lock();
        let ids = state.components.get(component).into_iter().flat_map(|group| &group.reapplied);
        ids.filter_map(|id| state.objects.get(id)?.until_reapply()).min()
    }

    /// Calls `see` with the kind and the word of the status of each dependent.
    #[cfg(feature = "metrics")]
    pub(super) fn statuses(&self, see: &mut dyn FnMut(usize, &'static str)) {
        self.0.lock().objects.iter().for_each(|(id, entry)| see(id.0, entry.status()));
    }

    pub(super) fn components(&self) -> Vec<Key> {
        self.0.lock().components.keys().map(|component| Key::clone(component)).collect()
    }

    /// Applies an object that a watch delivered, and returns the components to enqueue.
    pub(super) fn apply(&self, id: Id, mut known: KnownDependent, is_listed: bool) -> Vec<Key> {
        let mut state = self.0.lock();
        let list = state.list(id.0);
        let mut former = None;
        if let Some(entry) = state.objects.get_mut(&id) {
            // A list that began after everything known of the object is right, also if it is older: the store was restored.
            let is_decisive = is_listed && entry.list < list;
            if is_listed {
                entry.list = list;
            }
            let before = entry.known();
            if !is_decisive && is_newer(&before.live.resource_version, &known.live.resource_version) {
                return Vec::new();
            }
            let is_same = before.is_same(&known);
            if before.live.uid == known.live.uid {
                (known.baseline, known.since) = (before.baseline, before.since);
            }
            if is_same {
                **entry = Entry::new(known, entry.component.clone(), entry.list);
                return Vec::new();
            }
            former = Some(before.component).filter(|former| *former != known.component);
        }
        let component = known.component.clone();
        state.insert(id, known, list);
        former.into_iter().chain([component]).collect()
    }

    /// Removes an object whose deletion a watch delivered, or whose mark is gone.
    pub(super) fn remove(&self, at: usize, key: &Key, uid: &str) -> Vec<Key> {
        let (id, mut state) = ((at, key.clone()), self.0.lock());
        if let Some(writes) = state.writes.get_mut(&id) {
            writes.gone.insert(uid.to_owned());
        }
        // A new object of the same name may be known already.
        let is_it = state.objects.get(&id).is_some_and(|entry| entry.has_uid(uid));
        if is_it { state.remove(&id).into_iter().collect() } else { Vec::new() }
    }

    pub(super) fn begin_list(&self, at: usize) {
        *self.0.lock().lists.entry(at).or_default() += 1;
    }

    /// Removes the objects that a complete list of the namespace (or of all namespaces) does not contain. Objects that were written since it
    /// began stay.
    pub(super) fn end_list(&self, at: usize, namespace: Option<&str>) -> Vec<Key> {
        let mut state = self.0.lock();
        let list = state.list(at);
        let here = |id: &Id| id.0 == at && (namespace.is_none() || id.1.namespace.as_deref() == namespace);
        let gone = state.objects.iter().filter(|(id, entry)| here(id) && entry.list < list);
        let gone: Vec<Arc<Id>> = gone.map(|(id, _)| id.clone()).collect();
        gone.iter().filter_map(|id| state.remove(id)).collect()
    }

    /// Announces a write of the object.
    pub(super) fn begin_write(&self, id: &Id) {
        self.0.lock().writes.entry(id.clone()).or_default().count += 1;
    }

    /// Records that a creation had no answer.
    pub(super) fn unanswered(&self, id: &Id, component: Key) {
        self.0.lock().unanswered.insert(id.clone(), (component, Instant::now()));
    }

    /// A creation of the component that had no answer and may still be carried out, and for how long.
    pub(super) fn unanswered_of(&self, component: &Key) -> Option<(Id, Duration)> {
        let mut state = self.0.lock();
        state.unanswered.retain(|_, (_, at)| at.elapsed() < UNTIL_CERTAIN);
        let own = state.unanswered.iter().filter(|(_, (of, _))| of == component);
        let left = own.map(|(id, (_, at))| (id.clone(), UNTIL_CERTAIN.saturating_sub(at.elapsed())));
        left.max_by_key(|(_, left)| *left)
    }

    pub(super) fn end_write(&self, id: &Id) {
        let mut state = self.0.lock();
        let Some(writes) = state.writes.get_mut(id) else { return };
        writes.count -= 1;
        if writes.count == 0 {
            state.writes.remove(id);
        }
    }

    /// Records the object that a write returned, unless it is known to be gone.
    pub(super) fn wrote(&self, id: &Id, known: KnownDependent) {
        let mut state = self.0.lock();
        let is_gone = state.writes.get(id).is_some_and(|writes| writes.gone.contains(&known.live.uid));
        let newer = state.objects.get(id).map(|entry| entry.known()).filter(|before| {
            before.live.uid == known.live.uid && is_newer(&before.live.resource_version, &known.live.resource_version)
        });
        let known = match newer {
            // The watch was faster; only the baseline is new.
            Some(newer) => KnownDependent { baseline: known.baseline, since: known.since, ..newer },
            None => known,
        };
        if !is_gone {
            let list = state.list(id.0);
            state.insert(id.clone(), known, list);
        }
    }

    /// Records that a call deleted the object with this uid: it is gone at once, or has finalizers left.
    pub(super) fn deleted(&self, id: &Id, uid: &str, is_gone: bool) {
        let mut state = self.0.lock();
        let Some(entry) = state.objects.get(id).filter(|entry| entry.has_uid(uid)) else { return };
        if is_gone {
            state.remove(id);
            return;
        }
        let (mut known, list) = (entry.known(), entry.list);
        known.live.is_deleted = true;
        state.insert(id.clone(), known, list);
    }

    /// Takes the present fields of the object as what was applied, unless an apply in this process said otherwise.
    pub(super) fn accept(&self, at: usize, key: &Key) {
        if let Some(entry) = self.0.lock().objects.get_mut(&(at, key.clone())) {
            entry.accept();
        }
    }
}

impl State {
    fn list(&self, at: usize) -> u64 {
        self.lists.get(&at).copied().unwrap_or_default()
    }

    fn insert(&mut self, mut id: Id, known: KnownDependent, list: u64) {
        self.unanswered.remove(&id);
        self.remove(&id);
        // The texts of a component are in memory once.
        let component = match self.components.get_key_value(&known.component) {
            Some((component, _)) => component.clone(),
            None => Arc::new(known.component.clone()),
        };
        if id.1.namespace == component.namespace {
            id.1.namespace.clone_from(&component.namespace);
        }
        let id = Arc::new(id);
        let group = self.components.entry(component.clone()).or_default();
        group.sums.add(&known.step, known.number(&id.1));
        group.ids.insert(id.clone());
        if known.live.applied.is_some_and(|applied| applied.reapply.is_some()) {
            group.reapplied.insert(id.clone());
        }
        self.objects.insert(id, Box::new(Entry::new(known, component, list)));
    }

    fn remove(&mut self, id: &Id) -> Option<Key> {
        let entry = self.objects.remove(id)?;
        let group = self.components.get_mut(&entry.component)?;
        let known = entry.known();
        group.sums.add(&known.step, known.number(&id.1).wrapping_neg());
        group.ids.remove(id);
        group.reapplied.remove(id);
        if group.ids.is_empty() {
            self.components.remove(&entry.component);
        }
        Some(Key::clone(&entry.component))
    }
}

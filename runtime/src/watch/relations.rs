//! The kinds that steps own and watch, erased: one handle for the passes of a reconciler.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use kube::api::DynamicObject;
use kube::runtime::watcher::Event;

use super::children::Children;
use super::interest::Interest;
use super::labelled::Labelled;
use super::named::Named;
use super::scope::Scope;
use super::seen::Seen;
use super::stream::Place;
use super::watches::{Watches, Watching, lock};
use crate::backend::{ApiError, Target};
use crate::decode::Record;
use crate::queue::{Causes, Key, Queue};
use crate::wiring::{How, KindInfo, Wiring};

/// The caches of owned and watched kinds. Cloneable: all clones are one.
#[derive(Clone)]
pub(crate) struct Relations(Arc<Inner>);

struct Inner {
    watches: Watches,
    queue: Queue,
    /// Whether passes run: before, the first lists wake nobody, as every object is queued anyway.
    live: AtomicBool,
    scope: Scope,
    children: Children,
    /// The watches of owned kinds.
    owned: Vec<Watching>,
    labelled: Vec<Labelled>,
    /// The kinds that are watched by name or label.
    watched: Vec<KindInfo>,
    named: Mutex<HashMap<Target, Arc<Named>>>,
    interest: Mutex<Interest>,
}

/// The declared kinds, each once.
fn declared<T: PartialEq>(wiring: &Wiring, select: impl Fn(How, KindInfo) -> Option<T>) -> Vec<T> {
    let mut found = Vec::new();
    for relation in wiring.relations() {
        let selected = relation.kind.and_then(|kind| select(relation.how, kind()));
        found.extend(selected.filter(|one| !found.contains(one)));
    }
    found
}

impl Relations {
    /// Joins the watches of owned kinds and of label selectors. Those by name start when somebody asks.
    pub(crate) fn new(watches: &Watches, wiring: &Wiring, owner: KindInfo, scope: Scope, queue: Queue) -> Self {
        let scope = scope.around(&owner);
        let children = Children::new(owner, declared(wiring, |how, kind| (how == How::Owns).then_some(kind)));
        let selectors = declared(wiring, |how, kind| match how {
            How::WatchesLabels(selector) => Some((kind, selector)),
            _ => None,
        });
        let is_watch = |how: How| matches!(how, How::WatchesByName | How::WatchesLabels(_));
        let watched = declared(wiring, |how, kind| is_watch(how).then_some(kind));
        Self(Arc::new_cyclic(|inner| {
            let labelled =
                selectors.into_iter().map(|(kind, selector)| labelled(inner, watches, kind, selector, &scope));
            Inner {
                watches: watches.clone(),
                queue,
                live: AtomicBool::new(false),
                labelled: labelled.collect(),
                watched,
                owned: owned(inner, watches, &children, &scope),
                scope,
                children,
                named: Mutex::default(),
                interest: Mutex::default(),
            }
        }))
    }

    /// How far the watches are.
    pub(crate) fn lists(&self) -> Vec<Watching> {
        self.0.owned.iter().cloned().chain(self.0.labelled.iter().flat_map(Labelled::lists)).collect()
    }

    /// Whether objects are kept with what is skipped otherwise.
    pub(crate) fn keeps_all(&self) -> bool {
        self.0.scope.whole
    }

    /// From now on every event wakes.
    pub(crate) fn go_live(&self) {
        self.0.live.store(true, Ordering::SeqCst);
    }

    /// The owned objects of the owner with this uid, as the cache and our own writes know them.
    pub(crate) fn children(&self, owner_uid: &str) -> Vec<Seen> {
        self.0.children.of(owner_uid)
    }

    /// Whether objects of the namespace are watched; those without one always are.
    pub(crate) fn covers(&self, namespace: Option<&str>) -> bool {
        self.0.scope.covers(namespace)
    }

    /// The object of the name, from a watch that starts with the first asker and is shared. Its appearance, change or disappearance
    /// wakes the asker.
    ///
    /// # Errors
    /// The watch does not work; the asker is woken when it does.
    pub(crate) async fn named(&self, asker: &Key, target: &Target) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        if let Some(namespace) = target.namespace.as_deref().filter(|namespace| !self.covers(Some(namespace))) {
            return Err(ApiError::Invalid(format!(
                "{target} is in the namespace {namespace}, which this operator does not watch"
            )));
        }
        lock(&self.0.interest).add(asker, target);
        let named = lock(&self.0.named).entry(target.clone()).or_insert_with(|| self.start(target)).clone();
        named.object().await
    }

    fn start(&self, target: &Target) -> Arc<Named> {
        let namespace = target.namespace.as_deref().map(Arc::from);
        let place = Place { name: Some(target.name.clone()), ..self.0.scope.place(&target.kind, namespace) };
        let (inner, target) = (Arc::downgrade(&self.0), target.clone());
        let asker = Arc::as_ptr(&self.0) as usize;
        self.0.watches.named(place, asker, move || wake_askers(&inner, &target))
    }

    /// As [`named`](Self::named), from the watch of a label selector.
    ///
    /// # Errors
    /// The watch does not work; the asker is woken when it does and the object is there.
    pub(crate) async fn labelled(
        &self,
        asker: &Key,
        selector: &str,
        target: &Target,
    ) -> Result<Option<Arc<DynamicObject>>, ApiError> {
        lock(&self.0.interest).add(asker, target);
        self.selector(selector, target)?.object(target).await
    }

    /// Whether steps read the kind from a watch.
    pub(crate) fn is_watched(&self, kind: &KindInfo) -> bool {
        self.0.watched.contains(kind)
    }

    /// All objects of a selection, from the watch of its selector, and their version as a whole. What changes among them wakes the asker.
    ///
    /// # Errors
    /// As [`labelled`](Self::labelled).
    pub(crate) async fn list(
        &self,
        asker: &Key,
        selector: &str,
        target: &Target,
    ) -> Result<(Vec<Arc<DynamicObject>>, String), ApiError> {
        lock(&self.0.interest).add(asker, target);
        self.selector(selector, target)?.all(target.namespace.as_deref()).await
    }

    /// The version of a selection as a whole.
    pub(crate) fn version_of_all(&self, selector: &str, target: &Target) -> Option<String> {
        Some(self.selector(selector, target).ok()?.version(target.namespace.as_deref()))
    }

    /// The object as the watch of the selector knows it now.
    pub(crate) fn selected(&self, selector: &str, target: &Target) -> Option<Arc<DynamicObject>> {
        self.selector(selector, target).ok()?.now(target)
    }

    fn selector(&self, selector: &str, target: &Target) -> Result<&Labelled, ApiError> {
        let labelled = self.0.labelled.iter().find(|l| l.selector == selector && l.kind == target.kind);
        labelled.ok_or_else(|| ApiError::Failed(format!("{target} is not watched with labels {selector}")))
    }

    /// What is known of an owned object right now, from its watch and our own writes.
    pub(crate) fn owned(&self, target: &Target) -> Option<Seen> {
        self.0.children.get(target)
    }

    /// What is known of an owned or watched object right now.
    pub(crate) fn version_of(&self, target: &Target) -> Option<Seen> {
        let named = || lock(&self.0.named).get(target).and_then(|named| named.now());
        let labelled = || self.0.labelled.iter().filter(|l| l.kind == target.kind).find_map(|l| l.now(target));
        let watched = || Some(Seen::of(target, &*named().or_else(labelled)?));
        self.0.children.get(target).or_else(watched)
    }

    /// After a pass: the asker is woken only by what it still asks for. A watch by name that nobody asks for ends.
    pub(crate) fn keep(&self, asker: &Key, references: &BTreeSet<String>) {
        let mut interest = lock(&self.0.interest);
        let deserted = interest.keep(asker, references);
        let mut named = lock(&self.0.named);
        for target in deserted {
            named.remove(&target);
        }
    }

    /// Announces a write of an owned object. Until the guard is dropped its events are held back; then those wake that the write
    /// did not cause.
    pub(crate) fn writing(&self, target: &Target) -> WriteGuard {
        self.0.children.begin(target);
        WriteGuard { relations: self.clone(), target: target.clone() }
    }
}

fn labelled(inner: &Weak<Inner>, watches: &Watches, kind: KindInfo, selector: &'static str, scope: &Scope) -> Labelled {
    let (inner, of) = (inner.clone(), kind.clone());
    let wake = move |key: &Key| {
        let namespace = key.namespace.as_deref().map(ToOwned::to_owned);
        let target = Target { kind: of.clone(), namespace, name: key.name.to_string() };
        wake_askers(&inner, &target);
        // And those who list.
        wake_askers(&inner, &Target::selection(of.clone(), target.namespace, selector));
        if of.namespaced {
            wake_askers(&inner, &Target::selection(of.clone(), None, selector));
        }
    };
    let places = scope.places(&kind);
    Labelled::join(watches, kind, selector, places, wake)
}

fn owned(inner: &Weak<Inner>, watches: &Watches, children: &Children, scope: &Scope) -> Vec<Watching> {
    let kinds = children.kinds().iter().enumerate();
    let places = kinds.flat_map(|(at, kind)| scope.places(kind).into_iter().map(move |place| (at, place)));
    places.map(|(at, place)| join_owned(inner, watches, children.clone(), at, place)).collect()
}

fn join_owned(inner: &Weak<Inner>, watches: &Watches, children: Children, kind: usize, place: Place) -> Watching {
    let (inner, namespace, mut listed) = (inner.clone(), place.namespace.clone(), HashSet::new());
    watches.join(&place, move |event: Event<Record>| {
        let woken = match event {
            Event::Init => {
                listed.clear();
                Vec::new()
            }
            Event::InitApply(Record(meta)) => {
                listed.insert(Key::of(&meta));
                children.apply(kind, &meta)
            }
            Event::Apply(Record(meta)) => children.apply(kind, &meta),
            Event::Delete(Record(meta)) => children.remove(kind, &Key::of(&meta)),
            Event::InitDone => children.retain(kind, namespace.as_deref(), &std::mem::take(&mut listed)),
        };
        wake(&inner, &woken, Causes::OWNED);
    });
    let progress = watches.progress::<Record>(&place).subscribe();
    (place, progress)
}

fn wake(inner: &Weak<Inner>, keys: &[Key], causes: Causes) {
    let Some(inner) = inner.upgrade().filter(|inner| inner.live.load(Ordering::SeqCst)) else { return };
    for key in keys {
        inner.queue.add(key, causes);
    }
}

fn wake_askers(inner: &Weak<Inner>, target: &Target) {
    let Some(inner) = inner.upgrade() else { return };
    for asker in lock(&inner.interest).askers(target) {
        inner.queue.add(asker, Causes::WATCHED);
    }
}

/// A write of an owned object is under way.
#[must_use = "events are held back until the guard is dropped"]
pub(crate) struct WriteGuard {
    relations: Relations,
    target: Target,
}

impl WriteGuard {
    /// Takes note of the version that the write for this owner returned.
    pub(crate) fn wrote(&self, seen: &Seen, owner: &Key) {
        self.relations.0.children.wrote(seen, owner);
    }

    /// The write deleted the object.
    pub(crate) fn deleted(&self) {
        self.relations.0.children.deleted(&self.target);
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        let woken = self.relations.0.children.end(&self.target);
        wake(&Arc::downgrade(&self.relations.0), &woken, Causes::OWNED);
    }
}

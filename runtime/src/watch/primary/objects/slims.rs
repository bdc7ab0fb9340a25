//! The objects of a watcher with `cache = none`: those that are idle in their slim form.

use std::borrow::{Borrow, Cow};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::interned::Interned;
use super::slim::{SharedValues, Slim};
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::watch::primary::held::Held;

/// The objects. A set of pointers, since a table has up to two places for each object.
pub(in crate::watch::primary) struct Slims {
    entries: HashSet<Entry>,
    namespaces: Interned<str>,
    shared: SharedValues,
    /// An object of the type without metadata.
    blank: Arc<Object>,
}

struct Entry(Box<(Key, State)>);

enum State {
    Slim(Slim),
    Held(Box<Held>),
}

impl Borrow<Key> for Entry {
    fn borrow(&self) -> &Key {
        &self.0.0
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.0.0 == other.0.0
    }
}

impl Eq for Entry {}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.0.hash(hasher);
    }
}

impl Slims {
    pub(super) fn new(blank: Arc<Object>) -> Self {
        Self { entries: HashSet::new(), namespaces: Interned::default(), shared: SharedValues::default(), blank }
    }

    fn held<'s>(&self, entry: &'s Entry) -> Cow<'s, Held> {
        match &entry.0.1 {
            State::Slim(slim) => Cow::Owned(Held::object(slim.object(&entry.0.0, &*self.blank), None)),
            State::Held(held) => Cow::Borrowed(held),
        }
    }

    pub(super) fn get(&self, key: &Key) -> Option<Cow<'_, Held>> {
        self.entries.get(key).map(|entry| self.held(entry))
    }

    pub(super) fn insert(&mut self, key: &Key, held: Held) {
        drop(self.remove(key));
        let namespace = key.namespace.as_deref().map(|name| self.namespaces.share(name, || name.into()));
        let key = Key { namespace, name: key.name.clone() };
        let state = self.shared.slim(&held).map_or_else(|| State::Held(Box::new(held)), State::Slim);
        self.entries.insert(Entry(Box::new((key, state))));
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<Held> {
        let entry = self.entries.take(key)?;
        let held = self.held(&entry).into_owned();
        let (key, state) = &*entry.0;
        key.namespace.iter().for_each(|namespace| self.namespaces.release(namespace));
        if let State::Slim(slim) = state {
            self.shared.release(slim);
        }
        Some(held)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, Cow<'_, Held>)> {
        self.entries.iter().map(|entry| (&entry.0.0, self.held(entry)))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.iter().map(|entry| &entry.0.0)
    }
}

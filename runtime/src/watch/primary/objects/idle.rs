//! Objects in a form that takes less memory while they are idle.

use std::borrow::{Borrow, Cow};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use super::interned::Interned;
use super::peek::{IdleObject, Peek};
use crate::queue::Key;
use crate::watch::primary::held::Held;

/// A form of idle objects.
pub(super) trait Form: Send {
    /// What an idle object is made of besides the object.
    type Source: Send;
    type Idle: IdleObject + Send;

    /// The source of an object that a watch delivered with this text; `None`: it stays as it is.
    fn source(&mut self, text: Option<&str>) -> Option<Self::Source>;

    /// The idle form of an object.
    ///
    /// # Errors
    /// The object has a write that the watch has not delivered, does not fit its type, or has unusual values. Returns its source.
    fn idle(&mut self, key: &Key, held: &Held, source: Self::Source) -> Result<Self::Idle, Self::Source>;

    /// The object.
    fn held(&self, key: &Key, idle: &Self::Idle) -> Held;

    /// Removes what only this object needed. Returns its source.
    fn release(&mut self, key: &Key, idle: Self::Idle) -> Self::Source;
}

/// The cached objects in another form than whole.
pub(in crate::watch::primary) trait Store: Send {
    fn get(&self, key: &Key) -> Option<Cow<'_, Held>>;
    fn peek(&self, key: &Key) -> Option<Peek<'_>>;
    fn insert(&mut self, key: &Key, held: Held, text: Option<&str>);
    fn remove(&mut self, key: &Key) -> Option<Held>;
    /// Removes an object without decoding or building it.
    fn discard(&mut self, key: &Key);
    fn update(&mut self, key: &Key, change: &mut dyn FnMut(&mut Held));
    fn iter(&self) -> Box<dyn Iterator<Item = (&Key, Peek<'_>)> + '_>;
}

/// The objects: those that are idle in their form. A set of pointers, since a table has up to two places for each object.
pub(super) struct IdleObjects<F: Form> {
    entries: HashSet<Entry<F>>,
    namespaces: Interned<str>,
    form: F,
}

struct Entry<F: Form>(Box<(Key, State<F>)>);

enum State<F: Form> {
    Idle(F::Idle),
    Held(Box<(Held, Option<F::Source>)>),
}

impl<F: Form> Borrow<Key> for Entry<F> {
    fn borrow(&self) -> &Key {
        &self.0.0
    }
}

impl<F: Form> PartialEq for Entry<F> {
    fn eq(&self, other: &Self) -> bool {
        self.0.0 == other.0.0
    }
}

impl<F: Form> Eq for Entry<F> {}

impl<F: Form> Hash for Entry<F> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.0.hash(hasher);
    }
}

impl<F: Form> Entry<F> {
    fn peek(&self) -> Peek<'_> {
        match &self.0.1 {
            State::Idle(idle) => Peek::Idle(idle),
            State::Held(held) => Peek::Held(&held.0),
        }
    }
}

impl<F: Form> IdleObjects<F> {
    pub(super) fn new(form: F) -> Self {
        Self { entries: HashSet::new(), namespaces: Interned::default(), form }
    }

    fn put(&mut self, key: &Key, held: Held, source: Option<F::Source>) {
        let namespace = key.namespace.as_deref().map(|name| self.namespaces.share(name, || name.into()));
        let key = Key { namespace, name: key.name.clone() };
        let state = match source.map(|source| self.form.idle(&key, &held, source)) {
            Some(Ok(idle)) => State::Idle(idle),
            Some(Err(source)) => State::Held(Box::new((held, Some(source)))),
            None => State::Held(Box::new((held, None))),
        };
        self.entries.insert(Entry(Box::new((key, state))));
    }

    fn take(&mut self, key: &Key) -> Option<(Held, Option<F::Source>)> {
        let (key, state) = self.take_entry(key)?;
        Some(match state {
            State::Idle(idle) => (self.form.held(&key, &idle), Some(self.form.release(&key, idle))),
            State::Held(held) => *held,
        })
    }

    fn take_entry(&mut self, key: &Key) -> Option<(Key, State<F>)> {
        let entry = *self.entries.take(key)?.0;
        entry.0.namespace.iter().for_each(|namespace| self.namespaces.release(namespace));
        Some(entry)
    }
}

impl<F: Form> Store for IdleObjects<F> {
    fn get(&self, key: &Key) -> Option<Cow<'_, Held>> {
        let entry = self.entries.get(key)?;
        Some(match &entry.0.1 {
            State::Idle(idle) => Cow::Owned(self.form.held(&entry.0.0, idle)),
            State::Held(held) => Cow::Borrowed(&held.0),
        })
    }

    fn peek(&self, key: &Key) -> Option<Peek<'_>> {
        self.entries.get(key).map(Entry::peek)
    }

    fn insert(&mut self, key: &Key, held: Held, text: Option<&str>) {
        self.discard(key);
        let source = self.form.source(text);
        self.put(key, held, source);
    }

    fn remove(&mut self, key: &Key) -> Option<Held> {
        self.take(key).map(|(held, _)| held)
    }

    fn discard(&mut self, key: &Key) {
        if let Some((key, State::Idle(idle))) = self.take_entry(key) {
            self.form.release(&key, idle);
        }
    }

    fn update(&mut self, key: &Key, change: &mut dyn FnMut(&mut Held)) {
        let Some((mut held, source)) = self.take(key) else { return };
        change(&mut held);
        self.put(key, held, source);
    }

    fn iter(&self) -> Box<dyn Iterator<Item = (&Key, Peek<'_>)> + '_> {
        Box::new(self.entries.iter().map(|entry| (&entry.0.0, entry.peek())))
    }
}

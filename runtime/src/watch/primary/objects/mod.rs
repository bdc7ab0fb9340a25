//! The objects of a cache of the reconciled kind, by name.

mod interned;
mod slim;
mod slim_status;
mod slims;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use self::slims::Slims;
use super::held::Held;
use crate::pipeline::object::Object;
use crate::queue::Key;

/// The cached objects.
pub(super) enum Objects {
    Whole(HashMap<Key, Held>),
    /// In a form that is slim while an object is idle (`cache = none`).
    Slim(Box<Slims>),
}

impl Default for Objects {
    fn default() -> Self {
        Self::Whole(HashMap::new())
    }
}

impl Objects {
    /// Objects in the slim form. `blank` is one of their type without metadata.
    pub(super) fn slim(blank: Arc<Object>) -> Self {
        Self::Slim(Box::new(Slims::new(blank)))
    }

    pub(super) fn get(&self, key: &Key) -> Option<Cow<'_, Held>> {
        match self {
            Self::Whole(objects) => objects.get(key).map(Cow::Borrowed),
            Self::Slim(objects) => objects.get(key),
        }
    }

    pub(super) fn insert(&mut self, key: &Key, held: Held) {
        match self {
            Self::Whole(objects) => drop(objects.insert(key.clone(), held)),
            Self::Slim(objects) => objects.insert(key, held),
        }
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<Held> {
        match self {
            Self::Whole(objects) => objects.remove(key),
            Self::Slim(objects) => objects.remove(key),
        }
    }

    /// Changes an object that is in the cache.
    pub(super) fn update(&mut self, key: &Key, change: impl FnOnce(&mut Held)) {
        match self {
            Self::Whole(objects) => {
                if let Some(held) = objects.get_mut(key) {
                    change(held);
                }
            }
            Self::Slim(objects) => {
                let Some(mut held) = objects.remove(key) else { return };
                change(&mut held);
                objects.insert(key, held);
            }
        }
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (&Key, Cow<'_, Held>)> + '_> {
        match self {
            Self::Whole(objects) => Box::new(objects.iter().map(|(key, held)| (key, Cow::Borrowed(held)))),
            Self::Slim(objects) => Box::new(objects.iter()),
        }
    }

    pub(super) fn keys(&self) -> Box<dyn Iterator<Item = &Key> + '_> {
        match self {
            Self::Whole(objects) => Box::new(objects.keys()),
            Self::Slim(objects) => Box::new(objects.keys()),
        }
    }
}

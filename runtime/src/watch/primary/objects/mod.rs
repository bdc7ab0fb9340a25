//! The objects of a cache of the reconciled kind, by name.

#[cfg(feature = "compact")]
mod compact;
mod idle;
mod interned;
mod numbers;
mod peek;
mod slim;
mod slim_status;

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(feature = "compact")]
pub(crate) use self::compact::Compaction;
use self::idle::{IdleObjects, Store};
pub(super) use self::peek::Peek;
use self::slim::SlimForm;
use super::held::Held;
#[cfg(feature = "compact")]
use crate::client::decode::Decoder;
#[cfg(feature = "compact")]
use crate::pipeline::bare_store::BareStore;
use crate::pipeline::object::Object;
use crate::queue::{Key, KeyMap};

/// The cached objects.
pub(super) enum Objects {
    Whole(KeyMap<Held>),
    /// In a form that takes less memory while an object is idle.
    Idle(Box<dyn Store>),
}

impl Default for Objects {
    fn default() -> Self {
        Self::Whole(KeyMap::default())
    }
}

impl Objects {
    /// Objects in the slim form (`cache = none`). `blank` is one of their type without metadata.
    pub(super) fn slim(blank: Arc<Object>) -> Self {
        Self::Idle(Box::new(IdleObjects::new(SlimForm::new(blank))))
    }

    /// Objects as compressed text. The ones that were read last are decoded, too.
    #[cfg(feature = "compact")]
    pub(super) fn compact(compaction: Compaction, decoder: Decoder, bare: Arc<BareStore>) -> Self {
        Self::Idle(Box::new(IdleObjects::new(compact::CompactForm::new(compaction, decoder, bare))))
    }

    pub(super) fn get(&self, key: &Key) -> Option<Cow<'_, Held>> {
        match self {
            Self::Whole(objects) => objects.get(key).map(Cow::Borrowed),
            Self::Idle(objects) => objects.get(key),
        }
    }

    /// What the cache knows of an object as it is.
    pub(super) fn peek(&self, key: &Key) -> Option<Peek<'_>> {
        match self {
            Self::Whole(objects) => objects.get(key).map(Peek::Held),
            Self::Idle(objects) => objects.peek(key),
        }
    }

    /// Replaces an object. `text`: the one that a watch delivered, if the decoder keeps texts.
    pub(super) fn insert(&mut self, key: &Key, held: Held, text: Option<&str>) {
        match self {
            Self::Whole(objects) => drop(objects.insert(key.clone(), held)),
            Self::Idle(objects) => objects.insert(key, held, text),
        }
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<Held> {
        match self {
            Self::Whole(objects) => objects.remove(key),
            Self::Idle(objects) => objects.remove(key),
        }
    }

    /// Removes an object and everything that is known of it.
    pub(super) fn discard(&mut self, key: &Key) {
        match self {
            Self::Whole(objects) => drop(objects.remove(key)),
            Self::Idle(objects) => objects.discard(key),
        }
    }

    /// Changes what is known of an object that is in the cache, but not the version that the watch delivered.
    pub(super) fn update(&mut self, key: &Key, mut change: impl FnMut(&mut Held)) {
        match self {
            Self::Whole(objects) => objects.get_mut(key).into_iter().for_each(change),
            Self::Idle(objects) => objects.update(key, &mut change),
        }
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (&Key, Peek<'_>)> + '_> {
        match self {
            Self::Whole(objects) => Box::new(objects.iter().map(|(key, held)| (key, Peek::Held(held)))),
            Self::Idle(objects) => objects.iter(),
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.iter().map(|(key, _)| key)
    }
}

//! Objects of one name in different shards: the ones that are not cached.

use std::sync::Arc;

use crate::client::decode::Decoded;
use crate::lock::{Mutex, MutexGuard};
use crate::queue::KeyMap;

/// The older ones of objects that have the same name in different shards. The map is usually empty. Its lock is held while an event of a
/// shard changes the cache, so that comparisons with the cache are exact.
#[derive(Clone, Default)]
pub(super) struct Older(Arc<Mutex<KeyMap<Decoded>>>);

pub(super) type OlderObjects<'a> = MutexGuard<'a, KeyMap<Decoded>>;

impl Older {
    pub(super) fn lock(&self) -> OlderObjects<'_> {
        self.0.lock()
    }
}

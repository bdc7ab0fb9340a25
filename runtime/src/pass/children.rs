//! What the passes of one object wrote last of each child. Lost at a restart: the first pass then applies once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::api::DynamicObject;

use crate::backend::Target;
use crate::version::is_newer;
use crate::watch::Seen;

/// What was applied last to an owned object, and what came back.
pub(super) struct Applied {
    pub(super) intent: String,
    pub(super) seen: Seen,
    pub(super) object: Arc<DynamicObject>,
}

/// A write of ours.
enum Written {
    Applied(Box<Applied>),
    /// The object of this uid was deleted.
    Deleted(String),
}

/// The last writes, by target. Cloneable: all clones are one.
#[derive(Clone, Default)]
pub(super) struct Children(Arc<Mutex<BTreeMap<String, Written>>>);

impl Children {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Written>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn applied(&self, target: &Target, applied: Applied) {
        self.lock().insert(target.to_string(), Written::Applied(Box::new(applied)));
    }

    /// The object was deleted. `watched` is what was known of it, where a cache may show it for a while.
    pub(super) fn deleted(&self, target: &Target, watched: Option<Seen>) {
        let (mut writes, name) = (self.lock(), target.to_string());
        writes.remove(&name);
        writes.extend(watched.map(|seen| (name, Written::Deleted(seen.uid))));
    }

    /// The answer of our last apply, if that was the same intent and the object is still as it left it.
    pub(super) fn unchanged(
        &self,
        target: &Target,
        intent: &str,
        now: impl FnOnce() -> Option<Seen>,
    ) -> Option<Arc<DynamicObject>> {
        let writes = self.lock();
        let Some(Written::Applied(applied)) = writes.get(&target.to_string()) else { return None };
        let now = (applied.intent == intent).then(now)??;
        (now.uid == applied.seen.uid && now.version == applied.seen.version).then(|| applied.object.clone())
    }

    /// Whether what a cache holds is older than our last write. `known` tells what is known of the object otherwise.
    pub(super) fn outran(
        &self,
        target: &Target,
        cached: Option<&DynamicObject>,
        known: impl FnOnce() -> Option<Seen>,
    ) -> bool {
        let mut writes = self.lock();
        if writes.is_empty() {
            return false;
        }
        let (name, cached) = (target.to_string(), cached.map(|object| Seen::of(target, object)));
        match writes.get(&name) {
            None => false,
            Some(Written::Applied(applied)) => match cached {
                Some(cached) if cached.uid == applied.seen.uid => {
                    is_newer(&applied.seen.resource_version, &cached.resource_version)
                }
                // Not delivered yet, or gone already.
                _ => known().is_some_and(|known| known.uid == applied.seen.uid),
            },
            Some(Written::Deleted(uid)) => {
                let is_behind =
                    cached.is_some_and(|cached| cached.uid == *uid) || known().is_some_and(|known| known.uid == *uid);
                if !is_behind {
                    writes.remove(&name);
                }
                is_behind
            }
        }
    }
}

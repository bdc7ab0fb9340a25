//! One object in the cache: the version that the watch delivered, and the one that our last write returned.

use std::sync::Arc;

use kube::api::ObjectMeta;

use super::rollback::{Comparison, Source};
use crate::pipeline::object::Object;
use crate::resource_version::is_newer;
use crate::status::bare::BareStatus;

/// The cached state of one object.
#[derive(Clone)]
pub(super) struct Held {
    delivered: Delivered,
    /// The object that our last write returned, until the watch has caught up.
    pub(super) wrote: Option<Arc<Object>>,
}

/// The object with the status that its earlier version has in memory.
pub(super) fn with_status_of(earlier: Option<&Arc<Object>>, object: Arc<Object>) -> Arc<Object> {
    let earlier = earlier.filter(|earlier| earlier.meta().uid == object.meta().uid);
    let status = earlier.and_then(|earlier| earlier.bare()?.status.clone());
    status.map(|status| object.with_bare_status(status)).unwrap_or(object)
}

/// The last object that the watch delivered.
#[derive(Clone)]
enum Delivered {
    Object(Arc<Object>),
    /// An object that does not fit its type.
    Misfit(Box<Misfit>),
}

#[derive(Clone)]
struct Misfit {
    version: String,
    uid: String,
}

impl Held {
    pub(super) fn object(object: Arc<Object>, wrote: Option<Arc<Object>>) -> Self {
        Self { delivered: Delivered::Object(object), wrote }
    }

    /// An object that does not fit its type.
    pub(super) fn misfit(version: String, uid: String) -> Self {
        Self { delivered: Delivered::Misfit(Box::new(Misfit { version, uid })), wrote: None }
    }

    /// The object that the watch delivered last; `None` if it does not fit its type.
    pub(super) fn seen(&self) -> Option<&Arc<Object>> {
        match &self.delivered {
            Delivered::Object(object) => Some(object),
            Delivered::Misfit(_) => None,
        }
    }

    /// The version that the watch delivered last.
    pub(super) fn version(&self) -> &str {
        match &self.delivered {
            Delivered::Object(object) => object.resource_version(),
            Delivered::Misfit(misfit) => &misfit.version,
        }
    }

    /// The UID of the object.
    pub(super) fn uid(&self) -> &str {
        match &self.delivered {
            Delivered::Object(object) => object.uid(),
            Delivered::Misfit(misfit) => &misfit.uid,
        }
    }

    /// The newest known object; `None` if it does not fit its type.
    pub(super) fn newest(&self) -> Option<&Arc<Object>> {
        let seen = self.seen()?;
        Some(self.wrote.as_ref().unwrap_or(seen))
    }

    /// Records the object that one of our writes returned, unless a newer state is known.
    pub(super) fn take_written(&mut self, written: Arc<Object>) {
        let newest = self.wrote.as_deref().map_or(self.version(), |wrote| wrote.resource_version());
        if is_newer(written.resource_version(), newest) || self.is_first_deleted(&*written) {
            self.wrote = Some(with_status_of(self.newest(), written));
        }
    }

    /// Stores the status of the object with this UID in memory.
    pub(super) fn store_status(&mut self, uid: &str, status: &Arc<BareStatus>) {
        let set = |object: &mut Arc<Object>| {
            if object.uid() == uid {
                *object = object.with_bare_status(status.clone());
            }
        };
        if let Delivered::Object(object) = &mut self.delivered {
            set(object);
        }
        self.wrote.iter_mut().for_each(set);
    }

    /// Whether the known object is live and the written one is being deleted. A deletion cannot be undone, so the written one is the newer
    /// state also if its version is lower: the store was restored, and the watch has not listed it yet.
    fn is_first_deleted(&self, written: &Object) -> bool {
        let meta = written.meta();
        let known = self.newest().map(|known| known.meta());
        meta.deletion_timestamp.is_some()
            && known.is_some_and(|known| known.uid == meta.uid && known.deletion_timestamp.is_none())
    }

    /// Compares a delivered object with the cached one. Two cases show that the store was restored: one resourceVersion has two contents,
    /// or a list contains an older version than the watch delivered, or a write returned, before the list began.
    pub(super) fn compare(&self, meta: &ObjectMeta, delivered: &str, source: Source<'_>) -> Comparison {
        let seen = self.seen().map(|seen| seen.meta());
        if seen.is_some_and(|seen| seen.uid != meta.uid) {
            return Comparison::Change;
        }
        let is_same = self.version() == delivered;
        if is_same && seen.is_some_and(|seen| seen != meta) || self.is_older(delivered, source) {
            return Comparison::Restored;
        }
        if is_same { Comparison::Same } else { Comparison::Change }
    }

    /// Whether a list contains an older version than the known one.
    fn is_older(&self, listed: &str, source: Source<'_>) -> bool {
        let Source::List { wrote: written, .. } = source else { return false };
        let is_past = |known: &str| is_newer(known, listed);
        let is_still = |written: &&str| self.wrote.as_deref().is_some_and(|wrote| wrote.resource_version() == *written);
        is_past(self.version()) || written.filter(is_still).is_some_and(is_past)
    }
}

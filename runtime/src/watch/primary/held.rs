//! One object in the cache: as the watch delivered it, and as a write of ours returned it.

use std::sync::Arc;

use kube::api::ObjectMeta;

use super::rollback::{Sight, Source};
use crate::pipeline::object::Object;
use crate::resource_version::is_newer;

/// What is known of one object.
pub(super) struct Held {
    /// As the watch delivered it last; `None`: it does not fit its type.
    pub(super) seen: Option<Arc<Object>>,
    /// The version that the watch delivered last.
    pub(super) version: String,
    /// As a write of ours returned it, until the watch has caught up.
    pub(super) wrote: Option<Arc<Object>>,
}

impl Held {
    /// A restored store shows in two ways: it gives the same version to another change, or a list holds an older version than the watch
    /// delivered or a write returned before the list began.
    pub(super) fn sight(&self, meta: &ObjectMeta, delivered: &str, source: Source<'_>) -> Sight {
        let seen = self.seen.as_deref().map(Object::meta);
        if seen.is_some_and(|seen| seen.uid != meta.uid) {
            return Sight::Change;
        }
        let is_same = self.version == delivered;
        if is_same && seen.is_some_and(|seen| seen != meta) || self.is_older(delivered, source) {
            return Sight::Past;
        }
        if is_same { Sight::Same } else { Sight::Change }
    }

    /// Whether a list holds an older version than is known.
    fn is_older(&self, listed: &str, source: Source<'_>) -> bool {
        let Source::List { wrote: written, .. } = source else { return false };
        let is_past = |known: &str| is_newer(known, listed);
        let is_still = |written: &&str| self.wrote.as_deref().is_some_and(|wrote| wrote.resource_version() == *written);
        is_past(&self.version) || written.filter(is_still).is_some_and(is_past)
    }
}

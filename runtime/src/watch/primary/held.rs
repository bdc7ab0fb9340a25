//! One object in the cache: as the watch delivered it, and as a write of ours returned it.

use std::sync::Arc;

use kube::api::ObjectMeta;

use super::rollback::{Sight, Source};
use crate::pipeline::object::Object;
use crate::resource_version::is_newer;

/// What is known of one object.
pub(super) struct Held {
    delivered: Delivered,
    /// As a write of ours returned it, until the watch has caught up.
    pub(super) wrote: Option<Arc<Object>>,
}

/// What the watch delivered last.
enum Delivered {
    Object(Arc<Object>),
    /// It does not fit its type.
    Misfit(Box<Misfit>),
}

struct Misfit {
    version: String,
}

impl Held {
    pub(super) fn object(object: Arc<Object>, wrote: Option<Arc<Object>>) -> Self {
        Self { delivered: Delivered::Object(object), wrote }
    }

    /// Of an object of this version that does not fit its type.
    pub(super) fn misfit(version: String) -> Self {
        Self { delivered: Delivered::Misfit(Box::new(Misfit { version })), wrote: None }
    }

    /// As the watch delivered it last; `None`: it does not fit its type.
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

    /// The newest that is known; `None`: it does not fit its type.
    pub(super) fn newest(&self) -> Option<&Arc<Object>> {
        let seen = self.seen()?;
        Some(self.wrote.as_ref().unwrap_or(seen))
    }

    /// A restored store shows in two ways: it gives the same version to another change, or a list holds an older version than the watch
    /// delivered or a write returned before the list began.
    pub(super) fn sight(&self, meta: &ObjectMeta, delivered: &str, source: Source<'_>) -> Sight {
        let seen = self.seen().map(|seen| seen.meta());
        if seen.is_some_and(|seen| seen.uid != meta.uid) {
            return Sight::Change;
        }
        let is_same = self.version() == delivered;
        if is_same && seen.is_some_and(|seen| seen != meta) || self.is_older(delivered, source) {
            return Sight::Restored;
        }
        if is_same { Sight::Same } else { Sight::Change }
    }

    /// Whether a list holds an older version than is known.
    fn is_older(&self, listed: &str, source: Source<'_>) -> bool {
        let Source::List { wrote: written, .. } = source else { return false };
        let is_past = |known: &str| is_newer(known, listed);
        let is_still = |written: &&str| self.wrote.as_deref().is_some_and(|wrote| wrote.resource_version() == *written);
        is_past(self.version()) || written.filter(is_still).is_some_and(is_past)
    }
}

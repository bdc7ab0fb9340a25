//! What shows that the store was set back: a list that holds less than is known already.

use std::collections::{HashMap, HashSet};

use kube::api::ObjectMeta;

use super::{Change, Held, version};
use crate::queue::Key;
use crate::version::is_newer;

/// A list on its way.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) seen: HashSet<Key>,
    pub(super) changes: Vec<Change>,
    /// The versions of our writes that had returned when it began.
    pub(super) wrote: HashMap<Key, String>,
    pub(super) newest: Newest,
}

/// Where an object comes from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Watch,
    List {
        /// The version of a write of ours that had returned when the list began, and that the watch has not delivered.
        wrote: Option<&'a str>,
        /// What the watch had delivered before.
        newest: &'a Newest,
    },
}

/// The newest version that a list or a watch delivered, of any object.
#[derive(Debug, Default)]
pub(super) struct Newest(String);

impl Newest {
    #[cfg(test)]
    pub(super) const NOTHING: Self = Self(String::new());

    pub(super) fn raise(&mut self, version: &str) {
        if is_newer(version, &self.0) {
            version.clone_into(&mut self.0);
        }
    }

    /// Whether an object of this version must have been delivered already.
    fn covers(&self, version: &str) -> bool {
        !self.0.is_empty() && !is_newer(version, &self.0)
    }
}

impl Source<'_> {
    /// Whether a list holds an object that nobody knows any more: it was deleted, and came back with the store.
    pub(super) fn brings_back(self, version: &str) -> bool {
        matches!(self, Source::List { newest, .. } if newest.covers(version))
    }
}

impl<K: crate::Primary> Held<K> {
    fn is_of(&self, meta: &ObjectMeta) -> bool {
        self.seen.as_deref().is_none_or(|seen| seen.meta().uid == meta.uid)
    }

    /// Whether this is what the watch delivered last. A store that was set back gives the same version once more, to another change.
    pub(super) fn is(&self, meta: &ObjectMeta, version: &str) -> bool {
        self.version == version && self.seen.as_deref().is_none_or(|seen| seen.meta() == meta)
    }

    /// Whether the store was set back: it holds another object of the same version, or a list holds an older version than the watch
    /// delivered or a write returned before the list began.
    pub(super) fn is_of_another_past(&self, meta: &ObjectMeta, listed: &str, source: Source<'_>) -> bool {
        if self.version == listed && self.is_of(meta) && !self.is(meta, listed) {
            return true;
        }
        let Source::List { wrote: written, .. } = source else { return false };
        let is_past = |known: &str| known != listed && is_newer(known, listed);
        let is_still = |written: &&str| self.wrote.as_deref().is_some_and(|wrote| version(wrote) == *written);
        self.is_of(meta) && (is_past(&self.version) || written.filter(is_still).is_some_and(is_past))
    }
}

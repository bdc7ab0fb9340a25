//! What shows that the store was set back: a list that holds less than is known already.

use std::collections::{HashMap, HashSet};

use kube::api::ObjectMeta;

use super::{Change, Held, version};
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::resource_version::is_newer;

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
    /// How an object appears that the cache does not hold. A list that holds an older one was restored with an object that had been deleted.
    pub(super) fn sight_of_unknown(self, version: &str) -> Sight {
        match self {
            Source::List { newest, .. } if newest.covers(version) => Sight::Past,
            _ => Sight::Change,
        }
    }
}

/// What a delivered object is, compared with what the cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// The version that the cache holds.
    Same,
    /// Another version, or another object.
    Change,
    /// An object of a store that was restored.
    Past,
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
        let is_still = |written: &&str| self.wrote.as_deref().is_some_and(|wrote| version(wrote) == *written);
        is_past(&self.version) || written.filter(is_still).is_some_and(is_past)
    }
}

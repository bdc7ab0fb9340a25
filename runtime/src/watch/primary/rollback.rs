//! Detection of a restored store: a list contains an older state than the known one.

use crate::resource_version::is_newer;

/// The source of an object.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Watch,
    List {
        /// The version that our last write returned before the list began, if the watch has not delivered it.
        wrote: Option<&'a str>,
        /// The newest version that was delivered before the list.
        newest: &'a Newest,
    },
}

/// The newest version of any object that a list or a watch delivered.
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

    /// Whether an object of this version should have been delivered already.
    fn covers(&self, version: &str) -> bool {
        !self.0.is_empty() && !is_newer(version, &self.0)
    }
}

impl Source<'_> {
    /// Classifies an object that is not in the cache. If a list contains such an object with an old version, a restore brought back a
    /// deleted object.
    pub(super) fn compare_unknown(self, version: &str) -> Comparison {
        match self {
            Source::List { newest, .. } if newest.covers(version) => Comparison::Restored,
            _ => Comparison::Change,
        }
    }
}

/// Comparison of a delivered object with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// The cached version.
    Same,
    /// Another version, or another object.
    Change,
    /// An object from a restored store.
    Restored,
}

//! What shows that the store was set back: a list that holds less than is known already.

use crate::resource_version::is_newer;

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
            Source::List { newest, .. } if newest.covers(version) => Sight::Restored,
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
    Restored,
}

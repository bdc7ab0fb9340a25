//! The owned and watched objects that a pass depends on, as it read them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::Target;

/// What a pass depends on: one number for all owned objects, uid and version for each watched one, and the hash of the settings.
#[derive(Clone, Debug, Default)]
pub(in crate::pass) struct Tracked {
    pub(in crate::pass) owned: u64,
    pub(in crate::pass) watched: BTreeMap<String, String>,
    /// The settings that were in force before the steps ran; empty unless a step reads them.
    pub(in crate::pass) settings: Arc<str>,
}

impl Tracked {
    /// Adds the change of the owned number that our own write caused.
    pub(in crate::pass) fn moved(&mut self, by: u64) {
        self.owned = self.owned.wrapping_add(by);
    }

    /// Records the version that a pass reads first. A later version triggers another reconcile.
    pub(in crate::pass) fn read(&mut self, target: &Target, version: Option<String>) {
        self.watched.entry(target.to_string()).or_insert_with(|| watched_version(version));
    }
}

/// The digest entry of a watched object with this version; `None`: it does not exist.
pub(in crate::pass) fn watched_version(version: Option<String>) -> String {
    version.unwrap_or_else(|| "absent".into())
}

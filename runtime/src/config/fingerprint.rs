//! The hash of the settings that are in force, on which the digest of an object depends.

use std::sync::Arc;

use tokio::sync::watch;

/// The hash of the settings in force; empty without settings. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Fingerprint(watch::Sender<Arc<str>>);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(watch::Sender::new("".into()))
    }
}

impl Fingerprint {
    pub(crate) fn current(&self) -> Arc<str> {
        self.0.borrow().clone()
    }

    /// Sets the hash. The settings themselves must be set before: a pass that reads the new hash must not read the old settings.
    #[cfg_attr(not(feature = "config"), expect(dead_code, reason = "without a file there are no settings"))]
    pub(crate) fn set(&self, hash: String) {
        self.0.send_if_modified(|current| {
            let changes = **current != *hash;
            *current = hash.into();
            changes
        });
    }

    /// Its changes from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<Arc<str>> {
        self.0.subscribe()
    }
}

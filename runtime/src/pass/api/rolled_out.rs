//! What has changed in the sets of a component since they were last as wanted, for one event about a roll-out, which may take several passes.

use crate::lock::Mutex;

/// The numbers of dependents that were created, updated and deleted.
pub(in crate::pass) type Changes = [usize; 3];

/// The changes so far.
#[derive(Debug, Default)]
pub(in crate::pass) struct RolledOut(Mutex<Changes>);

impl RolledOut {
    /// Counts further changes in addition to those of earlier passes.
    pub(in crate::pass) fn after(earlier: Changes) -> Self {
        Self(Mutex::new(earlier))
    }

    pub(in crate::pass) fn created(&self) {
        self.add(0);
    }

    pub(in crate::pass) fn updated(&self) {
        self.add(1);
    }

    pub(in crate::pass) fn deleted(&self) {
        self.add(2);
    }

    fn add(&self, at: usize) {
        self.0.lock()[at] += 1;
    }

    /// Returns the changes and begins anew.
    pub(in crate::pass) fn take(&self) -> Changes {
        std::mem::take(&mut *self.0.lock())
    }
}

//! A write of an owned object that is under way: what the watch delivers of it meanwhile is held back.

use std::sync::Arc;

use kube::api::DynamicObject;

use super::object_version::Seen;
use super::owned::Children;
use crate::api::Target;
use crate::queue::Key;

/// Called with the owners that events concern.
type Wake = Box<dyn Fn(&[Key]) + Send + Sync>;

/// Until it is dropped the events of the object are held back.
#[must_use = "events are held back until the guard is dropped"]
pub(crate) struct WriteGuard {
    children: Children,
    target: Target,
    /// What the object added to the sum of its owner's children before.
    before: u64,
    /// Called with the owners that the held events concern.
    wake: Wake,
}

impl WriteGuard {
    pub(super) fn begin(
        children: Children,
        target: &Target,
        owner_uid: &str,
        wake: impl Fn(&[Key]) + Send + Sync + 'static,
    ) -> Self {
        let before = children.begin(target, owner_uid);
        Self { children, target: target.clone(), before, wake: Box::new(wake) }
    }

    /// Takes note of the version that the write for this owner returned, and returns by how much the sum of the owner's children moves.
    pub(crate) fn wrote(&self, seen: &Seen, object: &Arc<DynamicObject>, owner: &Key) -> u64 {
        self.children.wrote(seen, object, owner).wrapping_sub(self.before)
    }

    /// The write deleted the object; returns the same.
    pub(crate) fn deleted(&self) -> u64 {
        self.children.deleted(&self.target);
        0_u64.wrapping_sub(self.before)
    }
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        let owners = self.children.end(&self.target);
        if !owners.is_empty() {
            (self.wake)(&owners);
        }
    }
}

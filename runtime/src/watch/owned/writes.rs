//! Our own writes of one child, and the events that the watch delivers in the meantime.

use crate::queue::Key;
use crate::resource_version::is_newer;

/// Our own writes of one child.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Number of live write guards.
    pub(super) under_way: usize,
    /// Versions returned by writes that the watch has not delivered yet.
    pub(super) ours: Vec<Box<str>>,
    /// Versions delivered during a write, and the owner that each would enqueue.
    pub(super) held: Vec<(Box<str>, Key)>,
    /// The uids of objects deleted during a write. A response that contains one of them is outdated.
    pub(super) gone: Vec<Box<str>>,
}

impl Writes {
    /// Whether the version is from one of our writes. Drops it and all older versions.
    pub(super) fn delivered(&mut self, version: &str) -> bool {
        let ours = self.ours.iter().any(|ours| ours.as_ref() == version);
        self.ours.retain(|ours| is_newer(ours, version));
        ours
    }

    pub(super) fn is_over(&self) -> bool {
        self.under_way == 0 && self.ours.is_empty() && self.held.is_empty()
    }
}

//! Our own writes of one child, and what the watch delivers meanwhile.

use crate::queue::Key;
use crate::resource_version::is_newer;

/// Our own writes of one child.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Guards that are out.
    pub(super) under_way: usize,
    /// Versions that writes returned and the watch has not delivered.
    pub(super) ours: Vec<Box<str>>,
    /// Versions that came meanwhile, and whom they would wake.
    pub(super) held: Vec<(Box<str>, Key)>,
    /// The uids of what went meanwhile: an answer that still tells of one is late.
    pub(super) gone: Vec<Box<str>>,
}

impl Writes {
    /// Whether the version is one of ours; it and what is older need not be remembered any longer.
    pub(super) fn delivered(&mut self, version: &str) -> bool {
        let ours = self.ours.iter().any(|ours| ours.as_ref() == version);
        self.ours.retain(|ours| is_newer(ours, version));
        ours
    }

    pub(super) fn is_over(&self) -> bool {
        self.under_way == 0 && self.ours.is_empty() && self.held.is_empty()
    }
}

//! The recent past of one resource: a bounded list of changes in version order.

use std::collections::VecDeque;
use std::collections::vec_deque::Iter;
use std::sync::Arc;

use serde_json::Value;

use super::Key;

/// One committed change.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) version: u64,
    pub(crate) key: Key,
    pub(crate) old: Option<Arc<Value>>,
    pub(crate) new: Option<Arc<Value>>,
    /// The last state of a deleted object, at the version of its deletion.
    pub(crate) gone: Option<Arc<Value>>,
}

/// The history no longer holds every change after the asked version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// The oldest version that can still be asked for.
    pub(crate) oldest: u64,
}

/// A bounded list of changes.
#[derive(Debug)]
pub(crate) struct History {
    changes: VecDeque<Arc<Change>>,
    limit: usize,
    /// Watches may start at this version or later.
    floor: u64,
    /// The newest change that was forgotten.
    dropped: u64,
    /// The version of the last compaction.
    compacted: u64,
}

impl History {
    pub(crate) fn bounded(limit: usize) -> Self {
        History { changes: VecDeque::new(), limit, floor: 0, dropped: 0, compacted: 0 }
    }

    /// A history that knows nothing before `version`.
    pub(crate) fn starting(version: u64, limit: usize) -> Self {
        History { floor: version, ..Self::bounded(limit) }
    }

    pub(crate) fn push(&mut self, change: Arc<Change>) {
        self.changes.push_back(change);
        while self.changes.len() > self.limit {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(change) = self.changes.pop_front() {
            self.dropped = change.version;
            self.floor = self.floor.max(change.version);
        }
    }

    /// Forgets all changes; only `version` and later can be asked for.
    pub(crate) fn forget(&mut self, version: u64) {
        while !self.changes.is_empty() {
            self.drop_oldest();
        }
        self.floor = version;
        self.compacted = version;
    }

    pub(crate) fn reaches(&self, version: u64) -> Result<(), Behind> {
        if version < self.floor { Err(Behind { oldest: self.floor }) } else { Ok(()) }
    }

    /// The changes after a version that a list may go back to: further than watches start, but not past compaction.
    pub(crate) fn after(&self, version: u64) -> Result<Iter<'_, Arc<Change>>, Behind> {
        if version < self.compacted { Err(Behind { oldest: self.compacted }) } else { self.since(version) }
    }

    /// The changes after the version a running watch has seen: only a change it missed expires it.
    pub(crate) fn since(&self, version: u64) -> Result<Iter<'_, Arc<Change>>, Behind> {
        if version < self.dropped { Err(Behind { oldest: self.floor }) } else { Ok(self.tail(version)) }
    }

    fn tail(&self, version: u64) -> Iter<'_, Arc<Change>> {
        let from = self.changes.partition_point(|change| change.version <= version);
        self.changes.range(from..)
    }
}

//! The history of one resource: a bounded list of changes in version order, and an index of the watched scopes.

use std::collections::vec_deque::Iter;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use super::change::{Change, Key};
use super::scope::{Line, Scope};

/// The history no longer contains all changes after the requested version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// The oldest version that can still be requested.
    pub(crate) oldest: u64,
}

/// A bounded list of changes.
#[derive(Debug)]
pub(crate) struct History {
    all: Line,
    /// The changes of each watched scope, so that the cost of a change depends only on the watches of its scopes.
    lines: HashMap<Scope, Line>,
    /// At this number of lines, those without a watch are removed.
    crowded: usize,
    limit: usize,
    /// Watches may start at this version or later.
    floor: u64,
    /// The version of the last compaction.
    compacted: u64,
}

/// The number of lines below which none is removed.
const FEW: usize = 16;

impl History {
    pub(crate) fn bounded(limit: usize) -> Self {
        let all = Line::new(VecDeque::new(), 0);
        History { all, lines: HashMap::new(), crowded: FEW, limit, floor: 0, compacted: 0 }
    }

    /// Creates a history that starts at `version`.
    pub(crate) fn starting(version: u64, limit: usize) -> Self {
        History { floor: version, ..Self::bounded(limit) }
    }

    pub(crate) fn push(&mut self, change: &Arc<Change>) {
        self.all.push(change);
        self.each_followed(&change.key, |line| line.push(change));
        while self.all.changes.len() > self.limit {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(change) = self.all.drop_oldest() {
            self.floor = self.floor.max(change.version);
            // The oldest change of all is also the oldest one in each line that contains it.
            self.each_followed(&change.key, |line| drop(line.drop_oldest()));
        }
    }

    /// Visits the lines that contain a key, and removes those without a watch.
    fn each_followed(&mut self, key: &Key, mut visit: impl FnMut(&mut Line)) {
        if self.lines.is_empty() {
            return;
        }
        for scope in Scope::around(key) {
            match self.lines.get_mut(&scope) {
                Some(line) if line.is_followed() => visit(line),
                Some(_) => drop(self.lines.remove(&scope)),
                None => {}
            }
        }
    }

    /// Subscribes to the latest version in a scope.
    pub(crate) fn follow(&mut self, scope: &Scope) -> watch::Receiver<u64> {
        if scope.is_all() {
            return self.all.tip.subscribe();
        }
        self.clear_away();
        let all = &self.all;
        let fresh = || {
            let inside = all.changes.iter().filter(|change| scope.covers(&change.key));
            Line::new(inside.cloned().collect(), all.dropped)
        };
        self.lines.entry(scope.clone()).or_insert_with(fresh).tip.subscribe()
    }

    fn clear_away(&mut self) {
        if self.lines.len() >= self.crowded {
            self.lines.retain(|_, line| line.is_followed());
            self.crowded = FEW.max(2 * self.lines.len());
        }
    }

    /// Notifies all subscribers of a change other than that of an object.
    pub(crate) fn wake(&self) {
        for line in self.lines.values().chain([&self.all]) {
            line.tip.send_modify(|_| {});
        }
    }

    /// Discards all changes. Only `version` and later versions can be requested then.
    pub(crate) fn forget(&mut self, version: u64) {
        while !self.all.changes.is_empty() {
            self.drop_oldest();
        }
        self.floor = version;
        self.compacted = version;
    }

    pub(crate) fn reaches(&self, version: u64) -> Result<(), Behind> {
        if version < self.floor { Err(Behind { oldest: self.floor }) } else { Ok(()) }
    }

    /// Returns the changes after a version, for a list at that version.
    ///
    /// A list can go further back than a watch, but not beyond a compaction.
    pub(crate) fn after(&self, version: u64) -> Result<Iter<'_, Arc<Change>>, Behind> {
        if version < self.compacted { Err(Behind { oldest: self.compacted }) } else { self.since(&self.all, version) }
    }

    /// Returns the changes of a watched scope after a version.
    ///
    /// The version is expired only if a change of this scope was discarded after it.
    pub(crate) fn followed(&self, scope: &Scope, version: u64) -> Result<Vec<Arc<Change>>, Behind> {
        if let Some(line) = self.lines.get(scope) {
            return Ok(self.since(line, version)?.cloned().collect());
        }
        Ok(self.since(&self.all, version)?.filter(|change| scope.covers(&change.key)).cloned().collect())
    }

    fn since<'a>(&self, line: &'a Line, version: u64) -> Result<Iter<'a, Arc<Change>>, Behind> {
        if version < line.dropped { Err(Behind { oldest: self.floor }) } else { Ok(line.tail(version)) }
    }
}

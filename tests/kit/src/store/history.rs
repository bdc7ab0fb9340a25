//! The recent past of one resource: a bounded list of changes in version order, and an index of what is followed.

use std::collections::vec_deque::Iter;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;

use super::change::{Change, Key};
use super::scope::{Line, Scope};

/// The history no longer holds every change after the asked version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Behind {
    /// The oldest version that can still be asked for.
    pub(crate) oldest: u64,
}

/// A bounded list of changes.
#[derive(Debug)]
pub(crate) struct History {
    all: Line,
    /// The changes of each scope that somebody follows, so that a change costs only those who see it.
    lines: HashMap<Scope, Line>,
    /// At so many lines those that nobody follows any more are cleared away.
    crowded: usize,
    limit: usize,
    /// Watches may start at this version or later.
    floor: u64,
    /// The version of the last compaction.
    compacted: u64,
}

/// Fewer lines than this are never worth clearing.
const FEW: usize = 16;

impl History {
    pub(crate) fn bounded(limit: usize) -> Self {
        let all = Line::new(VecDeque::new(), 0);
        History { all, lines: HashMap::new(), crowded: FEW, limit, floor: 0, compacted: 0 }
    }

    /// A history that knows nothing before `version`.
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
            // What is oldest of all is oldest in each line that has it.
            self.each_followed(&change.key, |line| drop(line.drop_oldest()));
        }
    }

    /// Goes through the lines that a place is in, and gives up those that nobody follows.
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

    /// Follows the changes of a scope: the newest version of them.
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

    /// Wakes all who follow anything, because something other than an object has changed.
    pub(crate) fn wake(&self) {
        for line in self.lines.values().chain([&self.all]) {
            line.tip.send_modify(|_| {});
        }
    }

    /// Forgets all changes; only `version` and later can be asked for.
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

    /// The changes after a version that a list may go back to: further than watches start, but not past compaction.
    pub(crate) fn after(&self, version: u64) -> Result<Iter<'_, Arc<Change>>, Behind> {
        if version < self.compacted { Err(Behind { oldest: self.compacted }) } else { self.since(&self.all, version) }
    }

    /// The changes of a followed scope after the version its follower has seen: only a change he missed expires him.
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

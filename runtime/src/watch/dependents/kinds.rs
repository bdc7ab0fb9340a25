//! The kinds whose dependents are watched. A step with `dependents(any)` adds kinds while the operator runs.

use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use crate::lock::Mutex;
use crate::watch::first_list::First;
use crate::watch::watch_target::WatchTarget;
use crate::wiring::KindInfo;

/// The watched kinds. Each has a place, which never changes.
#[derive(Default)]
pub(super) struct Kinds(Mutex<Vec<WatchedKind>>);

/// A kind with the watches of its objects.
pub(super) struct WatchedKind {
    pub(super) kind: KindInfo,
    pub(super) lists: Vec<(WatchTarget, Arc<First>)>,
    /// The watches of a kind that was added later. Those of the others are run by the operator.
    pub(super) later: Option<AbortOnDropHandle<()>>,
}

impl Kinds {
    /// Adds a kind, unless it is there in this or another version. `watch` starts its watches for its place.
    pub(super) fn add(&self, kind: &KindInfo, watch: impl FnOnce(usize) -> WatchedKind) {
        let mut kinds = self.0.lock();
        if position(&kinds, &kind.resource.group, &kind.resource.kind).is_none() {
            let watched = watch(kinds.len());
            kinds.push(watched);
        }
    }

    /// All kinds, by their places.
    pub(super) fn all(&self) -> Vec<KindInfo> {
        self.0.lock().iter().map(|one| one.kind.clone()).collect()
    }

    /// The place of a kind.
    pub(super) fn place(&self, group: &str, kind: &str) -> Option<usize> {
        position(&self.0.lock(), group, kind)
    }

    /// The kind of this group and name.
    pub(super) fn get(&self, group: &str, kind: &str) -> Option<KindInfo> {
        let kinds = self.0.lock();
        position(&kinds, group, kind).map(|at| kinds[at].kind.clone())
    }

    /// The watches of the declared kinds with their first lists.
    pub(super) fn declared_lists(&self) -> Vec<(WatchTarget, Arc<First>)> {
        let kinds = self.0.lock();
        kinds.iter().filter(|one| one.later.is_none()).flat_map(|one| one.lists.iter().cloned()).collect()
    }

    /// The watches of one kind with their first lists.
    pub(super) fn lists_of(&self, kind: &KindInfo) -> Vec<(WatchTarget, Arc<First>)> {
        let kinds = self.0.lock();
        let at = position(&kinds, &kind.resource.group, &kind.resource.kind);
        at.map(|at| kinds[at].lists.clone()).unwrap_or_default()
    }
}

fn position(kinds: &[WatchedKind], group: &str, kind: &str) -> Option<usize> {
    kinds.iter().position(|one| one.kind.resource.kind == kind && one.kind.resource.group == group)
}

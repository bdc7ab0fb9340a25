//! The scope of a watch, and the changes in one scope.

use std::collections::VecDeque;
use std::collections::vec_deque::Iter;
use std::sync::Arc;

use tokio::sync::watch;

use super::change::{Change, Key};

/// A scope of a resource: its objects in one namespace, with one name, or both. Without either, it is the whole resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
}

impl Scope {
    pub(super) fn covers(&self, (namespace, name): &Key) -> bool {
        self.namespace.as_ref().is_none_or(|own| own == namespace) && self.name.as_ref().is_none_or(|own| own == name)
    }

    /// Returns the scopes that contain a key, except for the scope of the whole resource.
    pub(super) fn around((namespace, name): &Key) -> [Scope; 3] {
        let (namespace, name) = (Some(namespace.clone()), Some(name.clone()));
        [
            Scope { namespace: namespace.clone(), name: None },
            Scope { namespace: None, name: name.clone() },
            Scope { namespace, name },
        ]
    }

    pub(super) fn is_all(&self) -> bool {
        self.namespace.is_none() && self.name.is_none()
    }
}

/// The retained changes of one scope in version order, and the subscribers of further changes.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) changes: VecDeque<Arc<Change>>,
    /// The version of the latest discarded change.
    pub(super) dropped: u64,
    pub(super) tip: watch::Sender<u64>,
}

impl Line {
    pub(super) fn new(changes: VecDeque<Arc<Change>>, dropped: u64) -> Self {
        Line { changes, dropped, tip: watch::Sender::new(0) }
    }

    pub(super) fn push(&mut self, change: &Arc<Change>) {
        self.changes.push_back(Arc::clone(change));
        self.tip.send_replace(change.version);
    }

    pub(super) fn drop_oldest(&mut self) -> Option<Arc<Change>> {
        let change = self.changes.pop_front()?;
        self.dropped = change.version;
        Some(change)
    }

    pub(super) fn is_followed(&self) -> bool {
        self.tip.receiver_count() > 0
    }

    pub(super) fn tail(&self, version: u64) -> Iter<'_, Arc<Change>> {
        let from = self.changes.partition_point(|change| change.version <= version);
        self.changes.range(from..)
    }
}

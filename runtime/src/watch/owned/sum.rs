//! One number for all children of an owner: it moves with each change of a child that counts.

use std::collections::BTreeSet;

use super::{Child, Id, Records};
use crate::trigger::number;

/// Which change of a child counts for its owner's digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::watch) enum Counts {
    /// A new generation: its spec is another one. Where the kind has none, any change.
    Generation,
    /// Any change: a step reads the kind.
    Version,
}

/// The children of one owner, and the sum of their numbers, so that a change of one is found without a look at the others.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    pub(super) ids: BTreeSet<Id>,
    pub(super) sum: u64,
}

impl Records {
    /// What a child adds to the sum of its owner: nothing, if we deleted it.
    pub(super) fn number(&self, id: &Id, child: &Child) -> u64 {
        if self.is_alive(id, child) { self.hash(id, child) } else { 0 }
    }

    pub(super) fn hash(&self, id: &Id, child: &Child) -> u64 {
        let version = match self.counts.get(id.0) {
            Some(Counts::Version) => &child.resource_version,
            _ => child.version(),
        };
        let namespace = id.1.namespace.as_deref().unwrap_or_default();
        // Children of two kinds may have the same name, but not the same uid.
        number(&[namespace, &id.1.name, &child.uid, version])
    }

    /// Takes a known child out of the sum of its owner.
    pub(super) fn subtract(&mut self, id: &Id) {
        let Some(child) = self.children.get(id) else { return };
        let number = self.number(id, child);
        if let Some(siblings) = self.by_owner.get_mut(&child.owner_uid) {
            siblings.sum = siblings.sum.wrapping_sub(number);
        }
    }
}

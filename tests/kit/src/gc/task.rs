//! What the controllers are to look at: an object, or a place that is ending.

use crate::crd_write;
use crate::registry::Storage;
use crate::store::{Fed, Key};

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Whether the object of this uid still has an owner.
    Dependent(String),
    /// Whether the object of this uid, whose deletion waits for dependents, may go on.
    Owner(String),
    /// All that is in this place is to be deleted.
    Clear(Place),
    /// Whether this place, which is ending, can be removed.
    Close(Place),
    /// An object that came into a place that is ending.
    Delete(Node),
    /// Whether the aggregated roles have the rules of those they select.
    Roles,
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) storage: Storage,
    pub(super) key: Key,
}

impl Node {
    pub(super) fn of(fed: &Fed) -> Self {
        Node { storage: fed.storage.clone(), key: fed.change.key.clone() }
    }
}

/// What ends when nothing is left in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Namespace(String),
    Definition(String),
}

impl Place {
    /// The place that an object is.
    pub(super) fn itself(node: &Node) -> Option<Place> {
        let name = || node.key.1.clone();
        if node.storage == Storage::new("", "namespaces") {
            return Some(Place::Namespace(name()));
        }
        (node.storage == crd_write::storage()).then(|| Place::Definition(name()))
    }

    /// The places that an object is in.
    pub(super) fn around(node: &Node) -> [Place; 2] {
        let definition = format!("{}.{}", node.storage.plural, node.storage.group);
        [Place::Namespace(node.key.0.clone()), Place::Definition(definition)]
    }
}

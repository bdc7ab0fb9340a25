//! The tasks of the controllers.

use crate::crd_write;
use crate::registry::Storage;
use crate::store::{Fed, Key};

/// A task of the controllers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Check whether the object with this uid still has an owner.
    Dependent(String),
    /// Check whether the deletion of the object with this uid can continue.
    Owner(String),
    /// Delete all objects in this place.
    Clear(Place),
    /// Check whether this terminating place is empty and can be removed.
    Close(Place),
    /// Delete an object that was created in a terminating place.
    Delete(Node),
    /// Update the rules of aggregated roles.
    Roles,
}

/// The location of an object in the store.
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

/// A namespace or a CRD, which contains objects and is removed after them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Namespace(String),
    Definition(String),
}

impl Place {
    /// Returns the object as a place, if it is a namespace or a CRD.
    pub(super) fn itself(node: &Node) -> Option<Place> {
        let name = || node.key.1.clone();
        if node.storage == Storage::new("", "namespaces") {
            return Some(Place::Namespace(name()));
        }
        (node.storage == crd_write::storage()).then(|| Place::Definition(name()))
    }

    /// Returns the places that contain an object.
    pub(super) fn around(node: &Node) -> [Place; 2] {
        let definition = format!("{}.{}", node.storage.plural, node.storage.group);
        [Place::Namespace(node.key.0.clone()), Place::Definition(definition)]
    }
}

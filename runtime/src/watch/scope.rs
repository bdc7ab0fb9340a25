//! What an operator watches of a kind: the namespaces, and how much of each object.

use std::sync::Arc;

use super::stream::Place;
use crate::wiring::KindInfo;

/// The extent of the watches of an operator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// None: all.
    pub(crate) namespaces: Arc<[Arc<str>]>,
    /// Whether objects keep what is skipped otherwise (`managedFields`).
    pub(crate) whole: bool,
}

impl Scope {
    /// The extent for what belongs to a kind: an object without a namespace may have its relations in any.
    pub(super) fn around(self, owner: &KindInfo) -> Self {
        if owner.namespaced { self } else { Self { namespaces: Arc::default(), ..self } }
    }

    /// Where the kind is watched.
    pub(crate) fn places(&self, kind: &KindInfo) -> Vec<Place> {
        if self.namespaces.is_empty() || !kind.namespaced {
            return vec![self.place(kind, None)];
        }
        self.namespaces.iter().map(|namespace| self.place(kind, Some(namespace.clone()))).collect()
    }

    /// One place of the kind; without a namespace all of it.
    pub(super) fn place(&self, kind: &KindInfo, namespace: Option<Arc<str>>) -> Place {
        Place { resource: kind.resource.clone(), namespace, labels: None, name: None, whole: self.whole }
    }

    /// Whether objects of the namespace are watched; those without one always are.
    pub(super) fn covers(&self, namespace: Option<&str>) -> bool {
        let watched = &self.namespaces;
        watched.is_empty() || namespace.is_none_or(|namespace| watched.iter().any(|one| **one == *namespace))
    }
}

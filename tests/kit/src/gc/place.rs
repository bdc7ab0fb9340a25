//! Namespaces and definitions on their way out, and what a change means to them.

use std::collections::HashSet;

use serde_json::Value;

use super::Task;
use super::graph::Node;
use crate::crd_write;
use crate::registry::Storage;
use crate::store::Fed;
use crate::strategy::is_deleting;

/// What ends when nothing is left in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Namespace(String),
    Definition(String),
}

/// The places that are ending.
#[derive(Debug, Default)]
pub(super) struct Ending(HashSet<Place>);

impl Place {
    /// The place that an object is.
    fn itself(node: &Node) -> Option<Place> {
        let name = || node.key.1.clone();
        if node.storage == Storage::new("", "namespaces") {
            return Some(Place::Namespace(name()));
        }
        (node.storage == crd_write::storage()).then(|| Place::Definition(name()))
    }

    /// The places that an object is in.
    fn around(node: &Node) -> [Place; 2] {
        let definition = format!("{}.{}", node.storage.plural, node.storage.group);
        [Place::Namespace(node.key.0.clone()), Place::Definition(definition)]
    }
}

impl Ending {
    /// Takes a change in. A place is cleared once, when its end begins; after that each object is looked at by itself.
    pub(super) fn absorb(&mut self, fed: &Fed) -> Vec<Task> {
        let node = Node::of(fed);
        let new = fed.change.new.as_deref();
        match Place::itself(&node) {
            Some(place) if !new.is_some_and(is_deleting) => {
                self.0.remove(&place);
                Vec::new()
            }
            Some(place) if self.0.insert(place.clone()) => vec![Task::Clear(place)],
            Some(place) => vec![Task::Close(place)],
            None if self.0.is_empty() => Vec::new(),
            None => self.inside(&node, new),
        }
    }

    fn inside(&self, node: &Node, new: Option<&Value>) -> Vec<Task> {
        let places = Place::around(node).into_iter().filter(|place| self.0.contains(place));
        match new {
            None => places.map(Task::Close).collect(),
            Some(object) if is_deleting(object) => Vec::new(),
            // It was on its way in when the end began.
            Some(_) => places.take(1).map(|_| Task::Delete(node.clone())).collect(),
        }
    }
}

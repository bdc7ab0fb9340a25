//! Terminating namespaces and CRDs, and the tasks that a change causes for them.

use std::collections::HashSet;

use serde_json::Value;

use super::task::{Node, Place, Task};
use crate::store::Fed;
use crate::strategy::is_deleting;

/// The terminating namespaces and CRDs.
#[derive(Debug, Default)]
pub(super) struct Ending(HashSet<Place>);

impl Ending {
    /// Processes a change.
    ///
    /// The content of a place is deleted once, when its deletion begins. Objects created later are deleted individually.
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
            // The object was created after the deletion of its place began.
            Some(_) => places.take(1).map(|_| Task::Delete(node.clone())).collect(),
        }
    }
}

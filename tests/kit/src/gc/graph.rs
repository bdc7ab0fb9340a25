//! The graph of owner references, updated from the feed of changes.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::ending::Ending;
use super::task::{Node, Task};
use crate::store::Fed;
use crate::strategy::{finalizers, is_deleting, meta};

/// The objects by uid, their dependents, and the terminating namespaces and CRDs.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: HashMap<String, Node>,
    dependents: Edges,
    /// The dependents with `blockOwnerDeletion`.
    blockers: Edges,
    ending: Ending,
}

/// Dependents by owner, both as uids.
#[derive(Debug, Default)]
struct Edges(HashMap<String, BTreeSet<String>>);

impl Edges {
    fn of(&self, owner: &str) -> impl Iterator<Item = &String> {
        self.0.get(owner).into_iter().flatten()
    }

    fn add(&mut self, owner: &str, dependent: &str) {
        self.0.entry(owner.to_owned()).or_default().insert(dependent.to_owned());
    }

    fn remove(&mut self, owner: &str, dependent: &str) {
        if let Some(dependents) = self.0.get_mut(owner) {
            dependents.remove(dependent);
            if dependents.is_empty() {
                self.0.remove(owner);
            }
        }
    }
}

impl Graph {
    pub(super) fn node(&self, uid: &str) -> Option<&Node> {
        self.nodes.get(uid)
    }

    pub(super) fn dependents(&self, uid: &str) -> impl Iterator<Item = &String> {
        self.dependents.of(uid)
    }

    /// Returns whether a dependent blocks the deletion of this owner.
    pub(super) fn is_blocked(&self, uid: &str) -> bool {
        self.blockers.of(uid).next().is_some()
    }

    /// Processes a change, and returns the tasks that it causes.
    pub(super) fn absorb(&mut self, fed: &Fed) -> Vec<Task> {
        let change = &fed.change;
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        let mut tasks = self.ending.absorb(fed);
        if fed.storage.plural.as_ref() == "clusterroles" {
            tasks.push(Task::Roles);
        }
        if let Some(old) = old {
            tasks.extend(self.leave(old));
            if new.is_none() {
                let uid = meta(old, "uid");
                self.nodes.remove(uid);
                tasks.extend(self.dependents(uid).cloned().map(Task::Dependent));
            }
        }
        if let Some(new) = new {
            tasks.extend(self.enter(fed, old, new));
        }
        tasks
    }

    fn leave(&mut self, object: &Value) -> Vec<Task> {
        let (uid, owners) = (meta(object, "uid"), owners(object));
        for owner in &owners {
            self.dependents.remove(owner, uid);
            self.blockers.remove(owner, uid);
        }
        owners.into_iter().map(Task::Owner).collect()
    }

    fn enter(&mut self, fed: &Fed, old: Option<&Value>, object: &Value) -> Vec<Task> {
        let (uid, owners) = (meta(object, "uid").to_owned(), owners(object));
        self.nodes.insert(uid.clone(), Node::of(fed));
        for owner in &owners {
            self.dependents.add(owner, &uid);
        }
        for owner in blocked(object) {
            self.blockers.add(owner, &uid);
        }
        let mut tasks = Vec::new();
        if let Some(wait) = awaited(object) {
            // Of their owner, dependents read only the garbage collector's finalizer.
            if old.and_then(awaited) != Some(wait) {
                tasks.extend(self.dependents(&uid).cloned().map(Task::Dependent));
            }
            tasks.push(Task::Owner(uid.clone()));
        }
        if !owners.is_empty() {
            tasks.push(Task::Dependent(uid));
        }
        tasks
    }
}

/// Returns the uids of an object's owners.
pub(super) fn owners(object: &Value) -> Vec<String> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.filter_map(|owner| owner["uid"].as_str()).map(str::to_owned).collect()
}

/// Returns the owners whose deletion an object blocks.
fn blocked(object: &Value) -> impl Iterator<Item = &str> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.filter(|owner| owner["blockOwnerDeletion"] == true).filter_map(|owner| owner["uid"].as_str())
}

/// Returns the garbage collector's finalizer on an object that is being deleted.
fn awaited(object: &Value) -> Option<&str> {
    let mut finalizers = finalizers(object).into_iter();
    finalizers.find(|finalizer| matches!(*finalizer, "orphan" | "foregroundDeletion")).filter(|_| is_deleting(object))
}

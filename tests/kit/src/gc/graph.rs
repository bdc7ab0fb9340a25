//! Who owns whom, kept up from the feed of changes.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::Task;
use crate::registry::Storage;
use crate::store::{Fed, Key};
use crate::strategy::{finalizers, is_deleting, meta};

/// The objects by uid, and their dependents.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: HashMap<String, Node>,
    dependents: HashMap<String, BTreeSet<String>>,
    terminating: HashSet<String>,
}

/// Where an object is.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) storage: Storage,
    pub(super) key: Key,
}

impl Graph {
    pub(super) fn node(&self, uid: &str) -> Option<&Node> {
        self.nodes.get(uid)
    }

    pub(super) fn dependents(&self, uid: &str) -> impl Iterator<Item = &String> {
        self.dependents.get(uid).into_iter().flatten()
    }

    /// Takes a change in, and says what is to be looked at because of it.
    pub(super) fn absorb(&mut self, fed: &Fed) -> Vec<Task> {
        let change = &fed.change;
        let (old, new) = (change.old.as_deref(), change.new.as_deref());
        let mut tasks = self.places(fed, new);
        if fed.storage.plural.as_ref() == "clusterroles" {
            tasks.push(Task::Roles);
        }
        if let Some(old) = old {
            let (uid, owners) = (meta(old, "uid"), owners(old));
            for owner in &owners {
                self.forget(owner, uid);
            }
            tasks.extend(owners.into_iter().map(Task::Owner));
            if new.is_none() {
                self.nodes.remove(uid);
                tasks.extend(self.dependents(uid).cloned().map(Task::Dependent));
            }
        }
        if let Some(new) = new {
            tasks.extend(self.enter(fed, new));
        }
        tasks
    }

    fn forget(&mut self, owner: &str, dependent: &str) {
        if let Some(dependents) = self.dependents.get_mut(owner) {
            dependents.remove(dependent);
            if dependents.is_empty() {
                self.dependents.remove(owner);
            }
        }
    }

    fn enter(&mut self, fed: &Fed, object: &Value) -> Vec<Task> {
        let (uid, owners) = (meta(object, "uid").to_owned(), owners(object));
        let node = Node { storage: fed.storage.clone(), key: fed.change.key.clone() };
        self.nodes.insert(uid.clone(), node);
        let mut tasks = Vec::new();
        for owner in &owners {
            self.dependents.entry(owner.clone()).or_default().insert(uid.clone());
        }
        if is_deleting(object) && waits_for_dependents(object) {
            tasks.extend(self.dependents(&uid).cloned().map(Task::Dependent));
            tasks.push(Task::Owner(uid.clone()));
        }
        if !owners.is_empty() {
            tasks.push(Task::Dependent(uid));
        }
        tasks
    }

    /// The namespace and the definition the change is about, when they are going.
    fn places(&mut self, fed: &Fed, new: Option<&Value>) -> Vec<Task> {
        let (plural, name) = (fed.storage.plural.as_ref(), fed.change.key.1.clone());
        let deleting = new.is_some_and(is_deleting);
        let custom = format!("{plural}.{}", fed.storage.group);
        let (place, own) = match (fed.storage.group.as_ref(), plural) {
            ("", "namespaces") => (format!("namespace {name}"), Some(Task::Namespace(name))),
            ("apiextensions.k8s.io", "customresourcedefinitions") => {
                (custom_place(&name), Some(Task::Definition(name)))
            }
            _ => (String::new(), None),
        };
        match own {
            Some(task) if deleting => {
                self.terminating.insert(place);
                vec![task]
            }
            Some(_) => {
                self.terminating.remove(&place);
                Vec::new()
            }
            None => {
                let namespace = fed.change.key.0.clone();
                let mut tasks = Vec::new();
                if self.terminating.contains(&format!("namespace {namespace}")) {
                    tasks.push(Task::Namespace(namespace));
                }
                if self.terminating.contains(&custom_place(&custom)) {
                    tasks.push(Task::Definition(custom));
                }
                tasks
            }
        }
    }
}

fn custom_place(definition: &str) -> String {
    format!("definition {definition}")
}

/// The uids of an object's owners.
pub(super) fn owners(object: &Value) -> Vec<String> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    owners.filter_map(|owner| owner["uid"].as_str()).map(str::to_owned).collect()
}

/// Whether a finalizer of the garbage collector holds the object.
fn waits_for_dependents(object: &Value) -> bool {
    finalizers(object).iter().any(|finalizer| matches!(*finalizer, "orphan" | "foregroundDeletion"))
}

//! The garbage collector: deletes dependents without an owner, and handles foreground deletion and orphaning.

use serde_json::Value;

use super::amend::{Refused, amend, delete_as, remove_finalizer};
use super::graph::{Graph, owners};
use crate::state::Server;
use crate::strategy::{finalizers, is_deleting, meta};
use crate::verbs::{Deletion, Propagation};

/// The state of an owner, as in the garbage collector of Kubernetes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The owner exists.
    Solid,
    /// The owner is being deleted in the foreground, and waits for its dependents.
    Waiting,
    /// The owner does not exist.
    Absent,
}

/// Deletes an object without a remaining owner, or else removes its dangling owner references.
pub(super) async fn dependent(server: &Server, graph: &Graph, uid: &str) -> Refused {
    let Some(node) = graph.node(uid) else { return Refused::default() };
    let Some(object) = server.store.get(&node.storage, &node.key) else { return Refused::default() };
    let owners = owners(&object);
    if meta(&object, "uid") != uid || owners.is_empty() {
        return Refused::default();
    }
    let standings: Vec<Standing> = owners.iter().map(|owner| standing(server, graph, &object, owner)).collect();
    let is_solid =
        |owner: &str| owners.iter().zip(&standings).any(|(uid, standing)| uid == owner && *standing == Standing::Solid);
    if standings.iter().all(|standing| *standing == Standing::Solid) {
        return Refused::default();
    }
    if standings.contains(&Standing::Solid) {
        amend(server, node, uid, |object| retain_owners(object, is_solid));
        return Refused::default();
    }
    if is_deleting(&object) && !standings.contains(&Standing::Waiting) {
        return Refused::default();
    }
    let has_dependents = graph.dependents(uid).next().is_some();
    let foreground = standings.contains(&Standing::Waiting) && has_dependents;
    let propagation = if foreground { Propagation::Foreground } else { Propagation::Unsaid };
    let deletion = Deletion { propagation, uid: Some(uid.to_owned()), ..Deletion::default() };
    match server.catalog().registry.by_storage(&node.storage) {
        Some(kind) => delete_as(server, &kind, &node.key, &deletion, "generic-garbage-collector").await,
        None => Refused::default(),
    }
}

/// Returns the state of an owner, which must be cluster-scoped or in the namespace of the dependent.
fn standing(server: &Server, graph: &Graph, dependent: &Value, owner: &str) -> Standing {
    let Some(node) = graph.node(owner) else { return Standing::Absent };
    if !node.key.0.is_empty() && node.key.0 != meta(dependent, "namespace") {
        return Standing::Absent;
    }
    match server.store.get(&node.storage, &node.key) {
        Some(object) if meta(&object, "uid") != owner => Standing::Absent,
        Some(object) if is_deleting(&object) && finalizers(&object).contains(&"foregroundDeletion") => {
            Standing::Waiting
        }
        Some(_) => Standing::Solid,
        None => Standing::Absent,
    }
}

/// Continues the deletion of an owner after its dependents are orphaned, or if no dependent blocks it any more.
pub(super) fn waiting(server: &Server, graph: &Graph, uid: &str) {
    let Some(node) = graph.node(uid) else { return };
    let Some(object) = server.store.get(&node.storage, &node.key) else { return };
    if !is_deleting(&object) || meta(&object, "uid") != uid {
        return;
    }
    let held = finalizers(&object);
    if held.contains(&"orphan") {
        for dependent in graph.dependents(uid) {
            if let Some(node) = graph.node(dependent) {
                amend(server, node, dependent, |object| retain_owners(object, |owner| owner != uid));
            }
        }
        remove_finalizer(server, node, uid, "orphan");
    } else if held.contains(&"foregroundDeletion") && !graph.is_blocked(uid) {
        remove_finalizer(server, node, uid, "foregroundDeletion");
    }
}

fn retain_owners(object: &mut Value, keep: impl Fn(&str) -> bool) {
    let Some(metadata) = object["metadata"].as_object_mut() else { return };
    let Some(Value::Array(owners)) = metadata.get_mut("ownerReferences") else { return };
    owners.retain(|owner| owner["uid"].as_str().is_some_and(&keep));
    if owners.is_empty() {
        metadata.remove("ownerReferences");
    }
}

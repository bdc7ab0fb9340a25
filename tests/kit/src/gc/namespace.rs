//! The namespace controller: deletes the content of a terminating namespace, then the namespace itself.

use std::sync::Arc;

use serde_json::Value;

use super::amend::{Refused, amend, delete};
use super::task::Node;
use crate::registry::Storage;
use crate::state::Server;
use crate::strategy::{is_deleting, meta};

/// The service account of the controller.
pub(super) const CONTROLLER: &str = "namespace-controller";

/// Deletes the content of a terminating namespace. Returns whether a webhook refuses a deletion.
pub(super) async fn clear(server: &Server, name: &str) -> Refused {
    let mut refused = Refused(false);
    if terminating(server, name).is_some() {
        for storage in inside(server, name) {
            for object in server.store.list(&storage, Some(name)).items {
                let node = Node { storage: storage.clone(), key: (name.to_owned(), meta(&object, "name").to_owned()) };
                refused.0 |= delete(server, &node, CONTROLLER).await.0;
            }
        }
    }
    close(server, name);
    refused
}

/// Removes a terminating namespace if it is empty.
pub(super) fn close(server: &Server, name: &str) {
    let Some((node, namespace)) = terminating(server, name) else { return };
    if inside(server, name).is_empty() {
        amend(server, &node, meta(&namespace, "uid"), |namespace| {
            namespace["spec"]["finalizers"] = Value::Null;
        });
    }
}

fn terminating(server: &Server, name: &str) -> Option<(Node, Arc<Value>)> {
    let node = Node { storage: Storage::new("", "namespaces"), key: (String::new(), name.to_owned()) };
    let namespace = server.store.get(&node.storage, &node.key).filter(|namespace| is_deleting(namespace))?;
    Some((node, namespace))
}

/// Returns the served resources that have objects in a namespace.
fn inside(server: &Server, name: &str) -> Vec<Storage> {
    let registry = &server.catalog().registry;
    let mut resources = server.store.resources_in(name);
    resources.retain(|storage| registry.by_storage(storage).is_some_and(|kind| kind.namespaced));
    resources
}

//! The end of a namespace: everything in it is deleted, then it goes.

use serde_json::Value;

use super::amend::amend;
use super::graph::Node;
use crate::registry::Storage;
use crate::server::Server;
use crate::strategy::{is_deleting, meta};
use crate::verbs::{Deletion, delete_stored};

/// Deletes what is in a terminating namespace, and the namespace when nothing is left.
pub(super) fn empty(server: &Server, name: &str) {
    let node = Node { storage: Storage::new("", "namespaces"), key: (String::new(), name.to_owned()) };
    let Some(namespace) = server.store.get(&node.storage, &node.key) else { return };
    if !is_deleting(&namespace) {
        return;
    }
    let left: usize = server.store.resources().iter().map(|storage| sweep(server, storage, name)).sum();
    if left == 0 {
        amend(server, &node, meta(&namespace, "uid"), |namespace| {
            namespace["spec"]["finalizers"] = Value::Null;
        });
    }
}

/// Deletes the objects of one resource; says how many are still there.
fn sweep(server: &Server, storage: &Storage, namespace: &str) -> usize {
    let Some(kind) = server.catalog().registry.by_storage(storage) else { return 0 };
    if !kind.namespaced {
        return 0;
    }
    for object in server.store.list(storage, Some(namespace)).items {
        if !is_deleting(&object) {
            let key = (namespace.to_owned(), meta(&object, "name").to_owned());
            // Gone meanwhile is as good.
            let _ = delete_stored(server, &kind, &key, &Deletion::default());
        }
    }
    server.store.list(storage, Some(namespace)).items.len()
}

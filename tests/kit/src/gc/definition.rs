//! The CRD controller: deletes the objects of a terminating CRD, then the CRD itself.

use std::sync::Arc;

use serde_json::Value;

use super::amend::amend;
use super::task::Node;
use crate::registry::Storage;
use crate::state::Server;
use crate::strategy::{finalizers, is_deleting, meta};
use crate::verbs::{Deletion, delete_stored};
use crate::{crd, crd_write};

/// Deletes the objects of a terminating CRD, and sets its condition.
pub(super) fn clear(server: &Server, name: &str) {
    let (Some((node, live)), Some(storage)) = (terminating(server, name), defined(name)) else { return };
    for object in server.store.list(&storage, None).items {
        let key = (meta(&object, "namespace").to_owned(), meta(&object, "name").to_owned());
        if let Some(kind) = server.catalog().registry.by_storage(&storage).filter(|_| !is_deleting(&object)) {
            // The API server does this itself, without webhooks. An error means that the object was deleted meanwhile.
            let _ = delete_stored(server, &kind, &key, &Deletion::default());
        }
    }
    if server.store.is_empty(&storage) {
        return close(server, name);
    }
    amend(server, &node, meta(&live, "uid"), |definition| crd::mark_deleting(definition, server.clock.now()));
    crd_write::publish(server);
}

/// Removes a terminating CRD if it has no objects.
pub(super) fn close(server: &Server, name: &str) {
    let (Some((node, live)), Some(storage)) = (terminating(server, name), defined(name)) else { return };
    if server.store.is_empty(&storage) {
        amend(server, &node, meta(&live, "uid"), |definition| crd::mark_emptied(definition, server.clock.now()));
        crd_write::publish(server);
    }
}

/// Returns a CRD that is being deleted and has the cleanup finalizer.
fn terminating(server: &Server, name: &str) -> Option<(Node, Arc<Value>)> {
    let node = Node { storage: crd_write::storage(), key: (String::new(), name.to_owned()) };
    let live = server.store.get(&node.storage, &node.key)?;
    (is_deleting(&live) && finalizers(&live).contains(&crd::FINALIZER)).then_some((node, live))
}

fn defined(name: &str) -> Option<Storage> {
    name.split_once('.').map(|(plural, group)| Storage::new(group, plural))
}

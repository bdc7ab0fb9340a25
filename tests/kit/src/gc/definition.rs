//! The end of a definition: its objects are deleted, then it goes and its routes with it.

use super::amend::amend;
use super::graph::Node;
use crate::registry::Storage;
use crate::server::Server;
use crate::strategy::{is_deleting, meta};
use crate::verbs::{Deletion, delete_stored};
use crate::{crd, definition};

/// Deletes the objects of a terminating definition, and the definition when none is left.
pub(super) fn empty(server: &Server, name: &str) {
    let node = Node { storage: definition::storage(), key: (String::new(), name.to_owned()) };
    let Some(live) = server.store.get(&node.storage, &node.key) else { return };
    if !is_deleting(&live) || !crate::strategy::finalizers(&live).contains(&crd::FINALIZER) {
        return;
    }
    let Some((plural, group)) = name.split_once('.') else { return };
    let storage = Storage::new(group, plural);
    let uid = meta(&live, "uid");
    if sweep(server, &storage) == 0 {
        amend(server, &node, uid, |definition| crd::mark_emptied(definition, server.clock.now()));
    } else {
        amend(server, &node, uid, |definition| crd::mark_deleting(definition, server.clock.now()));
    }
    definition::publish(server);
}

/// Deletes all objects of a resource; says how many are still there.
fn sweep(server: &Server, storage: &Storage) -> usize {
    let kind = server.catalog().registry.by_storage(storage);
    for object in server.store.list(storage, None).items {
        if let (false, Some(kind)) = (is_deleting(&object), &kind) {
            let key = (meta(&object, "namespace").to_owned(), meta(&object, "name").to_owned());
            // Gone meanwhile is as good.
            let _ = delete_stored(server, kind, &key, &Deletion::default());
        }
    }
    server.store.list(storage, None).items.len()
}

//! Writes and deletions of the controllers, with retries on conflicts.

use std::sync::Arc;

use serde_json::Value;

use super::task::Node;
use crate::apply::{Actor, Lists, Rules, track_update};
use crate::state::Server;
use crate::store::Write;
use crate::strategy::{is_deleting, is_free, meta};
use crate::verbs::{Deletion, delete_stored};

/// The field manager of the controllers.
const CONTROLLER: &str = "kube-controller-manager";

/// The number of attempts of a write.
const ATTEMPTS: usize = 16;

/// Changes a stored object, and removes it if nothing blocks its deletion any more.
pub(super) fn amend(server: &Server, node: &Node, uid: &str, change: impl Fn(&mut Value)) {
    for _ in 0..ATTEMPTS {
        let Some(live) = server.store.get(&node.storage, &node.key) else { return };
        if meta(&live, "uid") != uid {
            return;
        }
        let mut object = Value::clone(&live);
        change(&mut object);
        let gone = is_deleting(&object) && is_free(&object);
        record(server, node, &live, &mut object);
        let (resource, key, old) = (node.storage.clone(), node.key.clone(), Some(Arc::clone(&live)));
        if server.store.commit(Write { resource, key, old, new: (!gone).then_some(object) }).is_ok() {
            return;
        }
    }
}

/// Begins the deletion of a stored object that is not yet being deleted.
pub(super) fn delete(server: &Server, node: &Node) {
    let catalog = server.catalog();
    let (Some(kind), Some(live)) =
        (catalog.registry.by_storage(&node.storage), server.store.get(&node.storage, &node.key))
    else {
        return;
    };
    if !is_deleting(&live) {
        // An error means that the object was deleted meanwhile.
        let _ = delete_stored(server, &kind, &node.key, &Deletion::default());
    }
}

/// Records the controller as the writer.
fn record(server: &Server, node: &Node, live: &Value, object: &mut Value) {
    let catalog = server.catalog();
    let Some(kind) = catalog.registry.by_storage(&node.storage) else { return };
    let lens = catalog.lens(&kind);
    let lists = lens.schema.as_deref().map_or(Lists::Deduced, Lists::Structural);
    let (time, api_version) = (server.clock.stamp(), kind.api_version());
    let actor = Actor {
        manager: CONTROLLER,
        api_version: &api_version,
        subresource: None,
        time: &time,
        rules: Rules::default(),
    };
    track_update(Some(live), object, lists, &actor);
}

/// Removes a finalizer.
pub(super) fn remove_finalizer(server: &Server, node: &Node, uid: &str, finalizer: &str) {
    amend(server, node, uid, |object| {
        let Some(metadata) = object["metadata"].as_object_mut() else { return };
        let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers") else { return };
        finalizers.retain(|known| known != finalizer);
        if finalizers.is_empty() {
            metadata.remove("finalizers");
        }
    });
}

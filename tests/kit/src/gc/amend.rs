//! Writes and deletions of the controllers, with retries on conflicts.

use std::sync::Arc;

use serde_json::Value;

use super::task::Node;
use crate::apply::{Actor, Lists, Rules, track_update};
use crate::registry::Kind;
use crate::state::{Server, User};
use crate::store::{Key, Write};
use crate::strategy::{is_deleting, is_free, meta};
use crate::verbs::{Deletion, Reviewer, delete_reviewed};

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

/// Begins the deletion of a stored object that is not yet being deleted. Returns whether a webhook refuses it.
pub(super) async fn delete(server: &Server, node: &Node, controller: &str) -> Refused {
    let catalog = server.catalog();
    let (Some(kind), Some(live)) =
        (catalog.registry.by_storage(&node.storage), server.store.get(&node.storage, &node.key))
    else {
        return Refused(false);
    };
    if is_deleting(&live) {
        return Refused(false);
    }
    delete_as(server, &kind, &node.key, &Deletion::default(), controller).await
}

/// Whether a webhook refused a deletion, so that the controller must try again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Refused(pub(super) bool);

/// Deletes a stored object as a controller does.
pub(super) async fn delete_as(
    server: &Server,
    kind: &Arc<Kind>,
    key: &Key,
    deletion: &Deletion,
    controller: &str,
) -> Refused {
    let user = User::named(&format!("system:serviceaccount:kube-system:{controller}"));
    let reviewer = Reviewer { user: &user, name: &key.1 };
    let deleted = delete_reviewed(server, kind, key, deletion, reviewer).await;
    // 404 and 409 mean that the object was deleted or replaced meanwhile.
    Refused(deleted.is_err_and(|failure| !matches!(failure.code, 404 | 409)))
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

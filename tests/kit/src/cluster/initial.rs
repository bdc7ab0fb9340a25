//! The objects that every cluster has from the start.

use std::sync::Arc;

use serde_json::json;

use crate::apply::{Actor, Lists, Rules, track_update};
use crate::rbac;
use crate::registry::Storage;
use crate::state::Server;
use crate::store::Write;
use crate::strategy;

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Creates the initial objects of every cluster.
pub(crate) fn plant(server: &Arc<Server>) {
    for name in NAMESPACES {
        seed_namespace(server, name);
    }
    if server.options.rbac {
        rbac::plant(server);
    }
}

fn seed_namespace(server: &Server, name: &str) {
    let Some(kind) = server.catalog().registry.lookup("", "v1", "namespaces") else { return };
    let mut object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    if strategy::fresh(&kind, None, &server.clock.stamp(), &mut object).is_ok() {
        own(server, &mut object);
        strategy::complete(&kind, &mut object);
        let key = (String::new(), name.to_owned());
        // The store is empty, so there can be no conflict.
        let _ =
            server.store.commit(Write { resource: Storage::new("", "namespaces"), key, old: None, new: Some(object) });
    }
}

/// Records the API server as the manager of a namespace that it creates.
fn own(server: &Server, object: &mut serde_json::Value) {
    let time = server.clock.stamp();
    let actor =
        Actor { manager: "kube-apiserver", api_version: "v1", subresource: None, time: &time, rules: Rules::default() };
    track_update(None, object, Lists::Deduced, &actor);
}

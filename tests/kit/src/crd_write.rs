//! Writes of CRDs: their checks before the commit, and the served kinds after it.

use std::sync::Arc;

use serde_json::Value;

use crate::api_error::{Failure, typed};
use crate::apply::{Actor, Lists, Rules, track_update};
use crate::crd;
use crate::registry::{Kind, Storage};
use crate::request_context::Call;
use crate::state::Server;
use crate::store::Write;
use crate::strategy::{self, Part};

/// Returns the storage of CRDs.
pub(crate) fn storage() -> Storage {
    Storage::new("apiextensions.k8s.io", "customresourcedefinitions")
}

fn is_definition(call: &Call) -> bool {
    call.kind.group == "apiextensions.k8s.io" && call.kind.plural == "customresourcedefinitions"
}

/// Completes and checks a CRD, and returns warnings. Other objects remain unchanged.
pub(crate) fn prepare(call: &Call, object: &mut Value, live: Option<&Value>) -> Result<Vec<String>, Failure> {
    if !is_definition(call) {
        return Ok(Vec::new());
    }
    let checked = match call.part() {
        Part::Main => crd::prepare(object, live),
        Part::Status => crd::prepare_status(object).map(|()| Vec::new()),
    };
    checked.map_err(|causes| Failure::invalid(typed(&call.kind, strategy::meta(object, "name")), &causes))
}

/// Publishes all CRDs after a write of one of them.
pub(crate) fn settle(server: &Server, call: &Call) {
    if is_definition(call) && !call.is_dry_run() {
        publish(server);
    }
}

/// Serves the kinds of the stored CRDs and stores the CRD statuses, until no status changes.
pub(crate) fn publish(server: &Server) {
    let _turn = server.publishing.lock();
    loop {
        let definitions = server.store.list(&storage(), None).items;
        let published = crd::publish(&definitions, server.clock.now());
        for kind in &published.kinds {
            server.store.open(&kind.storage);
        }
        // Clients wait for the condition Established, so the kinds are served before it is stored.
        serve(server, published.kinds);
        if published.statuses.is_empty() {
            return;
        }
        for (name, status) in published.statuses {
            store_status(server, &name, &status);
        }
    }
}

/// Serves these custom kinds, and ends the watches of kinds that were removed or whose CRD has another spec.
fn serve(server: &Server, kinds: Vec<Kind>) {
    let before = server.catalog();
    let after = Arc::new(before.with_custom(kinds, server.store.version()));
    server.serve(Arc::clone(&after));
    for kind in before.registry.iter().filter(|kind| !after.registry.is_current(kind)) {
        server.store.wake(&kind.storage);
    }
}

/// Stores a status. After a conflict, the next iteration computes it again.
fn store_status(server: &Server, name: &str, status: &Value) {
    let key = (String::new(), name.to_owned());
    let Some(live) = server.store.get(&storage(), &key) else { return };
    let mut new = Value::clone(&live);
    new["status"] = status.clone();
    let time = server.clock.stamp();
    let api_version = "apiextensions.k8s.io/v1";
    let actor = Actor {
        manager: "kube-apiserver",
        api_version,
        subresource: Some("status"),
        time: &time,
        rules: Rules::default(),
    };
    track_update(Some(&live), &mut new, Lists::Deduced, &actor);
    // On a conflict there is a newer CRD, which the next iteration reads.
    let _ = server.store.commit(Write { resource: storage(), key, old: Some(live), new: Some(new) });
}

//! CustomResourceDefinitions on the write path: checks before the commit, the kinds they define after it.

use std::sync::{Arc, PoisonError};

use serde_json::Value;

use crate::api_error::{Failure, typed};
use crate::apply::{Actor, Lists, Rules, track_update};
use crate::crd;
use crate::registry::{Kind, Storage};
use crate::request_context::Call;
use crate::state::Server;
use crate::store::Write;
use crate::strategy::{self, Part};

/// Where definitions are stored.
pub(crate) fn storage() -> Storage {
    Storage::new("apiextensions.k8s.io", "customresourcedefinitions")
}

fn is_definition(call: &Call) -> bool {
    call.kind.group == "apiextensions.k8s.io" && call.kind.plural == "customresourcedefinitions"
}

/// Completes and checks a definition and gives warnings; anything else is left alone.
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

/// After a write of a definition: publishes all of them until nothing moves.
pub(crate) fn settle(server: &Server, call: &Call) {
    if is_definition(call) && !call.is_dry_run() {
        publish(server);
    }
}

/// Serves what the stored definitions define, and stores their statuses.
pub(crate) fn publish(server: &Server) {
    let _turn = server.publishing.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let definitions = server.store.list(&storage(), None).items;
        let published = crd::publish(&definitions, server.clock.now());
        for kind in &published.kinds {
            server.store.open(&kind.storage);
        }
        // Clients start when a definition turns Established, so its kinds are served before that is stored.
        serve(server, published.kinds);
        if published.statuses.is_empty() {
            return;
        }
        for (name, status) in published.statuses {
            store_status(server, &name, &status);
        }
    }
}

/// Serves these custom kinds; watches of those that are gone end.
fn serve(server: &Server, kinds: Vec<Kind>) {
    let before = server.catalog();
    let after = Arc::new(before.with_custom(kinds, server.store.version()));
    server.serve(Arc::clone(&after));
    let gone = |kind: &&Arc<Kind>| after.registry.lookup(&kind.group, &kind.version, &kind.plural).is_none();
    for kind in before.registry.iter().filter(gone) {
        server.store.wake(&kind.storage);
    }
}

/// Stores a status; when another write comes between, the next round computes it anew.
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
    // Stale means a newer definition, which the next round reads.
    let _ = server.store.commit(Write { resource: storage(), key, old: Some(live), new: Some(new) });
}

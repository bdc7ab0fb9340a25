//! Who owns the fields that a write sets.

use serde_json::Value;

use crate::api_error::Failure;
use crate::apply::{self, Actor, Lists, track_update};
use crate::conversion::with_versions;
use crate::request_context::Call;
use crate::state::Server;
use crate::strategy;

/// Whether the write must still be recorded in `managedFields` as an Update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Track {
    /// It must still be recorded.
    Update,
    /// It is recorded already: by server-side apply, or before the mutating webhooks.
    Done,
}

/// The source of the list and map types of a new object of the kind.
pub(super) fn lists(call: &Call) -> Lists<'_> {
    call.lens.schema.as_deref().map_or(Lists::Deduced, Lists::Structural)
}

/// The actor of the request, for `managedFields`.
pub(super) fn actor<'a>(server: &Server, call: &'a Call, api_version: &'a str, time: &'a str) -> Actor<'a> {
    let rules = server.options.release.rules();
    Actor { manager: &call.manager, api_version, subresource: call.target.subresource.as_deref(), time, rules }
}

/// Records the request as the owner of the fields that it changes in a stored object.
pub(super) async fn updated(server: &Server, call: &Call, live: &Value, object: &mut Value) {
    let (time, api_version) = (server.clock.stamp(), call.kind.api_version());
    let actor = actor(server, call, &api_version, &time);
    let ledger = with_versions(server, &call.lens, |lists| apply::updated(Some(live), object, lists, &actor)).await;
    // An API server also removes all owners if the object cannot be converted to the version of one of them.
    ledger.unwrap_or_default().write(object);
}

/// Records the request as the owner of the fields that it sets, before webhooks change the object: their changes have no owner.
pub(super) async fn before_webhooks(
    server: &Server,
    call: &Call,
    object: &mut Value,
    live: Option<&Value>,
) -> Result<(), Failure> {
    let (kind, time) = (&call.kind, server.clock.stamp());
    let mut copy = object.clone();
    match live {
        None => {
            strategy::fresh(kind, call.target.namespace.as_deref(), &time, &mut copy)?;
            track_update(None, &mut copy, lists(call), &actor(server, call, &kind.api_version(), &time));
        }
        Some(live) => {
            strategy::carry_over(kind, call.part(), live, &mut copy);
            updated(server, call, live, &mut copy).await;
        }
    }
    let fields = copy["metadata"]["managedFields"].take();
    if !fields.is_null() {
        strategy::metadata(object).insert("managedFields".to_owned(), fields);
    }
    Ok(())
}

//! What a body must have in common with the path and the stored object.

use serde_json::Value;

use crate::api_error::{Failure, resource};
use crate::request_context::Call;
use crate::strategy;

/// Rejects a body whose name differs from the name in the path.
pub(super) fn same_name(call: &Call, sent: &Value) -> Result<(), Failure> {
    let (path, body) = (call.name(), strategy::meta(sent, "name"));
    if body.is_empty() {
        let message = format!("the name of the object ({path} based on URL) was undeterminable: name must be provided");
        return Err(Failure::bad_request(message));
    }
    if body != path {
        let message = format!("the name of the object ({body}) does not match the name on the URL ({path})");
        return Err(Failure::bad_request(message));
    }
    Ok(())
}

/// Rejects a body whose namespace differs from the namespace in the path.
pub(super) fn same_namespace(call: &Call, sent: &Value) -> Result<(), Failure> {
    let (path, body) = (call.target.space(), strategy::meta(sent, "namespace"));
    if body.is_empty() || body == path || !call.kind.namespaced {
        return Ok(());
    }
    Err(Failure::bad_request("the namespace of the provided object does not match the namespace sent on the request"))
}

/// Treats a resourceVersion in a patch as a precondition.
pub(super) fn unchanged_version(call: &Call, live: &Value, object: &Value) -> Result<(), Failure> {
    let version = strategy::meta(object, "resourceVersion");
    let same = version.is_empty() || version == strategy::meta(live, "resourceVersion");
    if same { Ok(()) } else { Err(Failure::stale(resource(&call.kind, call.name()))) }
}

//! PUT.

use serde_json::Value;

use super::decode::{object, settle};
use super::write::{Track, Written, insert, replace};
use crate::api_error::{About, Failure, resource};
use crate::query::parse_version;
use crate::rbac;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::Server;
use crate::{crd_write, strategy};

pub(super) fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    let decoded = object(call)?;
    let sent = decoded.object;
    same_name(call, &sent)?;
    same_namespace(call, &sent)?;
    let warnings = settle(call, decoded.complaints)?;
    let written = written(server, call, sent).map_err(|failure| failure.warning(warnings.clone()))?;
    crd_write::settle(server, call);
    let code = if written.created { 201 } else { 200 };
    Ok(Reply::object(code, &call.lens, &written.object, call.shape)?.warning(warnings).warning(written.warnings))
}

fn written(server: &Server, call: &Call, mut sent: Value) -> Result<Written, Failure> {
    let live = server.store.get(&call.kind.storage, &call.key(call.name()));
    if live.is_none() && call.kind.create_on_update {
        rbac::check_create(server, call)?;
        strategy::fresh(&call.kind, call.target.namespace.as_deref(), &server.clock.stamp(), &mut sent)?;
        return insert(server, call, sent, Track::Update);
    }
    let mut written = replace(server, call, Track::Update, |live| {
        conditions(call, live, &sent)?;
        Ok(sent.clone())
    })?;
    written.warnings.splice(0..0, strategy::finalizer_warnings(&sent));
    Ok(written)
}

/// Checks the uid and the resourceVersion of the sent object against the live object.
fn conditions(call: &Call, live: &Value, sent: &Value) -> Result<(), Failure> {
    let (kind, about) = (&call.kind, resource(&call.kind, call.name()));
    let version = strategy::meta(sent, "resourceVersion");
    let unconditional = version.is_empty() || parse_version(version).map_err(strip)? == 0;
    if unconditional && !kind.unconditional_update {
        let cause = Cause::invalid("metadata.resourceVersion", "0", "must be specified for an update");
        return Err(Failure::invalid(about, &[cause]));
    }
    let (uid, stored) = (strategy::meta(sent, "uid"), strategy::meta(live, "uid"));
    if !uid.is_empty() && uid != stored {
        return Err(other_uid(call, about, uid, stored));
    }
    if !unconditional && version != strategy::meta(live, "resourceVersion") {
        return Err(Failure::stale(about));
    }
    Ok(())
}

/// The message of the parser without the field name.
#[expect(clippy::needless_pass_by_value, reason = "the shape map_err takes")]
fn strip(error: String) -> Failure {
    let at = error.find("strconv").unwrap_or_default();
    Failure::internal(&error[at..])
}

fn other_uid(call: &Call, about: About<'_>, uid: &str, stored: &str) -> Failure {
    let group = if call.kind.group.is_empty() { String::new() } else { format!("{}/", call.kind.group) };
    let space = if call.kind.namespaced { format!("{}/", call.target.space()) } else { String::new() };
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{group}{}/{space}{}, ResourceVersion: 0, AdditionalErrorMsg: \
         Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}",
        call.kind.plural, about.name
    );
    Failure::conflict(about, &why)
}

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

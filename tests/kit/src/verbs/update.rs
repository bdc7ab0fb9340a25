//! PUT.

use serde_json::Value;

use super::decode::{object, settle};
use super::precondition::{same_name, same_namespace};
use super::record::Track;
use super::write::{Sent, Written, insert, replace};
use crate::api_error::{About, Failure, resource};
use crate::apply::Lists;
use crate::query::parse_version;
use crate::rbac;
use crate::request_context::Call;
use crate::response::Reply;
use crate::schema::Cause;
use crate::state::Server;
use crate::{crd_write, strategy};

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    let decoded = object(call)?;
    let sent = decoded.object;
    same_name(call, &sent)?;
    same_namespace(call, &sent)?;
    let warnings = settle(call, decoded.complaints)?;
    let written = written(server, call, sent).await.map_err(|failure| failure.warning(warnings.clone()))?;
    crd_write::settle(server, call);
    let code = if written.created { 201 } else { 200 };
    Ok(Reply::object(code, &call.lens, &written.object, call.shape)?.warning(warnings).warning(written.warnings))
}

async fn written(server: &Server, call: &Call, mut sent: Value) -> Result<Written, Failure> {
    let live = server.store.get(&call.kind.storage, &call.key(call.name()));
    if live.is_none() && call.kind.create_on_update {
        rbac::check_create(server, call)?;
        let uid = strategy::meta(&sent, "uid");
        if !uid.is_empty() {
            return Err(other_uid(call, resource(&call.kind, call.name()), uid, ""));
        }
        // The version of a deleted object is ignored.
        strategy::metadata(&mut sent).remove("resourceVersion");
        return insert(server, call, sent, Track::Update).await;
    }
    let notes = strategy::finalizer_warnings(&sent);
    let compute =
        |_: &Value, _: Lists<'_>| Ok(Sent { object: sent.clone(), complaints: Vec::new(), notes: notes.clone() });
    replace(server, call, Track::Update, compute, |live, sent| conditions(call, live, sent)).await
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

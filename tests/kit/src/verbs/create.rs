//! POST.

use super::decode::{object, settle};
use super::precondition::same_namespace;
use super::record::Track;
use super::write::insert;
use crate::api_error::{Failure, resource};
use crate::request_context::Call;
use crate::response::Reply;
use crate::state::Server;
use crate::{crd_write, rbac, strategy};

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if call.kind.namespaced && call.target.namespace.is_none() {
        return Err(nowhere(call));
    }
    let decoded = object(call)?;
    if call.kind.group == "authorization.k8s.io" {
        return Ok(Reply::value(201, &rbac::review(server, call, decoded.object)?));
    }
    if call.kind.group == "authentication.k8s.io" {
        return Ok(Reply::value(201, &rbac::review_token(server, decoded.object)?));
    }
    let sent = decoded.object;
    same_namespace(call, &sent)?;
    let warnings = settle(call, decoded.complaints)?;
    if call.kind.custom().is_some_and(|custom| custom.terminating) {
        let why = "create not allowed while custom resource definition is terminating";
        return Err(Failure::forbidden(resource(&call.kind, strategy::meta(&sent, "name")), why));
    }
    let finalizers = strategy::finalizer_warnings(&sent);
    let written =
        insert(server, call, sent, Track::Update).await.map_err(|failure| failure.warning(warnings.clone()))?;
    crd_write::settle(server, call);
    let reply = Reply::object(201, &call.lens, &written.object, call.shape)?;
    Ok(reply.warning(warnings).warning(finalizers).warning(written.warnings))
}

/// The error for a namespaced object without a namespace in the path.
fn nowhere(call: &Call) -> Failure {
    match call.kind.is_builtin() {
        true => Failure::method_not_allowed(),
        false => Failure::unserved(),
    }
}

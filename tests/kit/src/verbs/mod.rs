//! The verbs of resources, one file each.

mod admit;
mod apply;
mod checks;
mod collection;
mod create;
mod decode;
mod delete;
mod evict;
mod get;
mod list;
mod object_size;
mod patch;
mod pod_log;
mod precondition;
mod record;
mod replicas;
mod scale;
mod scale_form;
mod stored;
mod token;
mod update;
mod write;

use std::sync::Arc;

use http::Method;

use crate::api_error::{Failure, resource};
use crate::registry::Verb;
use crate::request_context::Call;
use crate::response::Reply;
use crate::state::Server;
use crate::watch;

pub(crate) use delete::{Deletion, Propagation, Reviewer, delete_reviewed, delete_stored};

/// Subresources that Kubernetes serves and this server does not.
const NOT_DONE: [&str; 7] = ["finalize", "exec", "attach", "portforward", "proxy", "binding", "ephemeralcontainers"];

/// Dispatches a request to its verb.
pub(crate) async fn answer(server: &Arc<Server>, call: Call) -> Result<Reply, Failure> {
    match call.kind.custom().and_then(|custom| custom.deprecation.clone()) {
        None => asked(server, call).await,
        Some(warning) => warned(asked(server, call).await, warning),
    }
}

/// Puts the deprecation warning of the version before all other warnings, also on errors.
fn warned(mut answer: Result<Reply, Failure>, warning: String) -> Result<Reply, Failure> {
    match &mut answer {
        Ok(reply) => reply.warnings.insert(0, warning),
        Err(failure) => failure.warnings.insert(0, warning),
    }
    answer
}

async fn asked(server: &Arc<Server>, call: Call) -> Result<Reply, Failure> {
    known_options(&call)?;
    match (call.target.subresource.as_deref(), &call.kind.scale) {
        (None, _) => whole(server, call).await,
        (Some("scale"), Some(scale)) => scale::answer(server, &call, scale).await,
        (Some("eviction"), _) if is_core(&call, "pods") => evict::answer(server, &call).await,
        (Some("log"), _) if is_core(&call, "pods") => pod_log::answer(server, &call),
        (Some("token"), _) if is_core(&call, "serviceaccounts") => token::answer(server, &call),
        (Some("status"), _) if call.kind.status => status(server, &call).await,
        (Some(other), _) => Err(subresource(server, &call, other)),
    }
}

fn is_core(call: &Call, plural: &str) -> bool {
    call.kind.group.is_empty() && call.kind.plural == plural
}

/// Rejects invalid options of a write.
fn known_options(call: &Call) -> Result<(), Failure> {
    let options = match call.method.as_str() {
        "POST" => "CreateOptions",
        "PUT" => "UpdateOptions",
        "PATCH" => "PatchOptions",
        _ => return Ok(()),
    };
    let causes = call.query.write_causes();
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid_options(options, &causes)) }
}

/// A watch is a JSON stream, so a request that accepts only YAML is rejected.
async fn watched(server: &Arc<Server>, call: Call) -> Result<Reply, Failure> {
    if call.wants_yaml {
        let message = "only the following media types are accepted: application/json;stream=watch";
        return Err(Failure::status(406, "NotAcceptable", message));
    }
    watch::answer(server, call).await
}

async fn whole(server: &Arc<Server>, call: Call) -> Result<Reply, Failure> {
    let builtin = call.kind.is_builtin();
    if call.kind.verbs == [Verb::Create] && call.method != Method::POST {
        return Err(Failure::method_not_allowed());
    }
    match (call.method.as_str(), call.target.name.is_some()) {
        ("GET", false) if call.query.watch || call.target.watch => watched(server, call).await,
        ("GET", true) if call.target.watch => watched(server, call).await,
        ("GET", false) => list::answer(server, &call).await,
        ("GET", true) => get::answer(server, &call).await,
        ("POST", true) if builtin => Err(Failure::method_not_allowed()),
        ("POST", _) => create::answer(server, &call).await,
        ("PUT" | "PATCH", false) if builtin => Err(Failure::method_not_allowed()),
        ("PUT" | "PATCH", false) => Err(Failure::bad_request("name must be provided")),
        ("PUT", true) => update::answer(server, &call).await,
        ("PATCH", true) => patch::answer(server, &call).await,
        ("DELETE", true) => delete::answer(server, &call).await,
        ("DELETE", false) => collection::answer(server, &call).await,
        _ => Err(Failure::method_not_allowed()),
    }
}

async fn status(server: &Arc<Server>, call: &Call) -> Result<Reply, Failure> {
    match call.method {
        Method::GET => get::answer(server, call).await,
        Method::PUT => update::answer(server, call).await,
        Method::PATCH => patch::answer(server, call).await,
        Method::POST => Err(unsupported(call, "create")),
        Method::DELETE => Err(unsupported(call, "delete")),
        _ => Err(Failure::method_not_allowed()),
    }
}

/// The error for a verb that custom kinds support, but not on a subresource.
fn unsupported(call: &Call, verb: &str) -> Failure {
    let kind = &call.kind;
    if kind.is_builtin() {
        return Failure::method_not_allowed();
    }
    let message = format!("{verb} is not supported on resources of kind \"{}\"", kind.qualified());
    let details = serde_json::json!({"group": kind.group, "kind": kind.plural});
    Failure::status(405, "MethodNotAllowed", message).with_details(details)
}

/// The error for an unserved subresource: one that Kubernetes does not have either, or one that only this server lacks.
fn subresource(server: &Server, call: &Call, name: &str) -> Failure {
    let kind = &call.kind;
    let missing = || Failure::not_found(resource(kind, call.name()));
    let exists = server.store.get(&kind.storage, &call.key(call.name())).is_some();
    match (kind.is_builtin(), name) {
        (false, "scale" | "status") => missing(),
        (false, _) => Failure::unserved(),
        (true, name) if !NOT_DONE.contains(&name) => Failure::unknown_resource(),
        (true, name) if exists => Failure::not_done(&format!("{}/{name}", kind.qualified())),
        (true, _) => missing(),
    }
}

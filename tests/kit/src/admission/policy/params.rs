//! The parameters of a policy.

use std::sync::Arc;

use serde_json::Value;

use super::super::request::Request;
use super::super::select::labels;
use super::definition::{ParamKind, ParamRef};
use crate::conversion;
use crate::registry::{Kind, split};
use crate::state::Server;

/// Returns the kind of the parameters.
///
/// # Errors
/// If the kind is not served.
pub(super) fn kind(server: &Server, wanted: &ParamKind) -> Result<Arc<Kind>, String> {
    let (group, version) = split(&wanted.api_version);
    let unknown = || {
        let kind = &wanted.kind;
        format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'")
    };
    server.catalog().registry.by_gvk(group, version, &wanted.kind).ok_or_else(unknown)
}

/// Returns the parameters that a binding refers to.
///
/// # Errors
/// If the reference is invalid, or no parameters exist and the binding denies that.
pub(super) async fn all(
    server: &Server,
    request: &Request<'_>,
    kind: &Arc<Kind>,
    wanted: &ParamRef,
) -> Result<Vec<Value>, String> {
    if !kind.namespaced && !wanted.namespace.is_empty() {
        return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
    }
    let namespace = match (kind.namespaced, wanted.namespace.as_str()) {
        (false, _) => "",
        (true, "") => &request.namespace,
        (true, namespace) => namespace,
    };
    if kind.namespaced && namespace.is_empty() {
        let why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
        return Err(why.to_owned());
    }
    let found = found(server, kind, namespace, wanted)?;
    if found.is_empty() && wanted.parameter_not_found_action == "Deny" {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    let lens = server.catalog().lens(kind);
    let mut params = Vec::with_capacity(found.len());
    for object in found {
        let converted = conversion::object(server, &lens, object).await.map_err(|failure| failure.message)?;
        params.push(lens.shown(&converted).into_owned());
    }
    Ok(params)
}

fn found(server: &Server, kind: &Kind, namespace: &str, wanted: &ParamRef) -> Result<Vec<Arc<Value>>, String> {
    match (wanted.name.as_str(), &wanted.selector) {
        ("", None) => Err("one of name or selector must be provided".to_owned()),
        ("", Some(selector)) => {
            let labels = labels(selector);
            let mut listing = server.store.list(&kind.storage, kind.namespaced.then_some(namespace));
            listing.items.retain(|object| labels.matches(object));
            Ok(listing.items)
        }
        (_, Some(_)) => Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned()),
        (name, None) => {
            let key = (namespace.to_owned(), name.to_owned());
            Ok(server.store.get(&kind.storage, &key).into_iter().collect())
        }
    }
}

//! Which requests a rule allows.

use super::grant::Grant;
use crate::log::Entry;
use crate::registry::Verb;

/// Whether the rule has allowed one of the requests.
pub(super) fn is_used(grant: &Grant, requests: &[Entry]) -> bool {
    requests.iter().any(|request| request.code != 403 && covers(grant, request))
}

/// Whether the API server needs the rule for the request. An apply that creates an object needs `create`, too.
fn covers(grant: &Grant, request: &Entry) -> bool {
    let verb = format!("{:?}", request.verb).to_lowercase();
    let creates = request.verb == Verb::Patch && request.code == 201;
    let resource =
        request.subresource.iter().fold(request.resource.clone(), |resource, sub| format!("{resource}/{sub}"));
    let is_there = grant.namespace.is_none() || grant.namespace == request.namespace;
    (verb == grant.verb || creates && grant.verb == "create")
        && [&request.group, "*"].contains(&&*grant.group)
        && [&*resource, "*"].contains(&&*grant.resource)
        && is_there
        && has_name(grant, request)
}

/// A list or watch of one object has its name in the field selector.
fn has_name(grant: &Grant, request: &Entry) -> bool {
    let selected = |name: &String| request.query.contains(&format!("metadata.name%3D{name}"));
    let is = |name: &String| request.name.as_ref() == Some(name) || request.name.is_none() && selected(name);
    grant.names.is_empty() || grant.names.iter().any(is)
}

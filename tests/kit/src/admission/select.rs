//! Which webhooks review a write, and in which version of its kind.

use std::sync::Arc;

use serde_json::Value;

use super::hook::{Hook, Rule};
use super::request::{Operation, Request};
use crate::registry::{Kind, Storage};
use crate::selector::Labels;
use crate::state::Server;

/// The objects of a write: the new one, and the one that it replaces or deletes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objects<'a> {
    pub(super) new: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
}

/// Returns the version in which a webhook reviews the write, or `None` if it does not review it.
pub(super) fn version(server: &Server, hook: &Hook, request: &Request<'_>, objects: Objects<'_>) -> Option<Arc<Kind>> {
    if request.is_exempt() {
        return None;
    }
    let kind = matched(server, hook, request)?;
    let is_selected =
        in_namespace(server, &hook.namespaces(), request, objects) && is_labelled(&hook.objects(), objects);
    is_selected.then_some(kind)
}

/// Returns the requested version if a rule has it, otherwise another version of the resource that a rule has.
fn matched(server: &Server, hook: &Hook, request: &Request<'_>) -> Option<Arc<Kind>> {
    let is_covered = |kind: &Kind| hook.rules.iter().any(|rule| covers(rule, request, kind));
    let catalog = server.catalog();
    let same = catalog.registry.lookup(&request.kind.group, &request.kind.version, &request.kind.plural);
    if let Some(kind) = same.filter(|kind| is_covered(kind)) {
        return Some(kind);
    }
    let mut others = catalog.registry.iter().filter(|kind| kind.storage == request.kind.storage);
    others.find(|kind| hook.is_equivalent() && is_covered(kind)).cloned()
}

fn covers(rule: &Rule, request: &Request<'_>, kind: &Kind) -> bool {
    let has = |values: &[String], value: &str| values.iter().any(|known| known == "*" || known == value);
    has(&rule.operations, request.operation.name())
        && has(&rule.api_groups, &kind.group)
        && has(&rule.api_versions, &kind.version)
        && is_in_scope(rule, request)
        && rule.resources.iter().any(|resource| is_resource(resource, request.resource()))
}

/// A Namespace is cluster-scoped, although it has the namespace of its own name.
fn is_in_scope(rule: &Rule, request: &Request<'_>) -> bool {
    match rule.scope.as_str() {
        "Namespaced" => request.kind.namespaced,
        "Cluster" => !request.kind.namespaced,
        _ => true,
    }
}

/// `*` covers all resources without their subresources, `pods/*` one resource with its subresources.
fn is_resource(rule: &str, (resource, subresource): (&str, &str)) -> bool {
    let (of, sub) = rule.split_once('/').unwrap_or((rule, ""));
    (of == "*" || of == resource) && (sub == "*" || sub == subresource)
}

/// Cluster-scoped objects other than Namespaces are always selected.
fn in_namespace(server: &Server, labels: &Labels, request: &Request<'_>, objects: Objects<'_>) -> bool {
    if labels.is_empty() || !(request.kind.namespaced || request.is_namespace()) {
        return true;
    }
    if let (true, Some(new)) = (request.is_namespace() && request.operation != Operation::Delete, objects.new) {
        return labels.matches(new);
    }
    let key = (String::new(), request.namespace.clone());
    let namespace = server.store.get(&Storage::new("", "namespaces"), &key);
    namespace.is_some_and(|namespace| labels.matches(&namespace))
}

/// An object selector selects a write if it selects the object before or after it.
fn is_labelled(labels: &Labels, objects: Objects<'_>) -> bool {
    let mut present = objects.new.into_iter().chain(objects.old);
    labels.is_empty() || present.any(|object| labels.matches(object))
}

#[cfg(test)]
mod tests {
    use super::is_resource;

    #[test]
    fn a_star_covers_subresources_only_after_a_slash() {
        let covered =
            |rule: &str| [("pods", ""), ("pods", "status"), ("nodes", "status")].map(|at| is_resource(rule, at));
        assert_eq!(covered("pods"), [true, false, false]);
        assert_eq!(covered("*"), [true, false, false]);
        assert_eq!(covered("pods/*"), [true, true, false]);
        assert_eq!(covered("*/status"), [false, true, true]);
        assert_eq!(covered("*/*"), [true, true, true]);
    }
}

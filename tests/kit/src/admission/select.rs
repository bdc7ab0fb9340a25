//! Which webhooks and policies review a write, and in which version of its kind.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::request::{Operation, Request};
use crate::registry::{Kind, Storage};
use crate::selector::{Labels, printed};
use crate::state::Server;

/// The objects of a write: the new one, and the one that it replaces or deletes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objects<'a> {
    pub(super) new: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
}

/// The writes that a webhook, a policy or a binding reviews, with the defaults of the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Selection {
    /// `rules` of a webhook, `resourceRules` of a policy.
    #[serde(default, alias = "resourceRules")]
    rules: Vec<Rule>,
    #[serde(default)]
    exclude_resource_rules: Vec<Rule>,
    #[serde(default)]
    namespace_selector: Value,
    #[serde(default)]
    object_selector: Value,
    #[serde(default)]
    match_policy: String,
}

/// Writes of resources.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    #[serde(default)]
    api_groups: Vec<String>,
    #[serde(default)]
    api_versions: Vec<String>,
    #[serde(default)]
    operations: Vec<String>,
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    scope: String,
    /// The names of the objects; without names all of them.
    #[serde(default)]
    resource_names: Vec<String>,
}

impl Selection {
    /// Returns the version in which a webhook reviews the write, or `None` if it does not review it.
    pub(super) fn version(&self, server: &Server, request: &Request<'_>, objects: Objects<'_>) -> Option<Arc<Kind>> {
        if request.is_exempt() {
            return None;
        }
        let kind = self.matched(server, request, &self.rules)?;
        self.selects(server, request, objects).then_some(kind)
    }

    /// Returns the version in which a policy reviews the write. A policy or a binding without rules reviews all resources.
    pub(super) fn version_or_own(
        &self,
        server: &Server,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Option<Arc<Kind>> {
        if request.is_exempt() || self.matched(server, request, &self.exclude_resource_rules).is_some() {
            return None;
        }
        let kind = if self.rules.is_empty() {
            own_version(server, request)?
        } else {
            self.matched(server, request, &self.rules)?
        };
        self.selects(server, request, objects).then_some(kind)
    }

    /// Returns the requested version if a rule has it, otherwise another version of the resource that a rule has.
    fn matched(&self, server: &Server, request: &Request<'_>, rules: &[Rule]) -> Option<Arc<Kind>> {
        let is_covered = |kind: &Kind| rules.iter().any(|rule| covers(rule, request, kind));
        if let Some(kind) = own_version(server, request).filter(|kind| is_covered(kind)) {
            return Some(kind);
        }
        let catalog = server.catalog();
        let mut others = catalog.registry.iter().filter(|kind| kind.storage == request.kind.storage);
        others.find(|kind| self.match_policy != "Exact" && is_covered(kind)).cloned()
    }

    fn selects(&self, server: &Server, request: &Request<'_>, objects: Objects<'_>) -> bool {
        in_namespace(server, &labels(&self.namespace_selector), request, objects)
            && is_labelled(&labels(&self.object_selector), objects)
    }
}

/// A selector of a stored object was checked when it was written.
pub(super) fn labels(selector: &Value) -> Labels {
    Labels::parse(&printed(selector)).unwrap_or_default()
}

fn own_version(server: &Server, request: &Request<'_>) -> Option<Arc<Kind>> {
    server.catalog().registry.lookup(&request.kind.group, &request.kind.version, &request.kind.plural)
}

fn covers(rule: &Rule, request: &Request<'_>, kind: &Kind) -> bool {
    let has = |values: &[String], value: &str| values.iter().any(|known| known == "*" || known == value);
    has(&rule.operations, request.operation.name())
        && has(&rule.api_groups, &kind.group)
        && has(&rule.api_versions, &kind.version)
        && is_in_scope(rule, request)
        && (rule.resource_names.is_empty() || rule.resource_names.contains(&request.name))
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

//! Aggregated discovery: `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`.

use serde_json::{Value, json};

use super::{subresource, unaggregated};
use crate::registry::{Kind, Registry};

/// `/api`.
pub(super) fn core(registry: &Registry) -> Value {
    list(&[json!({"metadata": {}, "versions": [version(registry, "", "v1")]})])
}

/// `/apis`.
pub(super) fn groups(registry: &Registry) -> Value {
    let groups = unaggregated::by_group(registry).into_iter().map(|(name, versions)| {
        let versions: Vec<Value> = versions.into_iter().map(|of| version(registry, name, of)).collect();
        json!({"metadata": {"name": name}, "versions": versions})
    });
    list(&groups.collect::<Vec<_>>())
}

fn list(items: &[Value]) -> Value {
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn version(registry: &Registry, group: &str, version: &str) -> Value {
    let mut kinds = registry.kinds_of(group, version);
    kinds.sort_by(|a, b| a.plural.cmp(&b.plural));
    let resources: Vec<Value> = kinds.iter().map(|kind| resource(kind)).collect();
    json!({"version": version, "resources": resources, "freshness": "Current"})
}

fn resource(kind: &Kind) -> Value {
    let mut resource = json!({"resource": kind.plural, "responseKind": response(kind, None, &kind.kind),
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": kind.singular, "verbs": kind.verbs});
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            resource[field] = json!(names);
        }
    }
    let subs = subresource::of(kind).into_iter().map(|sub| {
        let response = response(kind, sub.foreign, &sub.kind);
        json!({"subresource": sub.name, "responseKind": response, "verbs": sub.verbs})
    });
    let subs: Vec<Value> = subs.collect();
    if !subs.is_empty() {
        resource["subresources"] = json!(subs);
    }
    resource
}

/// Built-in kinds omit group and version if they are the same as those of the resource.
fn response(kind: &Kind, foreign: Option<(&str, &str)>, name: &str) -> Value {
    let own = if kind.is_builtin() { ("", "") } else { (kind.group.as_str(), kind.version.as_str()) };
    let (group, version) = foreign.unwrap_or(own);
    json!({"group": group, "version": version, "kind": name})
}

//! Unaggregated discovery: core versions, groups, a single group, and the resources of a version.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::subresource;
use crate::crd::Rank;
use crate::registry::{Kind, Registry};

/// `/api`.
pub(super) fn core(host: &str) -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses(host)})
}

/// `/apis`.
pub(super) fn groups(registry: &Registry, host: &str) -> Value {
    let groups = by_group(registry).into_iter().map(|(name, versions)| {
        let mut group = summary(name, &versions);
        group["serverAddressByClientCIDRs"] = addresses(host);
        group
    });
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups.collect::<Vec<_>>()})
}

/// `/apis/{group}`; `None` if it has no kinds.
pub(super) fn group(registry: &Registry, name: &str) -> Option<Value> {
    let mut document = summary(name, by_group(registry).get(name)?);
    document["kind"] = json!("APIGroup");
    document["apiVersion"] = json!("v1");
    Some(document)
}

/// `/api/v1` and `/apis/{group}/{version}`; `None` if it has no kinds.
pub(super) fn resources(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let kinds = registry.kinds_of(group, version);
    let first = kinds.first()?;
    let resources: Vec<Value> = kinds.iter().flat_map(|kind| rows(kind)).collect();
    let mut list = json!({"kind": "APIResourceList", "groupVersion": first.api_version(), "resources": resources});
    if !group.is_empty() {
        list["apiVersion"] = json!("v1");
    }
    Some(list)
}

/// The versions of every group except the core group, preferred version first.
pub(super) fn by_group(registry: &Registry) -> BTreeMap<&str, Vec<&str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in registry.iter().filter(|kind| !kind.group.is_empty()) {
        let versions = groups.entry(&kind.group).or_default();
        if !versions.contains(&kind.version.as_str()) {
            versions.push(&kind.version);
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by_key(|version| Reverse(Rank::of(version)));
    }
    groups
}

fn summary(name: &str, versions: &[&str]) -> Value {
    let version = |version: &&str| json!({"groupVersion": format!("{name}/{version}"), "version": version});
    json!({
        "name": name,
        "versions": versions.iter().map(version).collect::<Vec<_>>(),
        "preferredVersion": versions.first().map(version),
    })
}

fn addresses(host: &str) -> Value {
    json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": host}])
}

/// A kind and its subresources.
fn rows(kind: &Kind) -> Vec<Value> {
    let mut row = json!({"name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
        "kind": kind.kind, "verbs": kind.verbs, "storageVersionHash": storage_hash(kind)});
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            row[field] = json!(names);
        }
    }
    let mut rows = vec![row];
    rows.extend(subresource::of(kind).into_iter().map(|sub| {
        let mut row = json!({"name": format!("{}/{}", kind.plural, sub.name), "singularName": "",
            "namespaced": kind.namespaced, "kind": sub.kind, "verbs": sub.verbs});
        if let Some((group, version)) = sub.foreign {
            row["group"] = json!(group);
            row["version"] = json!(version);
        }
        row
    }));
    rows
}

/// The storage version hash: the start of a digest of group, storage version and kind. It changes if objects must be rewritten.
fn storage_hash(kind: &Kind) -> Value {
    let version = kind.custom().map_or(&kind.version, |custom| &custom.storage_version);
    let digest = Sha256::digest(format!("{}/{version}/{}", kind.group, kind.kind));
    json!(ByteString(digest.iter().copied().take(8).collect()))
}

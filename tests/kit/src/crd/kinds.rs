//! The kinds that an Established CRD serves, one for each served version.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::condition::{ESTABLISHED, TERMINATING, holds};
use super::field::{is_true, items, text, texts};
use crate::registry::{Absent, Column, Custom, Kind, Origin, Scale, Selectable, Selector, Storage, Verb};
use crate::schema::Structural;
use crate::webhook_address::Conversion;

/// The served versions of a CRD in order of preference; empty until it is Established.
pub(super) fn of(crd: &Value) -> Vec<Kind> {
    if !holds(crd, ESTABLISHED) {
        return Vec::new();
    }
    let schemas = Arc::new(schemas(crd));
    let mut versions: Vec<&Value> = served(crd).collect();
    versions.sort_by_key(|version| std::cmp::Reverse(Rank::of(text(version, "/name"))));
    versions.into_iter().filter_map(|version| kind(crd, version, &schemas)).collect()
}

/// Whether the group is reserved for kinds of the Kubernetes project.
pub(super) fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn served(crd: &Value) -> impl Iterator<Item = &Value> {
    items(crd, "/spec/versions").iter().filter(|version| is_true(version, "/served"))
}

/// The schemas of the versions, by name.
type Schemas = BTreeMap<String, Arc<Structural>>;

fn schemas(crd: &Value) -> Schemas {
    let entry = |version: &Value| {
        let schema = version.pointer("/schema/openAPIV3Schema")?;
        Some((text(version, "/name").to_owned(), Arc::new(Structural::read(schema))))
    };
    items(crd, "/spec/versions").iter().filter_map(entry).collect()
}

/// Returns `None` for a version without a schema; `prepare` rejects such a CRD.
fn kind(crd: &Value, version: &Value, schemas: &Arc<Schemas>) -> Option<Kind> {
    let name = |field: &str| text(crd, &format!("/status/acceptedNames/{field}")).to_owned();
    let names =
        |field: &str| texts(crd, &format!("/status/acceptedNames/{field}")).into_iter().map(str::to_owned).collect();
    let group = text(crd, "/spec/group");
    let plural = name("plural");
    let custom = custom(crd, version, schemas)?;
    Some(Kind {
        group: group.to_owned(),
        version: text(version, "/name").to_owned(),
        kind: name("kind"),
        singular: name("singular"),
        list_kind: name("listKind"),
        short_names: names("shortNames"),
        categories: names("categories"),
        namespaced: text(crd, "/spec/scope") == "Namespaced",
        storage: Storage::new(group, &plural),
        plural,
        verbs: verbs(crd),
        status: version.pointer("/subresources/status").is_some_and(|status| !status.is_null()),
        scale: version.pointer("/subresources/scale").filter(|scale| !scale.is_null()).map(scale),
        others: Vec::new(),
        generation: true,
        unconditional_update: false,
        create_on_update: false,
        fields: items(version, "/selectableFields").iter().map(selectable).collect(),
        origin: Origin::Custom(Arc::new(custom)),
    })
}

/// The verbs in the order of discovery for custom kinds; a CRD that is being deleted has fewer.
fn verbs(crd: &Value) -> Vec<Verb> {
    let mut verbs = vec![Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List];
    if !holds(crd, TERMINATING) {
        verbs.extend([Verb::Patch, Verb::Create, Verb::Update]);
    }
    verbs.push(Verb::Watch);
    verbs
}

fn scale(scale: &Value) -> Scale {
    let pointer = |field| crate::registry::pointer(text(scale, field));
    let selector = scale.get("labelSelectorPath").filter(|path| !path.is_null());
    Scale {
        spec_replicas: pointer("/specReplicasPath"),
        status_replicas: pointer("/statusReplicasPath"),
        selector: selector.map(|_| Selector::Text(pointer("/labelSelectorPath"))),
    }
}

fn selectable(field: &Value) -> Selectable {
    let path = text(field, "/jsonPath");
    Selectable::at(path.trim_start_matches('.'), &[&crate::registry::pointer(path)], Absent::Empty)
}

fn custom(crd: &Value, version: &Value, schemas: &Arc<Schemas>) -> Option<Custom> {
    let schema = version.pointer("/schema/openAPIV3Schema")?;
    let structural = schemas.get(text(version, "/name"))?;
    let storage = items(crd, "/spec/versions").iter().find(|version| is_true(version, "/storage"));
    let storage_version = storage.map(|version| text(version, "/name").to_owned()).unwrap_or_default();
    Some(Custom {
        definition: text(crd, "/metadata/name").to_owned(),
        schema: Arc::new(schema.clone()),
        structural: Arc::clone(structural),
        // Without a marked storage version, objects have the version's own schema.
        storage_schema: Arc::clone(schemas.get(&storage_version).unwrap_or(structural)),
        storage_version,
        schemas: Arc::clone(schemas),
        columns: columns(version),
        deprecation: is_true(version, "/deprecated").then(|| deprecation(crd, version)),
        terminating: holds(crd, TERMINATING),
        conversion: conversion(crd),
        revision: format!("{}/{}", text(crd, "/metadata/uid"), crd["metadata"]["generation"]),
    })
}

/// The conversion webhook, if the strategy is Webhook.
fn conversion(crd: &Value) -> Option<Conversion> {
    let webhook =
        crd.pointer("/spec/conversion/webhook").filter(|_| text(crd, "/spec/conversion/strategy") == "Webhook");
    Conversion::deserialize(webhook?).ok()
}

fn columns(version: &Value) -> Vec<Column> {
    let columns = items(version, "/additionalPrinterColumns").iter();
    columns.filter_map(|column| serde_json::from_value(column.clone()).ok()).collect()
}

/// The deprecation warning as written, or one that recommends the newest version that is not deprecated.
fn deprecation(crd: &Value, version: &Value) -> String {
    if let Some(written) = version.get("deprecationWarning").and_then(Value::as_str) {
        return written.to_owned();
    }
    let (group, kind, own) = (text(crd, "/spec/group"), text(crd, "/spec/names/kind"), text(version, "/name"));
    let newer = served(crd)
        .filter(|version| !is_true(version, "/deprecated"))
        .map(|version| text(version, "/name"))
        .filter(|name| Rank::of(name) > Rank::of(own))
        .max_by_key(|name| Rank::of(name));
    match newer {
        Some(newer) => format!("{group}/{own} {kind} is deprecated; use {group}/{newer} {kind}"),
        None => format!("{group}/{own} {kind} is deprecated"),
    }
}

/// The priority of version names: v2 > v1 > v2beta1 > v1beta2 > v1alpha1 > all others, which are sorted by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank<'a>(Stability, u64, u64, std::cmp::Reverse<&'a str>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Other,
    Alpha,
    Beta,
    Stable,
}

impl<'a> Rank<'a> {
    pub(crate) fn of(name: &'a str) -> Self {
        Self::parse(name).unwrap_or(Self(Stability::Other, 0, 0, std::cmp::Reverse(name)))
    }

    fn parse(name: &str) -> Option<Self> {
        let rest = name.strip_prefix('v')?;
        let (major, rest) = number(rest)?;
        let (stability, rest) = match rest {
            "" => return Some(Self(Stability::Stable, major, 0, std::cmp::Reverse(""))),
            rest => match rest.strip_prefix("beta") {
                Some(rest) => (Stability::Beta, rest),
                None => (Stability::Alpha, rest.strip_prefix("alpha")?),
            },
        };
        let (minor, rest) = number(rest)?;
        rest.is_empty().then_some(Self(stability, major, minor, std::cmp::Reverse("")))
    }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

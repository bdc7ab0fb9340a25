//! The part of the status contract about the API itself: versions, reviews of writes, routes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::app_manifest::{AppManifest, KindManifest, ReviewManifest};

/// The start of the guarantees about writes that may be refused.
const VALIDATION: &str = "validation of ";

/// The writes of a kind that functions of the operator review, such as `CREATE`, or `UPDATE of status` for a subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdmissionContract {
    /// The writes that may be refused.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub validation: BTreeSet<String>,
    /// The writes that may be changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub mutation: BTreeSet<String>,
}

/// The versions of each kind that has several, which the API server serves, by the name of the CRD.
pub(super) type Versions = BTreeMap<String, BTreeSet<String>>;
/// The reviews by resource and group.
pub(super) type Admission = BTreeMap<String, AdmissionContract>;
/// What a user needs for each route, by method and path.
pub(super) type Routes = BTreeMap<String, String>;

pub(super) fn versions(app: &AppManifest) -> Versions {
    let several = app.kinds.iter().filter(|kind| kind.versions.len() > 1);
    let served = |kind: &KindManifest| {
        kind.versions.iter().filter(|version| version.served).map(|version| version.name.clone()).collect()
    };
    several.map(|kind| (name(kind), served(kind))).collect()
}

pub(super) fn admission(app: &AppManifest) -> Admission {
    let reviewed = all(app).filter(|kind| !kind.validation.is_empty() || !kind.mutation.is_empty());
    let contract = |kind: &KindManifest| AdmissionContract {
        validation: kind.validation.iter().flat_map(writes).collect(),
        mutation: kind.mutation.iter().flat_map(writes).collect(),
    };
    reviewed.map(|kind| (name(kind), contract(kind))).collect()
}

pub(super) fn routes(app: &AppManifest) -> Routes {
    let routes = all(app).flat_map(|kind| &kind.routes);
    routes
        .map(|route| (format!("{} {}", route.method, route.path), format!("{} {}", route.verb, route.resource)))
        .collect()
}

fn all(app: &AppManifest) -> impl Iterator<Item = &KindManifest> {
    app.kinds.iter().chain(&app.other_kinds)
}

fn name(kind: &KindManifest) -> String {
    format!("{}.{}", kind.plural, kind.group).trim_end_matches('.').to_owned()
}

fn writes(review: &ReviewManifest) -> impl Iterator<Item = String> {
    let of = review.subresource.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    review.operations.iter().map(move |operation| format!("{operation}{of}"))
}

/// The guarantees, each with its value.
pub(super) fn facts(versions: &Versions, admission: &Admission, routes: &Routes) -> Vec<(Vec<String>, String)> {
    let mut facts = Vec::new();
    let mut each = |start: String, items: &BTreeSet<String>| {
        facts.extend(items.iter().map(|item| (vec![start.clone(), item.clone()], String::new())));
    };
    for (kind, served) in versions {
        each(format!("versions of {kind}"), served);
    }
    for (kind, reviews) in admission {
        each(format!("{VALIDATION}{kind}"), &reviews.validation);
        each(format!("mutation of {kind}"), &reviews.mutation);
    }
    facts.extend(routes.iter().map(|(route, needed)| (vec![format!("route {route}")], needed.clone())));
    facts
}

/// Whether the guarantee breaks clients when it is new: a write that was accepted may be refused.
pub(super) fn is_restriction(fact: &[String]) -> bool {
    fact.first().is_some_and(|start| start.starts_with(VALIDATION))
}

//! The manifest of an operator: its kinds, and everything that it does about them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;

use super::function_info::{ReviewInfo, RouteInfo};
use super::rbac_rule::RbacRule;
use super::reconciler_info::ReconcilerInfo;
use crate::kind::KindInfo;
use crate::wiring::Verb;

/// What an operator consists of, as `app` prints it: its kinds with their versions, functions and conditions, and its rights.
///
/// It is computed from the wiring, so it cannot differ from what the operator does. It is output only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AppManifest {
    /// The name of the operator.
    pub name: String,
    /// The version of the program, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The kinds whose CRDs the operator contains, by group and name.
    pub kinds: Vec<KindManifest>,
    /// The kinds of others that it reconciles or reviews, or for which it has routes, by group and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_kinds: Vec<KindManifest>,
    /// The RBAC rules about kinds whose CRDs it does not contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<PermissionManifest>,
}

/// A kind, and what the operator does about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KindManifest {
    /// The API group; empty for the core group.
    pub group: String,
    /// The name of the kind.
    pub kind: String,
    /// The resource: `gitrepositories`.
    pub plural: String,
    /// `Namespaced` or `Cluster`.
    pub scope: String,
    /// The versions in the order of the CRD; for a kind of others, those that the operator uses.
    pub versions: Vec<VersionManifest>,
    /// How the API server converts between the versions: `None` or `Webhook`. Absent for a kind of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion: Option<String>,
    /// Its reconcilers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reconcilers: Vec<ReconcilerManifest>,
    /// Its watchers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watchers: Vec<ReconcilerManifest>,
    /// Its `#[validate]` functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validation: Vec<ReviewManifest>,
    /// Its `#[mutate]` functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutation: Vec<ReviewManifest>,
    /// The names of its `#[rule]` functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Its `#[route]` functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteManifest>,
}

/// A version of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VersionManifest {
    /// The name: `v1beta1`.
    pub name: String,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether the API server stores objects in it.
    #[serde(skip_serializing_if = "is_false")]
    pub storage: bool,
    /// Whether the API server warns its users.
    #[serde(skip_serializing_if = "is_false")]
    pub deprecated: bool,
}

/// A reconciler or a watcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReconcilerManifest {
    /// The name of the function or of the struct.
    pub name: String,
    /// The types of the conditions that it sets, the summary first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The finalizer that it puts on objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finalizer: Option<String>,
}

/// A function that reviews writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReviewManifest {
    /// The name of the function.
    pub function: String,
    /// The operations that it reviews, such as `CREATE`.
    pub operations: Vec<String>,
    /// What happens to the write if the function does not answer: `Fail` or `Ignore`.
    pub failure: String,
    /// The subresource that it reviews instead of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresource: Option<String>,
}

/// A function that answers requests of users about an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RouteManifest {
    /// The name of the function.
    pub function: String,
    /// The method: `GET`.
    pub method: String,
    /// The path from the root of the webhook server.
    pub path: String,
    /// The resource on which a user needs the verb: `gitrepositories/artifact`.
    pub resource: String,
    /// The verb that the user needs: `get`.
    pub verb: String,
}

/// The verbs that the operator needs on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PermissionManifest {
    /// The API group; empty for the core group.
    pub group: String,
    /// The resource as in an RBAC rule: `secrets`.
    pub resource: String,
    /// The name of the only object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The verbs.
    pub verbs: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Everything from which the manifest of an operator is computed.
pub(crate) struct AppParts<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
    pub(crate) definitions: &'a [CustomResourceDefinition],
    pub(crate) reconcilers: &'a [ReconcilerInfo],
    pub(crate) rules: &'a [(KindInfo, &'static str)],
    pub(crate) reviews: &'a [ReviewInfo],
    pub(crate) routes: &'a [RouteInfo],
    pub(crate) rbac: &'a [RbacRule],
}

impl AppManifest {
    pub(crate) fn new(parts: &AppParts<'_>) -> Self {
        let mut kinds: Vec<KindManifest> = parts.definitions.iter().map(KindManifest::of_definition).collect();
        let own = kinds.len();
        for known in parts.reconcilers {
            let kind = find(&mut kinds, &known.kind);
            let list = if known.wiring.watcher.is_some() { &mut kind.watchers } else { &mut kind.reconcilers };
            list.push(ReconcilerManifest::of(known));
        }
        for review in parts.reviews {
            let kind = find(&mut kinds, &review.kind);
            let list = if review.mutates { &mut kind.mutation } else { &mut kind.validation };
            list.push(ReviewManifest::of(review));
        }
        for (of, rule) in parts.rules {
            find(&mut kinds, of).rules.push((*rule).to_owned());
        }
        for route in parts.routes {
            find(&mut kinds, &route.kind).routes.push(RouteManifest::of(route));
        }
        let mut other_kinds = kinds.split_off(own);
        let by_name = |kind: &KindManifest| (kind.group.clone(), kind.kind.clone());
        kinds.sort_by_key(by_name);
        other_kinds.sort_by_key(by_name);
        let permissions = parts.rbac.iter().filter(|rule| !is_own(&kinds, rule)).map(PermissionManifest::of).collect();
        let version = parts.version.map(ToOwned::to_owned);
        Self { name: parts.name.to_owned(), version, kinds, other_kinds, permissions }
    }
}

/// Whether the rule is about a kind of the operator, or a subresource of one.
fn is_own(kinds: &[KindManifest], rule: &RbacRule) -> bool {
    let resource = rule.resource.split_once('/').map_or(&*rule.resource, |(resource, _)| resource);
    kinds.iter().any(|kind| kind.group == rule.group && kind.plural == resource)
}

/// The entry of the kind, with its version.
fn find<'k>(kinds: &'k mut Vec<KindManifest>, of: &KindInfo) -> &'k mut KindManifest {
    let (resource, known) = (&of.resource, kinds.len());
    let is_it = |kind: &KindManifest| kind.group == resource.group && kind.kind == resource.kind;
    let at = kinds.iter().position(is_it).unwrap_or(known);
    if at == known {
        kinds.push(KindManifest {
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            plural: resource.plural.clone(),
            scope: if of.namespaced { "Namespaced" } else { "Cluster" }.to_owned(),
            ..KindManifest::default()
        });
    }
    let kind = &mut kinds[at];
    // The CRD of an own kind lists all of its versions.
    if kind.conversion.is_none() && !kind.versions.iter().any(|version| version.name == resource.version) {
        let name = resource.version.clone();
        kind.versions.push(VersionManifest { name, served: true, ..VersionManifest::default() });
    }
    kind
}

impl KindManifest {
    fn of_definition(definition: &CustomResourceDefinition) -> Self {
        let spec = &definition.spec;
        let versions = spec.versions.iter().map(|version| VersionManifest {
            name: version.name.clone(),
            served: version.served,
            storage: version.storage,
            deprecated: version.deprecated.unwrap_or_default(),
        });
        let conversion = spec.conversion.as_ref().map_or("None", |conversion| &conversion.strategy);
        Self {
            group: spec.group.clone(),
            kind: spec.names.kind.clone(),
            plural: spec.names.plural.clone(),
            scope: spec.scope.clone(),
            versions: versions.collect(),
            conversion: Some(conversion.to_owned()),
            ..Self::default()
        }
    }
}

impl ReconcilerManifest {
    fn of(known: &ReconcilerInfo) -> Self {
        let wiring = &known.wiring;
        let framework = wiring.framework_types().iter().copied();
        let conditions = std::iter::once(wiring.summary_type()).chain(wiring.condition_types()).chain(framework);
        Self {
            name: wiring.name.to_owned(),
            // A watcher that writes nothing has them in memory only.
            conditions: conditions.filter(|_| !wiring.is_plain()).map(ToOwned::to_owned).collect(),
            finalizer: known.finalizer.clone(),
        }
    }
}

impl PermissionManifest {
    fn of(rule: &RbacRule) -> Self {
        Self {
            group: rule.group.clone(),
            resource: rule.resource.clone(),
            name: rule.name.map(ToOwned::to_owned),
            verbs: rule.verbs.iter().copied().map(Verb::as_str).map(ToOwned::to_owned).collect(),
        }
    }
}

impl ReviewManifest {
    fn of(review: &ReviewInfo) -> Self {
        Self {
            function: review.function.to_owned(),
            operations: review.operations.iter().map(|one| (*one).to_owned()).collect(),
            failure: review.failure.to_owned(),
            subresource: review.subresource.map(ToOwned::to_owned),
        }
    }
}

impl RouteManifest {
    fn of(route: &RouteInfo) -> Self {
        Self {
            function: route.function.to_owned(),
            method: route.method.to_owned(),
            path: route.path.clone(),
            resource: route.resource.clone(),
            verb: route.verb.to_owned(),
        }
    }
}

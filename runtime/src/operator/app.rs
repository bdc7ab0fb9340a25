//! The manifest of an operator, from its wiring.

use kube::core::DynamicObject;

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use crate::introspection::{AppManifest, AppParts, ReviewInfo, RouteInfo, grafana};

/// See [`Operator::app_manifest`].
pub(super) fn manifest(operator: &Operator) -> AppManifest {
    let rules: Vec<_> = operator.rules.iter().map(|rule| (rule.kind.clone(), rule.declared.name)).collect();
    AppManifest::new(&AppParts {
        name: &operator.name,
        version: operator.version.as_deref(),
        definitions: &operator.definitions(),
        reconcilers: &operator.introspect(),
        rules: &rules,
        reviews: &reviews(operator),
        routes: &routes(operator),
        rbac: &operator.rbac_rules(),
    })
}

/// See [`Operator::grafana_manifests`].
pub(super) fn grafana_manifests(operator: &Operator) -> Result<Vec<DynamicObject>> {
    grafana(&manifest(operator), &operator.definitions()).map_err(|name| {
        let headline = format!("`{name}` cannot be the name of an app in Grafana");
        let help = "begin the name of the operator with a letter, and give it at least two characters";
        Error::new(Reason::Setup, headline, help)
    })
}

#[cfg(feature = "webhooks")]
fn reviews(operator: &Operator) -> Vec<ReviewInfo> {
    operator.reviews.functions.iter().map(crate::admission::Function::info).collect()
}

#[cfg(not(feature = "webhooks"))]
fn reviews(_operator: &Operator) -> Vec<ReviewInfo> {
    Vec::new()
}

#[cfg(feature = "routes")]
fn routes(operator: &Operator) -> Vec<RouteInfo> {
    super::routes::infos(operator)
}

#[cfg(not(feature = "routes"))]
fn routes(_operator: &Operator) -> Vec<RouteInfo> {
    Vec::new()
}

//! The CRDs of kinds with several served versions.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition, ServiceReference, WebhookClientConfig, WebhookConversion,
};
use kube::core::crd::{MergeError, merge_crds};

use super::builder::Operator;
use super::crd_check::ServedVersion;
use crate::admission::WebhookTarget;
use crate::conversion::RegisteredSpoke;
use crate::introspection::remove_unknown_formats;
use crate::wiring::{KindInfo, conversion_path};

/// The name of the strategy that calls a webhook.
const WEBHOOK: &str = "Webhook";

/// Where API servers find the operator: the target of a flag, of the server, or the Service of the operator in the namespace `default`.
pub(super) fn target(operator: &Operator) -> WebhookTarget {
    let reviews = &operator.reviews;
    let of_server = || reviews.server.as_ref().and_then(|server| server.target.clone());
    let default = || WebhookTarget::service("default", format!("{}-webhooks", operator.name));
    reviews.target.clone().or_else(of_server).unwrap_or_else(default)
}

/// Adds the served versions to the CRDs of their kinds, which then call the operator. The start of the operator reports versions that do not
/// belong to their kind; here they are left out.
pub(super) fn add(spokes: &[RegisteredSpoke], definitions: &mut [CustomResourceDefinition], target: &WebhookTarget) {
    for definition in definitions {
        let own: Vec<&RegisteredSpoke> =
            spokes.iter().filter(|spoke| definition.metadata.name == Some(spoke.crd_name())).collect();
        if let (false, Ok(merged)) = (own.is_empty(), merged(definition, &own)) {
            *definition = merged;
            let name = definition.metadata.name.clone().unwrap_or_default();
            definition.spec.conversion = Some(conversion(&name, target));
        }
    }
}

/// The CRD with these versions.
///
/// # Errors
/// A version has another group, kind or scope, or the CRD has several versions already.
pub(super) fn merged(
    definition: &CustomResourceDefinition,
    spokes: &[&RegisteredSpoke],
) -> Result<CustomResourceDefinition, MergeError> {
    // They are merged in reverse order.
    let others = spokes.iter().rev().map(|spoke| alone(spoke));
    let all = [definition.clone()].into_iter().chain(others).collect();
    merge_crds(all, &spokes.first().map(|spoke| spoke.hub.resource.version.clone()).unwrap_or_default())
}

/// The versions that the operator converts, with their schemas, each with its stored one.
pub(super) fn all(spokes: &[RegisteredSpoke]) -> Vec<(KindInfo, ServedVersion)> {
    let version = |spoke: &RegisteredSpoke| ServedVersion::of(&alone(spoke), &spoke.spoke.resource.version);
    spokes.iter().map(|spoke| (spoke.hub.clone(), version(spoke))).collect()
}

/// The versions of one kind.
#[cfg(feature = "doctor")]
pub(super) fn of_kind(spokes: &[RegisteredSpoke], kind: &KindInfo) -> Vec<ServedVersion> {
    all(spokes).into_iter().filter(|(hub, _)| hub == kind).map(|(_, served)| served).collect()
}

/// The CRD of a served version alone.
fn alone(spoke: &RegisteredSpoke) -> CustomResourceDefinition {
    let mut definition = (spoke.wiring.spoke.definition)();
    remove_unknown_formats(&mut definition);
    if let Some(warning) = spoke.wiring.deprecated {
        for version in &mut definition.spec.versions {
            version.deprecated = Some(true);
            version.deprecation_warning = Some(warning.to_owned());
        }
    }
    definition
}

fn conversion(name: &str, target: &WebhookTarget) -> CustomResourceConversion {
    let path = conversion_path(name);
    let client_config = match target {
        WebhookTarget::Service { namespace, name } => WebhookClientConfig {
            service: Some(ServiceReference {
                namespace: namespace.clone(),
                name: name.clone(),
                path: Some(path),
                port: Some(443),
            }),
            ..WebhookClientConfig::default()
        },
        WebhookTarget::Url(url) => WebhookClientConfig {
            url: Some(format!("{}{path}", url.trim_end_matches('/'))),
            ..WebhookClientConfig::default()
        },
    };
    let webhook =
        WebhookConversion { client_config: Some(client_config), conversion_review_versions: vec!["v1".to_owned()] };
    CustomResourceConversion { strategy: WEBHOOK.to_owned(), webhook: Some(webhook) }
}

//! The roles by which an operator keeps its certificate.

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule, Role};
use kube::api::ObjectMeta;

use crate::introspection::Roles;

/// The roles for an operator in this namespace, with the CRDs that call it for conversions.
pub(super) fn webhook_roles(operator: &str, namespace: &str, definitions: &[String]) -> Roles {
    let metadata = |namespace: Option<&str>| ObjectMeta {
        name: Some(format!("{operator}-webhooks")),
        namespace: namespace.map(ToOwned::to_owned),
        ..ObjectMeta::default()
    };
    let secret = format!("{operator}-webhook");
    let secrets = vec![
        rule("", &["secrets"], &["create"], &[]),
        rule("", &["secrets"], &["get", "list", "update", "watch"], &[secret]),
    ];
    let kinds = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
    let verbs = ["get", "list", "patch", "watch"];
    let mut configurations = vec![rule("admissionregistration.k8s.io", &kinds, &verbs, &[operator.to_owned()])];
    if !definitions.is_empty() {
        configurations.push(rule("apiextensions.k8s.io", &["customresourcedefinitions"], &verbs, definitions));
    }
    Roles {
        cluster_role: Some(ClusterRole {
            metadata: metadata(None),
            rules: Some(configurations),
            ..ClusterRole::default()
        }),
        roles: vec![Role { metadata: metadata(Some(namespace)), rules: Some(secrets) }],
        site_role: None,
    }
}

fn rule(group: &str, resources: &[&str], verbs: &[&str], names: &[String]) -> PolicyRule {
    let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(texts(resources)),
        verbs: texts(verbs),
        resource_names: (!names.is_empty()).then(|| names.to_vec()),
        ..PolicyRule::default()
    }
}

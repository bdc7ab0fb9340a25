//! The roles that let the users of a cluster read and edit the kinds of the operator.

use k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::labels::Source;

/// Adds the rules of a role to those of the role `view`, `edit` or `admin` of a cluster.
///
/// Source: <https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles>.
const AGGREGATE: &str = "rbac.authorization.k8s.io/aggregate-to-";

/// The roles `<operator>-<plural>-view` and `-edit` of each kind that the operator installs.
pub(super) fn aggregated_roles(source: Source<'_>) -> Vec<ClusterRole> {
    source.parts.definitions.iter().flat_map(|definition| both(source, definition)).collect()
}

fn both(source: Source<'_>, definition: &CustomResourceDefinition) -> [ClusterRole; 2] {
    let (group, plural) = (&definition.spec.group, &definition.spec.names.plural);
    let rule = |resource: String, verbs: &[&str]| PolicyRule {
        api_groups: Some(vec![group.clone()]),
        resources: Some(vec![resource]),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
        ..PolicyRule::default()
    };
    let role = |ending: &str, targets: &[&str], rules: Vec<PolicyRule>| {
        let mut metadata = source.cluster_meta(&format!("-{plural}-{ending}"));
        let labels = targets.iter().map(|target| (format!("{AGGREGATE}{target}"), "true".to_owned()));
        metadata.labels.get_or_insert_default().extend(labels);
        ClusterRole { metadata, rules: Some(rules), ..ClusterRole::default() }
    };
    let reads = vec![rule(plural.clone(), &["get", "list", "watch"]), rule(format!("{plural}/status"), &["get"])];
    let writes = vec![rule(plural.clone(), &["create", "delete", "deletecollection", "patch", "update"])];
    [role("view", &["view", "edit", "admin"], reads), role("edit", &["edit", "admin"], writes)]
}

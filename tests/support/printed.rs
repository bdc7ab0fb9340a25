//! The machine-readable output of the command line of an operator, for programs with another command line.

use evenkeel::Operator;

/// Returns the text of `crds`: one YAML document for each CRD.
///
/// # Panics
/// A CRD cannot be serialized.
#[must_use]
pub fn crds(operator: &Operator) -> String {
    let documents = operator.definitions().into_iter().map(|crd| format!("---\n{}", yaml(&crd)));
    documents.collect()
}

/// Returns the text of `rbac --output yaml`: one YAML document for each role.
///
/// # Panics
/// A role cannot be serialized.
#[must_use]
pub fn rbac(operator: &Operator) -> String {
    let roles = operator.roles();
    let cluster = roles.cluster_role.iter().map(|role| format!("---\n{}", yaml(role)));
    cluster.chain(roles.roles.iter().map(|role| format!("---\n{}", yaml(role)))).collect()
}

fn yaml(value: &impl serde::Serialize) -> String {
    serde_saphyr::to_string(value).expect("it serializes")
}

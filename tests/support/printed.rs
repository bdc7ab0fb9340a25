//! The machine-readable output of the command line of an operator, for programs with another command line.

use evenkeel::Operator;

/// Returns the text of `crds`: one YAML document for each CRD.
///
/// # Panics
/// A CRD cannot be serialized.
#[must_use]
pub fn crds(operator: &Operator) -> String {
    documents(&operator.definitions())
}

/// Returns the text of `rbac --output yaml`: one YAML document for each role.
///
/// # Panics
/// A role cannot be serialized.
#[must_use]
pub fn rbac(operator: &Operator) -> String {
    let roles = operator.roles();
    documents(&roles.cluster_role) + &documents(&roles.roles)
}

fn documents<'a, T: serde::Serialize + 'a>(objects: impl IntoIterator<Item = &'a T>) -> String {
    let yaml = |object: &T| serde_saphyr::to_string(object).expect("it serializes");
    objects.into_iter().map(|object| format!("---\n{}", yaml(object))).collect()
}

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

/// Returns the text of `rbac --output yaml`.
///
/// # Panics
/// The RBAC rules cannot be serialized.
#[must_use]
pub fn rbac(operator: &Operator) -> String {
    yaml(&operator.rbac_rules())
}

fn yaml(value: &impl serde::Serialize) -> String {
    serde_saphyr::to_string(value).expect("it serializes")
}

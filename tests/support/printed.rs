//! What the command line of an operator prints for machines, for the programs that have another command line.

use evenkeel::Operator;

/// The text of `crds`: one YAML document for each CRD.
///
/// # Panics
/// A CRD cannot be serialized.
#[must_use]
pub fn crds(operator: &Operator) -> String {
    let documents = operator.definitions().into_iter().map(|crd| format!("---\n{}", yaml(&crd)));
    documents.collect()
}

/// The text of `rbac --output yaml`.
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

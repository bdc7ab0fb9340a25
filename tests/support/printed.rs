//! The machine-readable output of the command line of an operator, for programs with another command line.

use evenkeel::Operator;
use evenkeel::manifests::{ManifestOptions, Part};

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

/// Returns the text of `manifests`, and that of the parts that not every cluster needs. The dashboard is a golden file of its own.
///
/// # Panics
/// An option is refused, or an object cannot be serialized.
#[must_use]
pub fn manifests(operator: &Operator, options: &ManifestOptions) -> (String, String) {
    let set = operator.manifest_set(options).expect("the options are accepted");
    let text = |only: &[Part]| set.text(only).expect("the objects can be written");
    (
        text(&[]),
        text(&Part::ALL.into_iter().filter(|part| part.is_optional() && *part != Part::Dashboard).collect::<Vec<_>>()),
    )
}

/// Returns the text of `alerts`, and that of `dashboard`.
///
/// # Panics
/// The alerts cannot be serialized.
#[must_use]
pub fn monitoring(operator: &Operator) -> (String, String) {
    let rules = operator.alert_set().rule_file().expect("the alerts can be written");
    (rules, format!("{:#}\n", operator.dashboard()))
}

fn documents<'a, T: serde::Serialize + 'a>(objects: impl IntoIterator<Item = &'a T>) -> String {
    let yaml = |object: &T| serde_saphyr::to_string(object).expect("it serializes");
    objects.into_iter().map(|object| format!("---\n{}", yaml(object))).collect()
}

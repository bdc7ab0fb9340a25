//! The allowed inputs of the cases of each group.

use evenkeel_tests::given::Known;

const FREE: &[&str] = &[];
const CONDITION: &[&str] = &["True", "False", "Unknown"];

/// The vocabulary of a group.
pub(crate) fn known(group: &str) -> Known {
    match group {
        "sap.readiness.table" | "sap.readiness.special" => OBJECT,
        _ => &[],
    }
}

const OBJECT: Known = &[
    ("kind", &["CustomResourceDefinition", "APIService", "Job"]),
    ("generation", FREE),
    ("status.observedGeneration", FREE),
    ("conditions", FREE),
    ("conditions.Established", CONDITION),
    ("conditions.NamesAccepted", CONDITION),
    ("conditions.Available", CONDITION),
    ("conditions.Complete", CONDITION),
    ("conditions.Failed", CONDITION),
    ("status_hint", FREE),
];

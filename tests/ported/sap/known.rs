//! The allowed inputs of the cases of each group.

use evenkeel_tests::given::Known;

const FREE: &[&str] = &[];
const CONDITION: &[&str] = &["True", "False", "Unknown"];

/// The vocabulary of a group.
pub(crate) fn known(group: &str) -> Known {
    match group {
        "sap.readiness.table" | "sap.readiness.special" => OBJECT,
        "sap.digest" => {
            &[("policy", &["on-object-change", "on-object-or-component-change", "once", "any"]), ("changed", FREE)]
        }
        "sap.apply-decision" => DECISION,
        "sap.managed-type-patterns" => &[("name", FREE), ("pattern", FREE)],
        "sap.managed-types" => &[("object", FREE)],
        "sap.order-validation" => ORDERS,
        "sap.in-wave-order" => &[("op", &["apply", "delete"]), ("kind", FREE)],
        "sap.manifest-validation" => &[("objects", FREE), ("deploy_namespace", FREE)],
        _ if group.starts_with("sap.annotation.") => &[("annotation", FREE)],
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

const DECISION: Known = &[
    ("live", FREE),
    ("live.finalizers", FREE),
    ("digest", &["same", "different", "__once__"]),
    ("policy", &["on-object-change", "once"]),
    ("update_policy", &["replace", "recreate", "ssa-merge", "ssa-override"]),
    ("last_applied_age_s", FREE),
    ("reapply_s", FREE),
    ("manifest_changed", FREE),
    ("deletionTimestamp", FREE),
];

const ORDERS: Known = &[
    ("crd.apply", FREE),
    ("crd.delete", FREE),
    ("crd.purge", FREE),
    ("instance.apply", FREE),
    ("instance.delete", FREE),
    ("instance.purge", FREE),
    ("namespace.apply", FREE),
    ("namespace.delete", FREE),
    ("namespace.purge", FREE),
    ("content.apply", FREE),
    ("content.delete", FREE),
    ("content.purge", FREE),
];

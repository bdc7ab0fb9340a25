//! The component reconciler of SAP: the status of dependents. Its other groups have no adapter yet.

mod known;
mod object_status;

use crate::suite::groups;

groups! {
    "sap", known::known,
    readiness_table = "sap.readiness.table": object_status::adapter,
    readiness_special = "sap.readiness.special": object_status::adapter,
}

#[test]
fn each_adapter_has_a_group() {
    let Some(all) = crate::suite::groups_of("sap") else { return };
    for group in GROUPS {
        assert!(all.iter().any(|one| one["id"] == *group), "{group}");
    }
}

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
        "sap.adoption" => &[("policy", ADOPTION), ("live_owner", &["none", "self", "other"]), ("in_inventory", FREE)],
        "sap.ssa-override" => &[("extra_field_manager", FREE), ("update_policy", UPDATE)],
        "sap.owner-mark" => &[("component", FREE), ("cluster_uid", FREE)],
        "sap.policy-defaults" => DEFAULTS,
        "sap.finalizer" => &[("deleting", FREE), ("finalizer", FREE), ("delete", &["done"])],
        "sap.hooks" => HOOKS,
        "sap.references" => &[
            ("deleting", FREE),
            ("reference", &["absent", "content changed"]),
            ("not_found_policy", &["ignoreOnDeletion"]),
        ],
        "sap.retriable-error" => &[("error", FREE), ("after_s", FREE)],
        "sap.backoff" => &[("base_ms", FREE), ("calls", FREE), ("inventory", &["changed"])],
        "sap.state" => STATE,
        "sap.inventory-lookup" => &[("inventory", FREE), ("key", FREE), ("namespace", FREE)],
        "sap.events" => &[("emit", FREE), ("window_s", FREE), ("emit_at_s", FREE), ("state", &["Error", "any other"])],
        "sap.apply.sequences" => &[("objects", FREE), ("new_objects", FREE), ("precondition", &["all Ready"])],
        "sap.delete.sequences" => {
            &[("inventory", FREE), ("precondition", &["all Ready"]), ("live_owner_of_c", &["other"]), ("live", FREE)]
        }
        "sap.issues" => &[("commit", FREE), ("story", FREE)],
        "sap.deletion-allowed" => {
            &[("inventory", FREE), ("cluster", FREE), ("allowed", FREE), ("component_finalizers", FREE)]
        }
        "sap.missing-namespaces" => {
            &[("objects", FREE), ("policy", &["create", "do-not-create"]), ("cluster", FREE), ("missing", FREE)]
        }
        "sap.intervals" => &[
            ("requeue_s", FREE),
            ("retry_s", FREE),
            ("timeout_s", FREE),
            ("component_requeue_s", FREE),
            ("spec_requeue_s", FREE),
        ],
        "sap.revision" => &[("processing_digest", FREE), ("last_processing_digest", FREE), ("revision", FREE)],
        "sap.clients" => &[
            ("option.default_service_account", FREE),
            ("component.impersonation", FREE),
            ("component.kubeconfig", FREE),
            ("same_key_twice", FREE),
            ("idle_s", FREE),
        ],
        "sap.timeout-restart" => &[("changed", &["component", "dependent status"])],
        _ if group.starts_with("sap.annotation.") => &[("annotation", FREE)],
        _ => &[],
    }
}

const ADOPTION: &[&str] = &["if-unowned", "never", "always"];
const UPDATE: &[&str] = &["replace", "recreate", "ssa-merge", "ssa-override"];
const DELETE: &[&str] = &["delete", "orphan", "orphan-on-apply", "orphan-on-delete"];

const DEFAULTS: Known = &[
    ("option.adoption", ADOPTION),
    ("option.update", UPDATE),
    ("option.delete", DELETE),
    ("component.adoption", ADOPTION),
    ("component.update", &["replace", "recreate", "ssa-merge", "ssa-override", ""]),
    ("component.delete", DELETE),
    ("object.missing-namespaces", FREE),
];

const HOOKS: Known = &[
    ("deleting", FREE),
    ("apply", &["done", "error"]),
    ("delete", &["done"]),
    ("deletion_allowed", FREE),
    ("post-read", &["error"]),
    ("pre-reconcile", &["error", "a", "b", "a fails", "b fails"]),
    ("post-reconcile", &["error"]),
    ("pre-delete", &["error"]),
    ("post-delete", &["error"]),
    ("hook", &["post-read", "pre-reconcile", "post-reconcile", "pre-delete", "post-delete"]),
    ("when", &["after setup"]),
];

const STATE: Known = &[
    ("status.observedGeneration", FREE),
    ("suspended", FREE),
    ("deleting", FREE),
    ("apply", &["done", "not done"]),
    ("delete", &["done"]),
    ("previous", &["Processing", "Ready"]),
    ("component_digest", &["changed", "unchanged"]),
    ("error", &["retriable", "wraps retriable", "other"]),
    ("processing_for_s", FREE),
    ("processing_since", FREE),
    ("pending_for_s", FREE),
    ("timeout_s", FREE),
    ("retry_after_s", FREE),
    ("retry_interval_s", FREE),
    ("requeue_interval_s", FREE),
    ("deletion_allowed", FREE),
];

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
    ("update_policy", UPDATE),
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

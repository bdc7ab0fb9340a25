//! The allowed inputs of the cases of each group.

use evenkeel_tests::given::Known;

const POLICIES: &[&str] = &["manage", "skip", "detach-on-delete"];
const SEVERITIES: &[&str] = &["Error", "Warning", "Info"];
const STATES: &[&str] = &["True", "Error", "Warning", "Info", "Unknown"];
const OF_A_CALL: &[&str] = &["ready_impacting", "other", "NotFound", "Conflict"];
const FREE: &[&str] = &[];

/// The vocabulary of a group.
pub(crate) fn known(group: &str) -> Known {
    match group {
        "aso.lifecycle" => LIFECYCLE,
        "aso.policy.parse" => &[("value", FREE), ("default", &["", "manage", "skip", "detach-on-delete"])],
        "aso.policy.allows" => &[("policy", POLICIES)],
        "aso.policy.resolve" => RESOLVE,
        "aso.policy.for-other-resource" => OTHER,
        "aso.policy.change-trigger" => &[("old", FREE), ("new", FREE)],
        "aso.predicate.annotation" => PREDICATE,
        "aso.condition.overwrite" | "aso.condition.overwrite-reason-aware" => OVERWRITE,
        "aso.condition.transition-time" => TRANSITION,
        "aso.reasons" => &[("reason", FREE)],
        "aso.ready-error" => READY_ERROR,
        "aso.interval" => INTERVAL,
        "aso.claim.owner" => &[
            ("owner", &["absent"]),
            ("owner.ready", &["True", "False"]),
            ("owner.kind", &["external id", "kubernetes object"]),
        ],
        "aso.checks" => CHECKS,
        "aso.long-operation" => OPERATION,
        "aso.classify" => &[("code", FREE), ("codes", FREE), ("http", FREE), ("extension", &["marks retryable"])],
        "aso.config" => {
            &[("AZURE_SYNC_PERIOD", FREE), ("DEFAULT_RECONCILE_POLICY", FREE), ("AZURE_TARGET_NAMESPACES", FREE)]
        }
        "aso.user-scenarios" => STORIES,
        _ => &[],
    }
}

const LIFECYCLE: Known = &[
    ("exists", FREE),
    ("deleting", FREE),
    ("our_finalizer", FREE),
    ("foreign_finalizers", FREE),
    ("policy", POLICIES),
    ("operator_namespace", &["ours", "someone-else"]),
    ("claim.error", OF_A_CALL),
    ("persist_finalizer.error", OF_A_CALL),
    ("remove_finalizer.error", OF_A_CALL),
    ("update_status.error", OF_A_CALL),
    ("update_status.severity", SEVERITIES),
    ("update_status.reason", FREE),
    ("create_or_update.changed", FREE),
    ("create_or_update.result", FREE),
    ("create_or_update.error", OF_A_CALL),
    ("create_or_update.severity", SEVERITIES),
    ("create_or_update.reason", FREE),
    ("delete.result", FREE),
    ("delete.error", OF_A_CALL),
    ("delete.severity", SEVERITIES),
    ("delete.reason", FREE),
];

const RESOLVE: Known =
    &[("object", FREE), ("namespace", FREE), ("namespace.error", &["NotFound"]), ("global", POLICIES)];

const OTHER: Known = &[
    ("resolved.effective", POLICIES),
    ("resolved.namespace_policy", POLICIES),
    ("resolved.namespace", FREE),
    ("resolved.global", POLICIES),
    ("other.namespace", FREE),
    ("other.annotation", FREE),
];

const PREDICATE: Known = &[
    ("event", &["create", "generic", "update"]),
    ("old.watched", FREE),
    ("old.other", FREE),
    ("new.watched", FREE),
    ("new.other", FREE),
    ("generation", FREE),
];

const OVERWRITE: Known = &[
    ("old", FREE),
    ("old.type", &["Ready"]),
    ("old.state", STATES),
    ("old.gen", FREE),
    ("old.reason", FREE),
    ("old.message", FREE),
    ("new.type", &["Other"]),
    ("new.state", STATES),
    ("new.gen", FREE),
    ("new.reason", FREE),
    ("new.message", FREE),
];

const TRANSITION: Known = &[
    ("old", &["True"]),
    ("old.status", &["True", "False"]),
    ("old.severity", SEVERITIES),
    ("old.reason", FREE),
    ("old.message", FREE),
    ("new", &["True"]),
    ("new.status", &["True", "False"]),
    ("new.severity", SEVERITIES),
    ("new.reason", FREE),
    ("new.message", FREE),
];

const READY_ERROR: Known = &[
    ("error", FREE),
    ("error*.wrap", FREE),
    ("error*.kind", &["ready_impacting"]),
    ("error*.severity", SEVERITIES),
    ("error*.reason", FREE),
    ("error*.cause", FREE),
    ("error*.retry", &["very_slow"]),
    ("a.severity", SEVERITIES),
    ("a.reason", FREE),
    ("a.cause", FREE),
    ("b.severity", SEVERITIES),
    ("b.reason", FREE),
    ("b.cause", FREE),
];

const INTERVAL: Known = &[
    ("severity", &["Warning", "Info"]),
    ("retry", &["fast", "very_slow", "none"]),
    ("base_s", FREE),
    ("max_s", FREE),
    ("failures", FREE),
    ("jitter", FREE),
    ("result", &["empty", "requeue"]),
    ("sync_period_s", FREE),
    ("error", &["NotFound", "Conflict"]),
    ("sequence", &["fast-warning", "success"]),
];

const CHECKS: Known = &[
    ("pre", &["proceed", "postpone", "block", "error"]),
    ("owner", FREE),
    ("owner_pre", &["proceed", "postpone", "block", "error"]),
    ("post", &["success", "record", "error"]),
    ("message", FREE),
    ("deleter", &["completed"]),
    ("deleter.monitor", &["op-id"]),
    ("deleter.retry_after_s", FREE),
];

const OPERATION: Known = &[
    ("started_at_generation", FREE),
    ("generation_now", FREE),
    ("operation", &["running", "succeeded"]),
    ("resume_token", &["persisted on the object"]),
    ("persist_token.error", &["Conflict"]),
];

const STORIES: Known = &[
    ("policy", POLICIES),
    ("outside", &["absent", "present", "present, made by someone else"]),
    ("steps", &["create", "delete", "namespace annotation skip removed", "commit hits Conflict", "no further event"]),
];

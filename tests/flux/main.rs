//! The recorded cases of the Flux result model, run through the algebra. `rules` lists the intended differences.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod check;
mod classic;
mod compare;
mod deviation;
mod kstatus;
mod life;
mod list;
mod merge;
mod message;
mod patch;
mod rules;
mod suite;
mod value;

use suite::suites;

/// The inputs of the suites of a run.
const RUN: &[&str] = &["conditions", "error", "generation", "result", "successIntervalSeconds"];
/// The inputs of the suites that also summarize.
const END: &[&str] = &[
    "annotations",
    "bipolar",
    "conditions",
    "error",
    "generation",
    "kstatusNegativePolarity",
    "result",
    "resultBuilder",
    "statusObservedGeneration",
    "successIntervalSeconds",
    "targets",
];
/// The inputs of a merge.
const MERGE: &[&str] = &["conditions", "options", "target"];

// One test per suite, named like its file, with the keys that its adapter reads; `suites!` also creates the list that is compared with the
// folder.
suites! {
    conditions_aggregate: merge::aggregate, &["objects", "options", "target"];
    conditions_getter: list::getter, &["args", "conditions", "fn"];
    conditions_groups: merge::groups, &["conditions", "fn", "kind", "name", "options", "order", "reason", "sourceRef", "to"];
    conditions_merge: merge::merge, MERGE;
    conditions_mirror: merge::mirror, &["conditions", "fallback", "target"];
    conditions_patch: patch::patch, &["after", "before", "fn", "force", "latest", "latestGeneration", "owned"];
    conditions_setter: list::setter,
        &["a", "b", "condition", "conditions", "fn", "from", "generation", "marks", "max", "message", "target"];
    conditions_summary: merge::summary, MERGE;
    failure_recovery: list::recovery, &["failConditions", "new", "old"];
    kstatus_checker: kstatus::checker, &["fetch", "negativePolarity", "passed", "stored"];
    kstatus_checks: kstatus::checks,
        &["check", "conditions", "generation", "negativePolarity", "statusObservedGeneration"];
    kstatus_highest_negative: list::highest_negative, &["conditions", "negativePolarity"];
    progressive_status: list::progress, &["conditions", "drift", "message", "messageArgs", "messageFormat", "reason"];
    sanitize_error: message::sanitized, &["message"];

    // The classic form.
    compute_result: classic::result::computed, RUN;
    compute_result_exhaustive: classic::result::computed, RUN;
    error_actions: classic::result::actions, &["error", "useDefaultConfig"];
    finalizer_patch_options: classic::end::options, &["conditions", "fieldOwner", "ownedConditions"];
    finalizer_success_type: classic::end::success_type, &["successType"];
    is_success: classic::result::is_success, &["builderSeconds", "runtimeResult"];
    lowest_requeuing_result: classic::result::lowest, &["i", "j"];
    non_stalled_success: classic::result::non_stalled_success,
        &["builderSeconds", "conditions", "error", "runtimeResult"];
    notify: classic::entry::notify, &["error", "failConditions", "new", "old", "result"];
    observed_generation_option: classic::result::observed, &["alreadyRequested", "conditions"];
    patch_focus: classic::write::focused, &["conditionsAware", "focus", "object"];
    patch_helper: classic::write::patched,
        &["conditionsAware", "generation", "hooks", "localChange", "localKind", "object", "options", "serverChange"];
    reconcile_entry: classic::entry::entry, &["cleanup", "deleting", "exists", "hasFinalizer", "suspended"];
    result_finalizer: classic::end::finalize, &[
        "annotations", "conditions", "error", "generation", "kstatusNegativePolarity", "readySuccessMessage",
        "runtimeResult", "statusObservedGeneration", "successType", "targets",
    ];
    serial_patcher: classic::write::serial, &["ownedConditions", "steps"];
    source_status_conditions: classic::end::summarize, END;
    sub_reconciler_chain: classic::entry::chain,
        &["annotations", "generation", "lastHandledReconcileAt", "statusObservedGeneration", "steps"];
    summarize_and_patch: classic::end::summarize, END;
    summarize_exhaustive: classic::end::summarize, END;

    // The life of a pass.
    acl: life::acl, &["namespaceSelectors", "objectNamespace", "objectNamespaceLabels", "referenceNamespace"];
    annotation_request: life::action,
        &["annotations", "lastHandledReconcileAt", "lastHandledRequest", "requestAnnotation"];
    dependency_sort: life::order, &["objects"];
    depends_on_reference: life::references, &["dependencies", "fn", "reference"];
    interval_jitter: life::jitter, &["default", "fn", "fraction", "milliseconds", "percentage", "runtimeResult", "value"];
    leader_election_id: life::shard, &["additions", "base"];
    metrics_is_deleted: life::deleted, &["deletionTimestamp", "finalizers", "ownedFinalizers"];
    reconcile_requested_predicate: life::predicate, &["new", "old"];
    record_reconcile_request: life::receipt, &["annotations", "lastHandledReconcileAt"];
}

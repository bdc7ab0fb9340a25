//! The recorded cases of the Flux result model, run through the algebra. `deviations.txt` lists where we differ on purpose.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod check;
mod compare;
mod deviation;
mod kstatus;
mod life;
mod list;
mod merge;
mod message;
mod patch;
mod suite;
mod value;

use suite::Adapter::{Later, Run};
use suite::suites;

// One test per suite, named like its file; `suites!` also makes the list against which the folder is compared.
suites! {
    conditions_aggregate: Run(merge::aggregate),
    conditions_getter: Run(list::getter),
    conditions_groups: Run(merge::groups),
    conditions_merge: Run(merge::merge),
    conditions_mirror: Run(merge::mirror),
    conditions_patch: Run(patch::patch),
    conditions_setter: Run(list::setter),
    conditions_summary: Run(merge::summary),
    failure_recovery: Run(list::recovery),
    kstatus_checker: Run(kstatus::checker),
    kstatus_checks: Run(kstatus::checks),
    kstatus_highest_negative: Run(list::highest_negative),
    progressive_status: Run(list::progress),
    sanitize_error: Run(message::sanitized),

    // The classic form.
    compute_result: Later("classic"),
    compute_result_exhaustive: Later("classic"),
    error_actions: Later("classic"),
    finalizer_patch_options: Later("classic"),
    finalizer_success_type: Later("classic"),
    is_success: Later("classic"),
    lowest_requeuing_result: Later("classic"),
    non_stalled_success: Later("classic"),
    notify: Later("classic"),
    observed_generation_option: Later("classic"),
    patch_focus: Later("classic"),
    patch_helper: Later("classic"),
    reconcile_entry: Later("classic"),
    result_finalizer: Later("classic"),
    serial_patcher: Later("classic"),
    source_status_conditions: Later("classic"),
    sub_reconciler_chain: Later("classic"),
    summarize_and_patch: Later("classic"),
    summarize_exhaustive: Later("classic"),

    // The life of a pass.
    acl: Run(life::acl),
    annotation_request: Run(life::action),
    dependency_sort: Run(life::order),
    depends_on_reference: Run(life::references),
    interval_jitter: Later("life"),
    leader_election_id: Run(life::shard),
    metrics_is_deleted: Run(life::deleted),
    reconcile_requested_predicate: Run(life::predicate),
    record_reconcile_request: Run(life::receipt),
}

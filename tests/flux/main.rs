//! The recorded cases of the Flux result model, run through the algebra. `deviations.txt` lists where we differ on purpose.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod broken;
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
mod suite;
mod value;

use suite::suites;

// One test per suite, named like its file; `suites!` also makes the list against which the folder is compared.
suites! {
    conditions_aggregate: merge::aggregate,
    conditions_getter: list::getter,
    conditions_groups: merge::groups,
    conditions_merge: merge::merge,
    conditions_mirror: merge::mirror,
    conditions_patch: patch::patch,
    conditions_setter: list::setter,
    conditions_summary: merge::summary,
    failure_recovery: list::recovery,
    kstatus_checker: kstatus::checker,
    kstatus_checks: kstatus::checks,
    kstatus_highest_negative: list::highest_negative,
    progressive_status: list::progress,
    sanitize_error: message::sanitized,

    // The classic form.
    compute_result: classic::result::computed,
    compute_result_exhaustive: classic::result::computed,
    error_actions: classic::result::actions,
    finalizer_patch_options: classic::end::options,
    finalizer_success_type: classic::end::success_type,
    is_success: classic::result::is_success,
    lowest_requeuing_result: classic::result::lowest,
    non_stalled_success: classic::result::non_stalled_success,
    notify: classic::entry::notify,
    observed_generation_option: classic::result::observed,
    patch_focus: classic::write::focused,
    patch_helper: classic::write::patched,
    reconcile_entry: classic::entry::entry,
    result_finalizer: classic::end::finalize,
    serial_patcher: classic::write::serial,
    source_status_conditions: classic::end::summarize,
    sub_reconciler_chain: classic::entry::chain,
    summarize_and_patch: classic::end::summarize,
    summarize_exhaustive: classic::end::summarize,

    // The life of a pass.
    acl: life::acl,
    annotation_request: life::action,
    dependency_sort: life::order,
    depends_on_reference: life::references,
    interval_jitter: life::jitter,
    leader_election_id: life::shard,
    metrics_is_deleted: life::deleted,
    reconcile_requested_predicate: life::predicate,
    record_reconcile_request: life::receipt,
}

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
    compute_result: Run(classic::result::computed),
    compute_result_exhaustive: Run(classic::result::computed),
    error_actions: Run(classic::result::actions),
    finalizer_patch_options: Run(classic::end::options),
    finalizer_success_type: Run(classic::end::success_type),
    is_success: Run(classic::result::is_success),
    lowest_requeuing_result: Run(classic::result::lowest),
    non_stalled_success: Run(classic::result::non_stalled_success),
    notify: Run(classic::entry::notify),
    observed_generation_option: Run(classic::result::observed),
    patch_focus: Run(classic::write::focused),
    patch_helper: Run(classic::write::patched),
    reconcile_entry: Run(classic::entry::entry),
    result_finalizer: Run(classic::end::finalize),
    serial_patcher: Run(classic::write::serial),
    source_status_conditions: Run(classic::end::summarize),
    sub_reconciler_chain: Run(classic::entry::chain),
    summarize_and_patch: Run(classic::end::summarize),
    summarize_exhaustive: Run(classic::end::summarize),

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

//! The generic controller of the Azure Service Operator: life, policies, Ready, intervals, checks, long operations.

mod checks;
mod claim;
mod known;
mod lifecycle;
mod operation;
mod pace;
mod policy;
mod ready;
mod reasons;
mod settings;
mod story;
mod wake;

use crate::suite::groups;

groups! {
    "aso", known::known,
    lifecycle = "aso.lifecycle": lifecycle::adapter,
    policy_parse = "aso.policy.parse": policy::parsed,
    policy_allows = "aso.policy.allows": policy::allows,
    policy_resolve = "aso.policy.resolve": policy::resolved,
    policy_for_other_resource = "aso.policy.for-other-resource": policy::for_another,
    policy_change_trigger = "aso.policy.change-trigger": wake::by_policy,
    predicate_annotation = "aso.predicate.annotation": wake::by_annotation,
    condition_overwrite = "aso.condition.overwrite": ready::overwritten,
    condition_overwrite_reason_aware = "aso.condition.overwrite-reason-aware": ready::overwritten,
    condition_transition_time = "aso.condition.transition-time": ready::transition,
    reasons = "aso.reasons": reasons::adapter,
    ready_error = "aso.ready-error": ready::error,
    interval = "aso.interval": pace::adapter,
    claim_owner = "aso.claim.owner": claim::adapter,
    checks = "aso.checks": checks::adapter,
    long_operation = "aso.long-operation": operation::adapter,
    classify = "aso.classify": reasons::classified,
    config = "aso.config": settings::adapter,
    user_scenarios = "aso.user-scenarios": story::adapter,
}

#[test]
fn every_group_has_an_adapter() {
    crate::suite::check_whole("aso", GROUPS, &[]);
}

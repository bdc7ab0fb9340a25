//! The component reconciler of SAP. Its other groups cannot run yet, or have no adapter.

mod annotation;
mod clients;
mod component;
mod decision;
mod defaults;
mod deletion;
mod digest;
mod events;
mod fixture;
mod hooks;
mod intervals;
mod known;
mod lab;
mod lookup;
mod manifests;
mod namespaces;
mod object_status;
mod order;
mod ownership;
mod rollout;
mod sequences;
mod set;
mod state;
mod story;
mod waiting;

use crate::suite::groups;

groups! {
    "sap", known::known,
    readiness_table = "sap.readiness.table": object_status::adapter,
    readiness_special = "sap.readiness.special": object_status::adapter,
    adoption_policy = "sap.annotation.adoption-policy": annotation::adoption,
    reconcile_policy = "sap.annotation.reconcile-policy": annotation::reconcile,
    update_policy = "sap.annotation.update-policy": annotation::update,
    delete_policy = "sap.annotation.delete-policy": annotation::delete,
    apply_order = "sap.annotation.apply-order": annotation::apply_order,
    delete_order = "sap.annotation.delete-order": annotation::delete_order,
    purge_order = "sap.annotation.purge-order": annotation::purge_order,
    reapply_interval = "sap.annotation.reapply-interval": annotation::reapply_interval,
    digest = "sap.digest": digest::adapter,
    apply_decision = "sap.apply-decision": decision::adapter,
    ssa_override = "sap.ssa-override": ownership::fields,
    adoption = "sap.adoption": ownership::adoption,
    apply_sequences = "sap.apply.sequences": sequences::apply,
    delete_sequences = "sap.delete.sequences": sequences::delete,
    deletion_allowed = "sap.deletion-allowed": deletion::adapter,
    managed_type_patterns = "sap.managed-type-patterns": order::pattern,
    managed_types = "sap.managed-types": order::types,
    order_validation = "sap.order-validation": order::validation,
    in_wave_order = "sap.in-wave-order": order::rank,
    manifest_validation = "sap.manifest-validation": manifests::adapter,
    missing_namespaces = "sap.missing-namespaces": namespaces::adapter,
    inventory_lookup = "sap.inventory-lookup": lookup::adapter,
    state = "sap.state": state::adapter,
    intervals = "sap.intervals": intervals::adapter,
    timeout_restart = "sap.timeout-restart": rollout::restart,
    policy_defaults = "sap.policy-defaults": defaults::adapter,
    hooks = "sap.hooks": hooks::adapter,
    finalizer = "sap.finalizer": hooks::finalizer,
    references = "sap.references": waiting::reference,
    revision = "sap.revision": rollout::revision,
    owner_mark = "sap.owner-mark": ownership::marks,
    clients = "sap.clients": clients::adapter,
    events = "sap.events": events::adapter,
    backoff = "sap.backoff": waiting::backoff,
    retriable_error = "sap.retriable-error": waiting::error,
    issues = "sap.issues": story::adapter,
}

#[test]
fn every_group_has_an_adapter() {
    crate::suite::check_whole("sap", GROUPS, &[]);
}

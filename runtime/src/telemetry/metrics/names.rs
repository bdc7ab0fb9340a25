//! The names of all metrics with their labels, for the contract.

use std::collections::{BTreeMap, BTreeSet};

/// What an operator has, which decides on its metrics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) daemons: bool,
    pub(crate) watchers: bool,
    pub(crate) policies: bool,
    pub(crate) dependents: bool,
    pub(crate) replicas: bool,
    pub(crate) shards: bool,
    pub(crate) divided_caches: bool,
    pub(crate) webhooks: bool,
    pub(crate) reviews: bool,
    pub(crate) mutations: bool,
    pub(crate) conversions: bool,
    pub(crate) routes: bool,
    pub(crate) gates: bool,
}

/// A metric: its name as in a scrape, without the suffixes of a histogram, and its labels.
type Named = (&'static str, &'static [&'static str]);

const OF_RECONCILERS: &[Named] = &[
    ("controller_runtime_active_workers", &["controller"]),
    ("controller_runtime_max_concurrent_reconciles", &["controller"]),
    ("controller_runtime_reconcile_errors_total", &["controller"]),
    ("controller_runtime_reconcile_panics_total", &["controller"]),
    ("controller_runtime_reconcile_time_seconds", &["controller"]),
    ("controller_runtime_reconcile_timeouts_total", &["controller"]),
    ("controller_runtime_reconcile_total", &["controller", "result"]),
    ("controller_runtime_terminal_reconcile_errors_total", &["controller"]),
    ("evenkeel_api_calls_total", &["verb", "kind", "code", "step"]),
    ("evenkeel_broken_watches", &[]),
    ("evenkeel_condition", &["kind", "condition", "status"]),
    ("evenkeel_queue_sleeping", &["controller"]),
    ("evenkeel_step_duration_seconds", &["controller", "step"]),
    ("evenkeel_step_total", &["controller", "step", "result"]),
    ("evenkeel_undecodable_objects", &["controller"]),
    ("process_resident_memory_bytes", &[]),
    ("rest_client_requests_total", &["code", "method", "host"]),
    ("workqueue_adds_total", &["controller", "name"]),
    ("workqueue_depth", &["controller", "name"]),
    ("workqueue_longest_running_processor_seconds", &["controller", "name"]),
    ("workqueue_queue_duration_seconds", &["controller", "name"]),
    ("workqueue_retries_total", &["controller", "name"]),
    ("workqueue_unfinished_work_seconds", &["controller", "name"]),
    ("workqueue_work_duration_seconds", &["controller", "name"]),
];

/// The metrics of an operator with these parts: the labels by name.
pub(crate) fn names(parts: Parts) -> BTreeMap<String, BTreeSet<String>> {
    let further: [(bool, &[Named]); 13] = [
        (
            parts.daemons,
            &[
                ("evenkeel_daemons", &["controller", "daemon"]),
                ("evenkeel_daemon_ends_total", &["controller", "daemon", "result"]),
            ],
        ),
        (
            parts.watchers,
            &[
                ("evenkeel_watcher_calls_total", &["controller", "event", "result"]),
                ("evenkeel_watcher_call_duration_seconds", &["controller", "event"]),
            ],
        ),
        (parts.policies, &[("evenkeel_policy", &["controller", "policy"])]),
        (parts.dependents, &[("evenkeel_dependents", &["controller", "kind", "status"])]),
        (parts.replicas, &[("leader_election_master_status", &["name"])]),
        (parts.shards, &[("evenkeel_sharing_replicas", &[])]),
        (parts.divided_caches, &[("evenkeel_foreign_objects_total", &[])]),
        (
            parts.webhooks,
            &[
                ("evenkeel_webhook_bundle_writes_total", &[]),
                ("evenkeel_webhook_certificate_expiration_timestamp_seconds", &[]),
            ],
        ),
        (
            parts.reviews,
            &[
                ("evenkeel_admission_reviews_total", &["function", "result"]),
                ("evenkeel_admission_review_duration_seconds", &["function"]),
            ],
        ),
        (parts.mutations, &[("evenkeel_admission_replaced_lists_total", &["function"])]),
        (parts.conversions, &[("evenkeel_conversions_total", &["crd", "version", "result"])]),
        (
            parts.routes,
            &[
                ("evenkeel_route_requests_total", &["function", "result"]),
                ("evenkeel_route_request_duration_seconds", &["function"]),
            ],
        ),
        (parts.gates, &[("kubernetes_feature_enabled", &["name", "stage"])]),
    ];
    let further = further.iter().filter(|(has, _)| *has).flat_map(|(_, names)| *names);
    let labels = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
    OF_RECONCILERS.iter().chain(further).map(|(name, list)| ((*name).to_owned(), labels(list))).collect()
}

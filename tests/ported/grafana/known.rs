//! The allowed inputs of the cases of each group.

use evenkeel_tests::given::Known;

const FREE: &[&str] = &[];
const ACTIONS: &[&str] = &["Created", "Updated", "Resynced", "Deleted"];
const FINALIZERS: &[&str] = &["ours", "wip", "other", "a"];
const PATCHES: &[&str] = &["ok", "conflict", "error"];
const POLICIES: &[&str] = &["default", "while attempt<3", "never", "opinionated"];

/// The vocabulary of a group.
pub(crate) fn known(group: &str) -> Known {
    match group.trim_start_matches("grafana.") {
        "opinionated-reconciler" => RECONCILER,
        "constructor" => CONSTRUCTOR,
        "opinionated-watcher.add" => ADD,
        "opinionated-watcher.update" => UPDATE,
        "opinionated-watcher.delete" => &[("any", &["object"])],
        "finalizer-patch" => PATCH,
        "simple-typed" => &[("function", &["f", "error"]), ("type", &["right"]), ("event", &["add|update|delete"])],
        "actions" => &[("reconcile", ACTIONS)],
        "controller.registration" => REGISTRATION,
        "controller.events" => EVENTS,
        "controller.retry" => RETRY,
        "controller.dequeue" => DEQUEUE,
        "retry-processor" => PROCESSOR,
        "concurrency" => CONCURRENCY,
        "informer" => INFORMER,
        "seed.last-applied" => APPLIED,
        "seed.versions" => {
            &[("kind_versions", &["v1", "v2"]), ("reconciler_for", &["v1", "v2"]), ("created", &["v1 object"])]
        }
        "app" => APP,
        "issues" => ISSUES,
        _ => &[],
    }
}

const APP: Known = &[
    ("managed_kinds", FREE),
    ("kind.reconciler", FREE),
    ("kind.watcher", FREE),
    ("managed", FREE),
    ("use_plain", FREE),
    ("use_opinionated", FREE),
    ("validate", &["kind without validator"]),
    ("validator", &["error"]),
    ("mutate", &["unknown kind", "kind without mutator"]),
    ("mutator", &["ok"]),
    ("converter", &["ok"]),
    ("routes", &["GET /a"]),
    ("manifest", &["declares validation", "declares none"]),
    ("app", &["has none", "has validation"]),
    ("controller", &["fails"]),
    ("stop", FREE),
];

const CONSTRUCTOR: Known = &[
    ("what", &["OpinionatedReconciler", "OpinionatedWatcher"]),
    ("client", FREE),
    ("finalizer_length", FREE),
    ("group", FREE),
    ("version", FREE),
    ("kind", FREE),
    ("wrap", &["watcher"]),
    ("sync_to_add", FREE),
];

const ADD: Known = &[
    ("object", FREE),
    ("deleting", FREE),
    ("finalizers", FINALIZERS),
    ("add", &["error"]),
    ("sync", &["error"]),
    ("delete", &["error"]),
    ("patch", PATCHES),
];

const UPDATE: Known = &[
    ("old", FREE),
    ("old.generation", FREE),
    ("old.finalizers", FINALIZERS),
    ("new.generation", FREE),
    ("new.finalizers", FINALIZERS),
    ("new.deleting", FREE),
    ("patch", PATCHES),
];

const PATCH: Known = &[
    ("finalizers", FINALIZERS),
    ("add", FINALIZERS),
    ("remove", FINALIZERS),
    ("replace", FINALIZERS),
    ("patch", &["conflict for ever", "403"]),
];

const REGISTRATION: Known = &[
    ("add", &["informer", "reconciler", "any", "w1", "w2", "w3", "r1"]),
    ("value", FREE),
    ("kind", &[""]),
    ("remove", &["w2", "w9"]),
    ("informers", &["ns1", "ns2"]),
    ("watchers", &["w1"]),
];

const EVENTS: Known =
    &[("event", &["add", "update", "delete"]), ("rv", FREE), ("watchers", &["fails", "ok"]), ("reconcilers", &["ok"])];

const RETRY: Known = &[
    ("policy", POLICIES),
    ("fails", FREE),
    ("reconciler", &["ok"]),
    ("watcher", &["error"]),
    ("call", &["first"]),
    ("event", &["restart", "restart with a pending retry"]),
];

const CONCURRENCY: Known = &[
    ("object", &["a"]),
    ("events", &["add", "update", "delete"]),
    ("workers", FREE),
    ("handler", &["error"]),
    ("event", &["add|update|delete"]),
];

const INFORMER: Known = &[
    ("delete_seen", &["only through a relist"]),
    ("wrapped", FREE),
    ("object", &["text"]),
    ("kind", FREE),
    ("labels", FREE),
    ("fields", FREE),
    ("cache_resync_interval", FREE),
];

const APPLIED: Known = &[
    ("action", ACTIONS),
    ("generation", FREE),
    ("last_applied", FREE),
    ("external", &["other error", "retryable error"]),
    ("status", &["error"]),
    ("changed", &["labels"]),
    ("watcher", FREE),
];

const ISSUES: Known = &[
    ("issue", FREE),
    ("issues", FREE),
    ("steps", FREE),
    ("reconciler", &["error"]),
    ("policy", FREE),
    ("handler", &["slow"]),
];

const RECONCILER: Known = &[
    ("action", ACTIONS),
    ("deleting", FREE),
    ("finalizers", FINALIZERS),
    ("inner", FREE),
    ("inner.ok", FREE),
    ("inner.error", FREE),
    ("inner.requeue_after_s", FREE),
    ("inner.state.foo", FREE),
    ("inner.state.bar", FREE),
    ("patch", &["error"]),
    ("state_in", &["remove pending"]),
];

const DEQUEUE: Known = &[
    ("policy", POLICIES),
    ("new", &["UPDATE", "DELETE"]),
    ("pending", &["CREATE", "UPDATE", "executing for 500ms"]),
    ("new_obj.generation", FREE),
    ("pending_obj.generation", FREE),
    ("add_fails", &["always"]),
    ("update_fails", &["always"]),
    ("then", &["update"]),
];

const PROCESSOR: Known = &[
    ("due_in_ms", FREE),
    ("look_at_ms", FREE),
    ("enqueued_attempt", FREE),
    ("policy", POLICIES),
    ("key", &["a"]),
    ("times", FREE),
    ("pending", FREE),
    ("cancel", &["all"]),
    ("threads", &["many"]),
    ("run", &["ok", "error", "requeue"]),
];

//! The events, watchers and reconcilers of Grafana's app SDK.

mod app;
mod applied;
mod construct;
mod dequeue;
mod feed;
mod held;
mod kinds;
mod known;
mod lab;
mod opinionated;
mod patch;
mod plot;
mod queue;
mod registration;
mod retry;
mod story;
mod versions;
mod watchers;

use serde_json::{Value, json};

use crate::suite::groups;

groups! {
    "grafana", known::known,
    opinionated_reconciler = "grafana.opinionated-reconciler": opinionated::adapter,
    constructor = "grafana.constructor": construct::adapter,
    opinionated_watcher_add = "grafana.opinionated-watcher.add": held::add,
    opinionated_watcher_update = "grafana.opinionated-watcher.update": held::update,
    opinionated_watcher_delete = "grafana.opinionated-watcher.delete": held::delete,
    finalizer_patch = "grafana.finalizer-patch": patch::adapter,
    simple_typed = "grafana.simple-typed": construct::typed,
    actions = "grafana.actions": construct::actions,
    controller_registration = "grafana.controller.registration": registration::adapter,
    controller_events = "grafana.controller.events": registration::events,
    controller_retry = "grafana.controller.retry": retry::adapter,
    controller_dequeue = "grafana.controller.dequeue": dequeue::adapter,
    retry_processor = "grafana.retry-processor": queue::adapter,
    concurrency = "grafana.concurrency": queue::concurrency,
    informer = "grafana.informer": feed::adapter,
    seed_last_applied = "grafana.seed.last-applied": applied::adapter,
    seed_versions = "grafana.seed.versions": versions::adapter,
    app = "grafana.app": app::adapter,
    issues = "grafana.issues": story::adapter,
}

#[test]
fn every_group_has_an_adapter() {
    crate::suite::check_whole("grafana", GROUPS, &[]);
}

/// The result of a case that no program can have: null in place of an object, or a kind without a name.
fn excluded() -> Value {
    json!({ "error": "does not compile" })
}

/// The result for a watcher without functions. The tests of the messages compile this program.
fn without_functions() -> Value {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui-tests/own/watcher/without_add.stderr");
    let message = std::fs::read_to_string(program).unwrap();
    assert!(message.starts_with("error: a watcher needs `add`"), "{message}");
    excluded()
}

//! Reads results and errors of a case, and renders the output.

use std::time::Duration;

use evenkeel::EventLevel;
use evenkeel::flux::{Config, Error, ReconcileResult, Reconciled, RuntimeResult};
use serde_json::{Value, json};

use crate::value::{only, text};

pub(crate) fn result(name: &Value) -> ReconcileResult {
    match text(name) {
        "Empty" => ReconcileResult::Empty,
        "Requeue" => ReconcileResult::Requeue,
        "Success" => ReconcileResult::Success,
        other => panic!("no result {other}"),
    }
}

/// The result of a case; an error takes precedence.
pub(crate) fn reconciled(case: &Value) -> Reconciled {
    match error(&case["error"]) {
        Some(error) => Err(error),
        None => Ok(result(&case["result"])),
    }
}

pub(crate) fn error(value: &Value) -> Option<Error> {
    only(value, &["config", "kind", "message", "reason", "requeueAfterSeconds"]);
    only(&value["config"], &["event", "ignore", "log", "notification"]);
    let (reason, message) = (text(&value["reason"]).to_owned().leak(), text(&value["message"]));
    let error = match value["kind"].as_str()? {
        "plain" => Error::plain(message),
        "generic" => Error::generic(reason, message),
        "stalling" => Error::stalling(reason, message),
        "waiting" => Error::waiting(reason, seconds(&value["requeueAfterSeconds"]), message),
        other => panic!("no kind {other}"),
    };
    let config = configured(error.config(), &value["config"]);
    Some(error.with(config))
}

fn configured(default: Config, value: &Value) -> Config {
    let flag = |name: &str, default| value[name].as_bool().unwrap_or(default);
    let event = match value["event"].as_str() {
        Some("None") => EventLevel::None,
        Some("Normal") => EventLevel::Normal,
        Some("Warning") => EventLevel::Warning,
        Some(other) => panic!("no event {other}"),
        None => default.event,
    };
    let (log, notification) = (flag("log", default.log), flag("notification", default.notification));
    Config { event, log, notification, ignore: flag("ignore", default.ignore) }
}

pub(crate) fn seconds(value: &Value) -> Duration {
    Duration::from_secs(value.as_u64().unwrap_or_default())
}

pub(crate) fn runtime(value: &Value) -> RuntimeResult {
    only(value, &["requeue", "requeueAfterSeconds"]);
    match value["requeue"].as_bool() {
        Some(true) => RuntimeResult::Requeue,
        _ => RuntimeResult::after(seconds(&value["requeueAfterSeconds"])),
    }
}

pub(crate) fn rendered(result: RuntimeResult) -> Value {
    match result {
        RuntimeResult::Await => json!({ "requeue": false, "requeueAfterSeconds": 0 }),
        RuntimeResult::Requeue => json!({ "requeue": true, "requeueAfterSeconds": 0 }),
        RuntimeResult::After(time) => json!({ "requeue": false, "requeueAfterSeconds": time.as_secs() }),
    }
}

//! A catalogue of reasons as its author would declare it, and errors from outside by their codes.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{EventLevel, Retry, VariantInfo};
use serde_json::{Value, json};

use crate::stage::Stage;

/// The reasons of the catalogue. Whoever needs another one adds a variant: none is built in.
#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("as the case says")]
#[allow(dead_code, reason = "what is declared is read")]
enum AzureError {
    #[class(transient, retry = "fast")]
    SubscriptionMismatch,
    #[class(transient, retry = "fast")]
    ConfigMapNotFound,
    #[class(transient, retry = "fast")]
    ReferenceNotFound,
    #[class(transient)]
    AzureResourceNotFound,
    #[class(transient)]
    FailedWritingAdditionalKubernetesObjects,
    #[class(transient, retry = "fast", severity = "info")]
    Deleting,
    #[class(stalled)]
    ReconciliationFailedPermanently,
    #[class(waiting(poll = requeue))]
    ReconciliationPostponed,
    #[class(transient)]
    PostReconciliationFailure,
    /// Anything else.
    #[class(transient, reason = "Custom")]
    Custom,
}

/// How what is declared is called there.
fn described(info: &VariantInfo) -> Value {
    let severity = match (info.class, info.actions.event) {
        ("stalled", _) => "Error",
        (_, EventLevel::Warning) => "Warning",
        _ => "Info",
    };
    let retry = match (info.class, info.retry) {
        ("stalled", _) => "none",
        ("waiting", Retry::VerySlow) | (_, Retry::Slow) => "slow",
        (_, Retry::Fast) => "fast",
        (_, Retry::VerySlow) => "very_slow",
    };
    json!({ "status": "False", "severity": severity, "retry": retry })
}

/// How a success stands, and whether it is tried again by itself within two hours.
async fn succeeded() -> Value {
    let mut stage = Stage::new().await;
    stage.create(json!({}), json!({})).await;
    stage.operate(|operator| operator);
    tokio::time::sleep(Duration::from_secs(7200)).await;
    let (ready, again) = (stage.ready().await, stage.script.count("create_or_update") > 1);
    let retry = if again { json!("again") } else { Value::Null };
    json!({ "status": if ready["reason"] == "Succeeded" { ready["status"].clone() } else { Value::Null }, "retry": retry })
}

pub(super) async fn adapter(given: Value) -> Value {
    let reason = given["reason"].as_str().unwrap();
    if reason == "Succeeded" {
        return succeeded().await;
    }
    let known = <AzureError as ReconcileError>::VARIANTS;
    let custom = || known.iter().find(|info| info.reason == "Custom");
    described(known.iter().find(|info| info.reason == reason).or_else(custom).unwrap())
}

/// What an outside error means, as an author would say it: one variant for each way to go on.
#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("{0}")]
enum OutsideError {
    #[class(transient)]
    Any(String),
    #[class(transient, retry = "very-slow")]
    Doubtful(String),
    #[class(stalled)]
    Fatal(String),
}

const DOUBTFUL: &[&str] = &[
    "BadRequest",
    "BadRequestFormat",
    "InvalidParameter",
    "MethodNotAllowed",
    "ScopeLocked",
    "SkuNotAvailable",
    "SubscriptionNotFound",
];
const FATAL: &[&str] = &[
    "InvalidRequestContent",
    "InvalidResourceType",
    "LocationRequired",
    "MissingRequiredParameter",
    "PropertyChangeNotAllowed",
    "K8sVersionNotSupported",
];

fn classify(code: &str, again: bool) -> OutsideError {
    let text = code.to_owned();
    match code {
        _ if again => OutsideError::Any(text),
        code if DOUBTFUL.contains(&code) => OutsideError::Doubtful(text),
        code if FATAL.contains(&code) => OutsideError::Fatal(text),
        _ => OutsideError::Any(text),
    }
}

pub(super) async fn classified(given: Value) -> Value {
    let codes = given["codes"].as_array().cloned().unwrap_or_else(|| vec![given["code"].clone()]);
    let means = |code: &Value| {
        let error = classify(code.as_str().unwrap(), given["extension"].is_string());
        let retry = if error.retry() == Retry::VerySlow { "very_slow" } else { "slow" };
        json!({ "retryable": error.class() != Class::Stalled, "retry": retry })
    };
    let mut all: Vec<Value> = codes.iter().map(means).collect();
    all.dedup();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

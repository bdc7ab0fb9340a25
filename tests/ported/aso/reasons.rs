//! A catalogue of reasons as its author would declare it, and external errors by their codes, each returned by a step.

use std::time::Duration;

use evenkeel::prelude::*;
use serde_json::{Value, json};

use crate::script::{End, Wrong};
use crate::stage::Stage;

/// The reasons of the catalogue. Another reason requires another variant: none is built in.
#[derive(Clone, Copy, Debug, thiserror::Error, ReconcileError)]
#[error("as the case says")]
enum AzureError {
    #[class(transient, retry = "fast")]
    SubscriptionMismatch,
    #[class(transient, retry = "fast")]
    SecretNotFound,
    #[class(transient, retry = "fast")]
    ConfigMapNotFound,
    #[class(transient, retry = "fast")]
    ReferenceNotFound,
    #[class(transient, retry = "fast")]
    WaitingForOwner,
    #[class(transient, retry = "fast", severity = "info")]
    Reconciling,
    #[class(transient, retry = "fast", severity = "info")]
    Deleting,
    #[class(transient)]
    AzureResourceNotFound,
    #[class(transient)]
    FailedWritingAdditionalKubernetesObjects,
    #[class(transient)]
    ReconciliationBlocked,
    #[class(waiting(poll = "10m"))]
    ReconciliationPostponed,
    #[class(transient)]
    PostReconciliationFailure,
    #[class(transient)]
    Failed,
    #[class(stalled)]
    ReconciliationFailedPermanently,
    /// Any other.
    #[class(transient, reason = "Custom")]
    Custom,
}

const CATALOGUE: [AzureError; 15] = [
    AzureError::SubscriptionMismatch,
    AzureError::SecretNotFound,
    AzureError::ConfigMapNotFound,
    AzureError::ReferenceNotFound,
    AzureError::WaitingForOwner,
    AzureError::Reconciling,
    AzureError::Deleting,
    AzureError::AzureResourceNotFound,
    AzureError::FailedWritingAdditionalKubernetesObjects,
    AzureError::ReconciliationBlocked,
    AzureError::ReconciliationPostponed,
    AzureError::PostReconciliationFailure,
    AzureError::Failed,
    AzureError::ReconciliationFailedPermanently,
    AzureError::Custom,
];

fn declared(reason: &str) -> AzureError {
    if reason == "<any custom reason>" {
        return AzureError::Custom;
    }
    let found = CATALOGUE.into_iter().find(|error| error.reason() == reason);
    found.unwrap_or_else(|| panic!("the catalogue has no {reason}"))
}

/// The conditions of an object whose step ends like this, and the delay until the step runs again.
async fn shown(end: End) -> (Value, Value) {
    let mut stage = Stage::new().await;
    stage.script.lock().create = end;
    stage.create(json!({}), json!({})).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    let ready = stage.ready().await;
    tokio::time::sleep(Duration::from_secs(3 * 3600)).await;
    (ready, retry(&stage.script.pauses("create_or_update")))
}

/// The class that corresponds to the longest pause.
pub(super) fn retry(pauses: &[f64]) -> Value {
    let longest = pauses.iter().copied().reduce(f64::max);
    match longest {
        None => Value::Null,
        Some(seconds) if seconds <= 30.5 => json!("fast"),
        Some(seconds) if seconds <= 600.5 => json!("slow"),
        Some(_) => json!("very_slow"),
    }
}

pub(super) async fn adapter(given: Value) -> Value {
    let reason = given["reason"].as_str().unwrap();
    if reason == "Succeeded" {
        let (ready, retry) = shown(End::Fine).await;
        let is_so = ready["reason"] == reason;
        return json!({ "status": is_so.then(|| ready["status"].clone()), "retry": retry });
    }
    let error = declared(reason);
    let (ready, retry) = shown(End::Wrong(Wrong::of(&error))).await;
    assert_eq!(ready["reason"], error.reason(), "another reason is shown");
    let retry = if retry.is_null() { json!("none") } else { retry };
    json!({ "status": ready["status"], "severity": ready["severity"], "retry": retry })
}

/// An external error as an author would declare it, with one variant per handling.
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

/// Codes of transient errors, independent of the status.
const PASSING: &[&str] = &[
    "AllocationFailed",
    "AnotherOperationInProgress",
    "AuthorizationFailed",
    "FailedIdentityOperation",
    "InvalidResourceReference",
    "LinkedAuthorizationFailed",
    "MissingRegistrationForType",
    "MissingSubscriptionRegistration",
    "NoRegisteredProviderFound",
    "NotFound",
    "OperationNotAllowed",
    "ParentResourceNotFound",
    "ResourceGroupNotFound",
    "ResourceNotFound",
    "ResourceQuotaExceeded",
    "SubscriptionNotRegistered",
];
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

/// An unlisted code is ambiguous for a bad request.
fn classify(code: &str, http: &Value, again: bool) -> OutsideError {
    let text = code.to_owned();
    match code {
        _ if again => OutsideError::Any(text),
        code if DOUBTFUL.contains(&code) => OutsideError::Doubtful(text),
        code if FATAL.contains(&code) => OutsideError::Fatal(text),
        code if *http == 400 && !PASSING.contains(&code) => OutsideError::Doubtful(text),
        _ => OutsideError::Any(text),
    }
}

pub(super) async fn classified(given: Value) -> Value {
    let codes = given["codes"].as_array().cloned().unwrap_or_else(|| vec![given["code"].clone()]);
    let mut all = Vec::new();
    for code in &codes {
        let error = classify(code.as_str().unwrap(), &given["http"], given["extension"].is_string());
        let (ready, retry) = shown(End::Wrong(Wrong::of(&error))).await;
        assert_eq!(ready["reason"], error.reason(), "another reason is shown");
        all.push(json!({ "retryable": !retry.is_null(), "retry": retry }));
    }
    all.dedup();
    assert_eq!(all.len(), 1, "the codes of a case differ: {all:?}");
    all.remove(0)
}

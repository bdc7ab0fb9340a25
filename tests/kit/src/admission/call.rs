//! One call of a webhook, and what a refusal or a failure of it means.

use serde_json::{Value, json};

use super::condition;
use super::hook::{Hook, Sort};
use super::request::Request;
use super::review::{Review, Verdict};
use super::select::Objects;
use super::version::{self, Shown};
use crate::api_error::Failure;
use crate::cel;
use crate::state::Server;
use crate::webhook_client;

/// A verdict, with the objects as the webhook reviewed them.
pub(super) struct Reviewed {
    pub(super) verdict: Verdict,
    pub(super) shown: Shown,
}

/// Calls a webhook. `None` means that it does not review the write, or that its failure is ignored.
///
/// # Errors
/// If the call fails and the failure policy is `Fail`.
pub(super) async fn call(
    server: &Server,
    hook: &Hook,
    sort: Sort,
    request: &Request<'_>,
    objects: Objects<'_>,
) -> Result<Option<Reviewed>, Failure> {
    let Some(kind) = hook.selection.version(server, request, objects) else { return Ok(None) };
    let shown = version::shown(server, request, kind, objects).await?;
    let review = Review::new(hook, request, objects, &shown);
    match is_wanted(hook, review.request()) {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(_) if hook.ignores_failures() => return Ok(None),
        Err(error) => return Err(Failure::forbidden(request.about(objects.new), &error)),
    }
    let body = review.body.to_string().into_bytes();
    let answered = webhook_client::post(server, &hook.client_config, hook.timeout(), body).await;
    match answered
        .map_err(|error| format!("failed to call webhook: {error}"))
        .and_then(|body| review.verdict(sort, &body))
    {
        Ok(verdict) => Ok(Some(Reviewed { verdict, shown })),
        Err(_) if hook.ignores_failures() => Ok(None),
        Err(error) => Err(internal(&format!("failed calling webhook {:?}: {error}", hook.name))),
    }
}

/// Returns whether the match conditions of a webhook are met.
fn is_wanted(hook: &Hook, request: &Value) -> Result<bool, String> {
    let null = Value::Null;
    let shown = |object: &'static str| request.get(object).unwrap_or(&null);
    let variables = [("object", shown("object")), ("oldObject", shown("oldObject")), ("request", request)];
    condition::are_met(&hook.match_conditions, |text| {
        cel::decide(text, &variables).map_err(|error| format!("expression '{text}' resulted in error: {error}"))
    })
}

/// 500 InternalError with its cause.
pub(super) fn internal(why: &str) -> Failure {
    let failure = Failure::status(500, "InternalError", format!("Internal error occurred: {why}"));
    failure.with_details(json!({"causes": [{"message": why}]}))
}

/// The error for a refusal: its code, reason and details are those of the webhook; without a code it is 400.
pub(super) fn denied(hook: &Hook, status: &Value) -> Failure {
    let text = |field: &str| status[field].as_str().unwrap_or_default();
    let because = match (text("message"), text("reason")) {
        ("", "") => " without explanation".to_owned(),
        ("", reason) => format!(": {reason}"),
        (message, _) => format!(": {message}"),
    };
    let code =
        status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    let message = format!("admission webhook {:?} denied the request{because}", hook.name);
    let failure = Failure::status(code.unwrap_or(400), text("reason").to_owned(), message);
    match &status["details"] {
        Value::Null => failure,
        details => failure.with_details(details.clone()),
    }
}

//! Validates the conversion between versions.

use serde_json::Value;

use super::super::field::{items, text};
use crate::schema::Cause;

pub(super) fn check(conversion: &Value, causes: &mut Vec<Cause>) {
    match text(conversion, "/strategy") {
        "None" => none(conversion, causes),
        "Webhook" => webhook(conversion, causes),
        "" => causes.push(Cause::required("spec.conversion.strategy", "")),
        other => {
            let choice = ["None", "Webhook"].map(str::to_owned);
            causes.push(Cause::unsupported("spec.conversion.strategy", format!("{other:?}"), &choice));
        }
    }
}

fn none(conversion: &Value, causes: &mut Vec<Cause>) {
    let rule = "should not be set when strategy is not set to Webhook";
    if conversion.pointer("/webhook/clientConfig").is_some_and(|client| !client.is_null()) {
        causes.push(Cause::forbidden("spec.conversion.webhookClientConfig", rule));
    }
    if !items(conversion, "/webhook/conversionReviewVersions").is_empty() {
        causes.push(Cause::forbidden("spec.conversion.conversionReviewVersions", rule));
    }
}

/// Reports the errors of an API server first. A valid webhook is rejected too, since the test kit does not support it.
fn webhook(conversion: &Value, causes: &mut Vec<Cause>) {
    let before = causes.len();
    if conversion.pointer("/webhook/clientConfig").is_none_or(Value::is_null) {
        let rule = "required when strategy is set to Webhook";
        causes.push(Cause::required("spec.conversion.webhookClientConfig", rule));
    }
    if items(conversion, "/webhook/conversionReviewVersions").is_empty() {
        causes.push(Cause::required("spec.conversion.conversionReviewVersions", ""));
    }
    if causes.len() == before {
        let ours = "this in-process server calls no conversion webhooks, use strategy None";
        causes.push(Cause::forbidden("spec.conversion.strategy", ours));
    }
}

//! Validates the conversion between versions.

use serde_json::Value;

use super::super::field::{items, text};
use crate::schema::Cause;
use crate::webhook_address;

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

fn webhook(conversion: &Value, causes: &mut Vec<Cause>) {
    match conversion.pointer("/webhook/clientConfig").filter(|client| !client.is_null()) {
        Some(client) => webhook_address::causes("spec.conversion.webhookClientConfig", client, causes),
        None => {
            let rule = "required when strategy is set to Webhook";
            causes.push(Cause::required("spec.conversion.webhookClientConfig", rule));
        }
    }
    version_causes(items(conversion, "/webhook/conversionReviewVersions"), causes);
}

fn version_causes(versions: &[Value], causes: &mut Vec<Cause>) {
    let at = "spec.conversion.conversionReviewVersions";
    for (index, version) in versions.iter().enumerate().filter(|(index, version)| versions[..*index].contains(version))
    {
        causes.push(Cause::invalid(&format!("{at}[{index}]"), version, "duplicate version"));
    }
    if versions.is_empty() {
        causes.push(Cause::required(at, ""));
    } else if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        let given = Value::from(versions);
        causes.push(Cause::invalid(at, given, "must include at least one of v1, v1beta1"));
    }
}

//! The validation of webhook configurations.

use serde_json::Value;

use super::rules::{self, chosen, listed, text, texts};
use crate::api_error::quoted;
use crate::names;
use crate::schema::Cause;
use crate::webhook_address;

/// Returns the errors of all webhooks of a configuration.
pub(super) fn causes(object: &Value) -> Vec<Cause> {
    let hooks: Vec<&Value> = object["webhooks"].as_array().into_iter().flatten().collect();
    let mut causes = Vec::new();
    for (index, hook) in hooks.iter().enumerate() {
        let at = format!("webhooks[{index}]");
        let name = text(hook, "name");
        name_causes(&at, name, &mut causes);
        rules::causes(&format!("{at}.rules"), &hook["rules"], &mut causes);
        chosen(&format!("{at}.failurePolicy"), hook, "failurePolicy", &["Fail", "Ignore"], &mut causes);
        chosen(&format!("{at}.matchPolicy"), hook, "matchPolicy", &["Equivalent", "Exact"], &mut causes);
        chosen(&format!("{at}.reinvocationPolicy"), hook, "reinvocationPolicy", &["IfNeeded", "Never"], &mut causes);
        side_effects(&at, hook, &mut causes);
        timeout(&at, hook, &mut causes);
        webhook_address::causes(&format!("{at}.clientConfig"), &hook["clientConfig"], &mut causes);
        versions(&at, hook, &mut causes);
        if hooks[..index].iter().any(|other| text(other, "name") == name) {
            causes.push(Cause::duplicate(&format!("{at}.name"), quoted(name)));
        }
    }
    causes
}

fn name_causes(at: &str, name: &str, causes: &mut Vec<Cause>) {
    let at = format!("{at}.name");
    if name.is_empty() {
        return causes.push(Cause::required(&at, ""));
    }
    causes.extend(names::subdomain(name).into_iter().map(|why| Cause::invalid(&at, quoted(name), why)));
    if name.split('.').count() < 3 {
        let why = "should be a domain with at least three segments separated by dots";
        causes.push(Cause::invalid(&at, quoted(name), why));
    }
}

fn side_effects(at: &str, hook: &Value, causes: &mut Vec<Cause>) {
    let at = format!("{at}.sideEffects");
    if hook["sideEffects"].is_null() {
        return causes.push(Cause::required(&at, "must specify one of None, NoneOnDryRun"));
    }
    chosen(&at, hook, "sideEffects", &["None", "NoneOnDryRun"], causes);
}

fn timeout(at: &str, hook: &Value, causes: &mut Vec<Cause>) {
    if let Some(seconds) = hook["timeoutSeconds"].as_i64().filter(|seconds| !(1..=30).contains(seconds)) {
        let why = "the timeout value must be between 1 and 30 seconds";
        causes.push(Cause::invalid(&format!("{at}.timeoutSeconds"), seconds, why));
    }
}

fn versions(at: &str, hook: &Value, causes: &mut Vec<Cause>) {
    let at = format!("{at}.admissionReviewVersions");
    let given = texts(hook, "admissionReviewVersions");
    if given.is_empty() {
        causes.push(Cause::required(&at, "must specify one of v1, v1beta1"));
    } else if !given.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
        causes.push(Cause::invalid(&at, listed("string", &given), "must include at least one of v1, v1beta1"));
    }
}

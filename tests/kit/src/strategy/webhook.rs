//! The validation of webhook configurations.

use serde_json::Value;

use super::rules::{self, chosen, listed, text, texts};
use crate::api_error::quoted;
use crate::names;
use crate::schema::Cause;

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
        client_causes(&at, &hook["clientConfig"], &mut causes);
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

fn client_causes(at: &str, client: &Value, causes: &mut Vec<Cause>) {
    let at = format!("{at}.clientConfig");
    match (&client["url"], &client["service"]) {
        (Value::String(url), Value::Null) => url_causes(&format!("{at}.url"), url, causes),
        (Value::Null, service) if service.is_object() => service_causes(&format!("{at}.service"), service, causes),
        _ => causes.push(Cause::required(&at, "exactly one of url or service is required")),
    }
}

fn url_causes(at: &str, url: &str, causes: &mut Vec<Cause>) {
    const FORM: &str = "desired format: https://host[/path]";
    let mut wrong = |value: &str, why: &str| causes.push(Cause::invalid(at, quoted(value), why));
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let host = rest.split('/').next().unwrap_or_default();
    let (user, host) = host.rsplit_once('@').unwrap_or(("", host));
    if scheme != "https" {
        wrong(scheme, &format!("'https' is the only allowed URL scheme; {FORM}"));
    }
    if host.is_empty() {
        wrong(host, &format!("host must be provided; {FORM}"));
    }
    if !user.is_empty() {
        wrong(user, "user information is not permitted in the URL");
    }
    if !fragment.is_empty() {
        wrong(fragment, "fragments are not permitted in the URL");
    }
    if !query.is_empty() {
        wrong(query, "query parameters are not permitted in the URL");
    }
}

fn service_causes(at: &str, service: &Value, causes: &mut Vec<Cause>) {
    for field in ["name", "namespace"] {
        if text(service, field).is_empty() {
            causes.push(Cause::required(&format!("{at}.{field}"), &format!("service {field} is required")));
        }
    }
    if let Some(port) = service["port"].as_i64().filter(|port| !(1..=65535).contains(port)) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(Cause::invalid(&format!("{at}.port"), port, why));
    }
    if let Some(path) = service["path"].as_str().filter(|path| !path.is_empty()) {
        path_causes(&format!("{at}.path"), path, causes);
    }
}

fn path_causes(at: &str, path: &str, causes: &mut Vec<Cause>) {
    let mut wrong = |why: String| causes.push(Cause::invalid(at, quoted(path), why));
    if !path.starts_with('/') {
        wrong("must start with a '/'".to_owned());
    }
    let inner = path.get(1..).unwrap_or_default();
    let segments: Vec<&str> = inner.strip_suffix('/').unwrap_or(inner).split('/').collect();
    for (index, segment) in segments.iter().enumerate().filter(|_| path != "/") {
        if segment.is_empty() {
            wrong(format!("segment[{index}] may not be empty"));
        }
    }
}

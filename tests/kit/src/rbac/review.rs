//! Access reviews: requests that are answered with a status and not stored.

use serde_json::{Value, json};

use super::attributes::Asked;
use super::{Decision, decide, resolve};
use crate::api_error::{Failure, quoted, typed};
use crate::request_context::Call;
use crate::schema::Cause;
use crate::state::{Server, User};

/// Answers a review: returns the object as sent, with a status.
///
/// # Errors
/// 422 if the review has no attributes or both kinds of attributes.
pub(crate) fn answer(server: &Server, call: &Call, mut review: Value) -> Result<Value, Failure> {
    review["metadata"] = json!({});
    if call.kind.kind == "SelfSubjectRulesReview" {
        let namespace = review["spec"]["namespace"].as_str().unwrap_or_default().to_owned();
        if namespace.is_empty() {
            return Err(Failure::bad_request("no namespace on request"));
        }
        review["status"] = rules(server, &call.user, &namespace);
        return Ok(review);
    }
    let spec = &review["spec"];
    let causes = causes(spec, &call.kind.kind);
    if !causes.is_empty() {
        return Err(Failure::invalid(typed(&call.kind, ""), &causes));
    }
    let user = if call.kind.kind == "SelfSubjectAccessReview" { call.user.clone() } else { named(spec) };
    review["status"] = match decide(server, &user, &asked(spec)) {
        Decision::Allowed(reason) if reason.is_empty() => json!({"allowed": true}),
        Decision::Allowed(reason) => json!({"allowed": true, "reason": reason}),
        Decision::Denied => json!({"allowed": false}),
    };
    Ok(review)
}

fn causes(spec: &Value, kind: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    match (spec["resourceAttributes"].is_object(), spec["nonResourceAttributes"].is_object()) {
        (true, true) => causes.push(Cause::invalid(
            "spec.nonResourceAttributes",
            &spec["nonResourceAttributes"],
            "cannot be specified in combination with resourceAttributes",
        )),
        (false, false) => causes.push(Cause::invalid(
            "spec.resourceAttributes",
            quoted(""),
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )),
        _ => {}
    }
    let nobody = spec["user"].as_str().unwrap_or_default().is_empty() && !spec["groups"].is_array();
    if kind != "SelfSubjectAccessReview" && nobody {
        causes.push(Cause::invalid("spec.user", quoted(""), "at least one of user or group must be specified"));
    }
    causes
}

/// The user in a review; no groups are added.
fn named(spec: &Value) -> User {
    let groups = spec["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    User { name: spec["user"].as_str().unwrap_or_default().to_owned(), groups: groups.map(str::to_owned).collect() }
}

fn asked(spec: &Value) -> Asked {
    let about = &spec["resourceAttributes"];
    let text = |field: &str| about[field].as_str().unwrap_or_default().to_owned();
    if let Some(path) = spec["nonResourceAttributes"]["path"].as_str() {
        let verb = spec["nonResourceAttributes"]["verb"].as_str().unwrap_or_default().to_owned();
        return Asked { verb, path: path.to_owned(), ..Asked::default() };
    }
    Asked {
        verb: text("verb"),
        group: text("group"),
        resource: text("resource"),
        subresource: text("subresource"),
        namespace: text("namespace"),
        name: text("name"),
        path: String::new(),
    }
}

/// All rules of the user in a namespace.
fn rules(server: &Server, user: &User, namespace: &str) -> Value {
    let everything = !server.options.rbac || user.groups.iter().any(|group| group == super::MASTERS);
    if everything {
        return json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        });
    }
    let granted = resolve::granted(server, user, Some(namespace));
    let (paths, resources): (Vec<Value>, Vec<Value>) =
        granted.into_iter().flat_map(|grant| grant.rules).partition(|rule| rule["nonResourceURLs"].is_array());
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}

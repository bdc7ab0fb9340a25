//! The privilege escalation check: rejects roles and bindings that grant more than the user has.

use serde_json::{Value, json};

use super::attributes::Asked;
use super::covers::{missing, quoted};
use super::resolve::{GROUP, granted, storage};
use super::{Decision, MASTERS, decide};
use crate::api_error::{About, Failure};
use crate::request_context::Call;
use crate::state::Server;
use crate::strategy::meta;

/// Rejects a role or a binding that grants permissions which the user neither has nor may grant.
///
/// # Errors
/// 403 with the missing permissions; 404 if a binding references a role that does not exist.
pub(crate) fn check_given(server: &Server, call: &Call, sent: &Value, live: Option<&Value>) -> Result<(), Failure> {
    let is_master = call.user.groups.iter().any(|group| group == MASTERS);
    if !server.options.rbac || call.kind.group != GROUP || is_master || live.is_some_and(|live| only_owners(live, sent))
    {
        return Ok(());
    }
    match call.kind.kind.as_str() {
        "Role" | "ClusterRole" => of_role(server, call, sent, live),
        _ => of_binding(server, call, sent),
    }
}

fn of_role(server: &Server, call: &Call, sent: &Value, live: Option<&Value>) -> Result<(), Failure> {
    if may(server, call, "escalate", &call.kind.plural, call.name()) {
        return Ok(());
    }
    holds(server, call, sent, rules(sent))?;
    let aggregates = |role: &Value| !role["aggregationRule"].is_null();
    if !aggregates(sent) && !live.is_some_and(aggregates) {
        return Ok(());
    }
    // Rules of aggregated roles become part of this role.
    let all = [
        json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}),
        json!({"verbs": ["*"], "nonResourceURLs": ["*"]}),
    ];
    let why = "must have cluster-admin privileges to use the aggregationRule";
    holds(server, call, sent, &all).map_err(|_| Failure::forbidden(about(call, sent), why))
}

fn of_binding(server: &Server, call: &Call, sent: &Value) -> Result<(), Failure> {
    let text = |field: &str| sent["roleRef"][field].as_str().unwrap_or_default();
    let (plural, space) = if text("kind") == "Role" { ("roles", call.target.space()) } else { ("clusterroles", "") };
    if may(server, call, "bind", plural, text("name")) {
        return Ok(());
    }
    let role = server.store.get(&storage(plural), &(space.to_owned(), text("name").to_owned()));
    let role = role.ok_or_else(|| Failure::not_found(About { group: GROUP, kind: plural, name: text("name") }))?;
    holds(server, call, sent, rules(&role))
}

/// Whether the user has the verb on roles or bindings in the namespace of the request.
fn may(server: &Server, call: &Call, verb: &str, plural: &str, name: &str) -> bool {
    let asked = Asked {
        verb: verb.to_owned(),
        group: GROUP.to_owned(),
        resource: plural.to_owned(),
        namespace: call.target.space().to_owned(),
        name: name.to_owned(),
        ..Asked::default()
    };
    decide(server, &call.user, &asked) != Decision::Denied
}

/// Rejects rules that the user's own rules do not cover.
fn holds(server: &Server, call: &Call, sent: &Value, given: &[Value]) -> Result<(), Failure> {
    let grants = granted(server, &call.user, call.target.namespace.as_deref());
    let held: Vec<Value> = grants.into_iter().flat_map(|grant| grant.rules).collect();
    let missing: Vec<String> = missing(&held, given).into_iter().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (user, groups) = (&call.user.name, quoted(&call.user.groups));
    let why = format!(
        "user {user:?} (groups={groups}) is attempting to grant RBAC permissions not currently held:\n{}",
        missing.join("\n")
    );
    Err(Failure::forbidden(about(call, sent), &why))
}

fn rules(role: &Value) -> &[Value] {
    role["rules"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn about<'a>(call: &'a Call, sent: &'a Value) -> About<'a> {
    About { group: GROUP, kind: &call.kind.plural, name: meta(sent, "name") }
}

/// Whether only the fields that the garbage collector writes differ.
fn only_owners(live: &Value, sent: &Value) -> bool {
    let without = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|field, _| !matches!(field.as_str(), "ownerReferences" | "finalizers" | "managedFields"));
        }
        object
    };
    without(live) == without(sent)
}

//! POST of an eviction: deletes a Pod if its PodDisruptionBudget allows it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::decode;
use super::delete::{Deletion, delete_stored};
use super::precondition::same_namespace;
use crate::admission::{self, Operation, Request};
use crate::api_error::{About, Failure, resource};
use crate::registry::Storage;
use crate::request_context::Call;
use crate::response::Reply;
use crate::selector::Selector;
use crate::selector::printed;
use crate::state::Server;
use crate::store::{Stale, Write};
use crate::strategy::{self, meta};

/// Maximum number of attempts when other writes change the budget.
const ATTEMPTS: usize = 16;

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if call.method != http::Method::POST {
        return Err(Failure::method_not_allowed());
    }
    let (eviction, mut warnings) = read(call)?;
    warnings.extend(reviewed(server, call, &eviction).await?);
    let deletion = Deletion::asked(call, eviction["deleteOptions"].clone())?;
    let pod = server.store.get(&call.kind.storage, &call.key(call.name()));
    let pod = pod.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    if !is_of_no_account(&pod) {
        allowed(server, call, &pod, deletion.dry_run)?;
    }
    delete_stored(server, &call.kind, &call.key(call.name()), &deletion)?;
    let done = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Reply::value(201, &done).warning(warnings))
}

/// Asks the webhooks about the Eviction.
async fn reviewed(server: &Server, call: &Call, eviction: &Value) -> Result<Vec<String>, Failure> {
    let mut eviction = eviction.clone();
    for (field, text) in [("apiVersion", "policy/v1"), ("kind", "Eviction")] {
        if eviction[field].is_null() {
            eviction[field] = json!(text);
        }
    }
    admission::create(server, &Request::of(call, Operation::Create), &eviction).await
}

/// The Eviction, and warnings about unknown fields.
fn read(call: &Call) -> Result<(Value, Vec<String>), Failure> {
    let (eviction, mut complaints) = decode::body(call)?;
    let known = ["apiVersion", "kind", "metadata", "deleteOptions"];
    let unknown = eviction.as_object().into_iter().flatten().filter(|(name, _)| !known.contains(&name.as_str()));
    complaints.extend(unknown.map(|(name, _)| format!("unknown field {name:?}")));
    let kind = eviction["kind"].as_str().unwrap_or("Eviction");
    if kind != "Eviction" {
        return Err(Failure::bad_request(format!("a {kind} is no Eviction")));
    }
    same_namespace(call, &eviction)?;
    if meta(&eviction, "name") != call.name() {
        return Err(Failure::bad_request("name in URL does not match name in Eviction object"));
    }
    let warnings = decode::settle(call, complaints)?;
    Ok((eviction, warnings))
}

/// Whether the pod has not started, has finished or is being deleted: its eviction disrupts nothing.
fn is_of_no_account(pod: &Value) -> bool {
    strategy::is_deleting(pod) || matches!(pod["status"]["phase"].as_str(), Some("Pending" | "Succeeded" | "Failed"))
}

fn is_ready(pod: &Value) -> bool {
    let mut conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// Checks the budget of the pod and subtracts the disruption from it.
fn allowed(server: &Server, call: &Call, pod: &Value, dry_run: bool) -> Result<(), Failure> {
    for _ in 0..ATTEMPTS {
        let budgets = budgets(server, call, pod)?;
        let budget = match budgets.as_slice() {
            [] => return Ok(()),
            [budget] => budget,
            _ => {
                let why =
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Failure::internal(why));
            }
        };
        if !is_ready(pod) && spares_the_unready(budget) {
            return Ok(());
        }
        let left = checked(budget)?;
        if dry_run || taken(server, call, budget, left - 1).is_ok() {
            return Ok(());
        }
    }
    Err(Failure::status(504, "Timeout", format!("couldn't update PodDisruptionBudget of {}", call.name())))
}

fn storage() -> Storage {
    Storage::new("policy", "poddisruptionbudgets")
}

/// The budgets that select the pod.
fn budgets(server: &Server, call: &Call, pod: &Value) -> Result<Vec<Arc<Value>>, Failure> {
    let mut found = Vec::new();
    for budget in server.store.list(&storage(), Some(call.target.space())).items {
        let selector = &budget["spec"]["selector"];
        if selector.is_object() && Selector::parse(Some(&printed(selector)), None, &call.kind)?.matches(pod, &call.kind)
        {
            found.push(budget);
        }
    }
    Ok(found)
}

/// Whether a pod that is not ready may be evicted regardless of `disruptionsAllowed`.
fn spares_the_unready(budget: &Value) -> bool {
    let number = |field: &str| budget["status"][field].as_i64().unwrap_or_default();
    let wanted = number("desiredHealthy");
    budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || (wanted > 0 && number("currentHealthy") >= wanted)
}

/// Returns the number of disruptions that the budget still allows, which is at least one.
fn checked(budget: &Value) -> Result<i64, Failure> {
    let (name, status) = (meta(budget, "name"), &budget["status"]);
    let number = |field: &str| status[field].as_i64().unwrap_or_default();
    if number("observedGeneration") < budget["metadata"]["generation"].as_i64().unwrap_or_default() {
        let why = format!("The disruption budget {name} is still being processed by the server.");
        let mut refused = refused(&why);
        if let Some(details) = &mut refused.details {
            details["retryAfterSeconds"] = json!(10);
        }
        return Err(Failure { retry_after: Some(10), ..refused });
    }
    let left = number("disruptionsAllowed");
    if left < 0 {
        let about = About { group: "policy", kind: "poddisruptionbudget", name };
        return Err(Failure::forbidden(about, "pdb disruptions allowed is negative"));
    }
    if left > 0 {
        return Ok(left);
    }
    let (wanted, found) = (number("desiredHealthy"), number("currentHealthy"));
    Err(refused(&format!("The disruption budget {name} needs {wanted} healthy pods and has {found} currently")))
}

/// A 429 response.
fn refused(why: &str) -> Failure {
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    let causes = json!({"causes": [{"reason": "DisruptionBudget", "message": why}]});
    Failure::status(429, "TooManyRequests", message).with_details(causes)
}

/// Sets the condition `DisruptionAllowed` to False.
fn used_up(status: &mut Value, now: &str) {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let mut condition = json!({"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
        "lastTransitionTime": now});
    condition["observedGeneration"] = status["observedGeneration"].clone();
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    match conditions.iter_mut().find(|known| known["type"] == "DisruptionAllowed") {
        Some(known) => {
            if known["status"] == "False" {
                condition["lastTransitionTime"] = known["lastTransitionTime"].clone();
            }
            *known = condition;
        }
        None => conditions.push(condition),
    }
}

/// Records the disruption in the status of the budget.
fn taken(server: &Server, call: &Call, budget: &Arc<Value>, left: i64) -> Result<(), Stale> {
    let mut new = budget.as_ref().clone();
    new["status"]["disruptionsAllowed"] = json!(left);
    if left == 0 {
        used_up(&mut new["status"], &server.clock.stamp());
    }
    new["status"]["disruptedPods"][call.name()] = json!(server.clock.stamp());
    let key = (call.target.space().to_owned(), meta(budget, "name").to_owned());
    let write = Write { resource: storage(), key, old: Some(Arc::clone(budget)), new: Some(new) };
    server.store.commit(write).map(drop)
}

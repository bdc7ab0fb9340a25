//! Validation of priority classes.

use serde_json::Value;

use crate::api_error::quoted;
use crate::schema::Cause;

/// The highest value of a priority class that is not a system class.
const HIGHEST: i64 = 1_000_000_000;

/// The priority classes that every cluster has, and their values.
pub(crate) const SYSTEM_PRIORITIES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// The errors of a priority class.
pub(super) fn causes(object: &Value, live: Option<&Value>) -> Vec<Cause> {
    live.map_or_else(|| created(object), |live| changed(object, live))
}

fn created(object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (name, policy) = (super::fields::meta(object, "name"), object["preemptionPolicy"].as_str().unwrap_or_default());
    if name.starts_with("system-") && !SYSTEM_PRIORITIES.iter().any(|(own, _)| *own == name) {
        let why = "priority class names with 'system-' prefix are reserved for system use only. error:";
        let why = format!("{why} {name} is not a known system priority class");
        causes.push(Cause::forbidden("metadata.name", &why));
    } else if !name.starts_with("system-") && object["value"].as_i64().is_some_and(|value| value > HIGHEST) {
        let why = format!("maximum allowed value of a user defined priority is {HIGHEST}");
        causes.push(Cause::forbidden("value", &why));
    }
    if !matches!(policy, "PreemptLowerPriority" | "Never") {
        let supported = ["PreemptLowerPriority", "Never"].map(str::to_owned);
        causes.push(Cause::unsupported("preemptionPolicy", quoted(policy), &supported));
    }
    causes
}

fn changed(object: &Value, live: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let number = |object: &Value| object["value"].as_i64().unwrap_or_default();
    if number(object) != number(live) {
        causes.push(Cause::forbidden("Value", "may not be changed in an update."));
    }
    if object["preemptionPolicy"] != live["preemptionPolicy"] {
        causes.push(Cause::invalid("preemptionPolicy", &object["preemptionPolicy"], "field is immutable"));
    }
    causes
}

//! Fields that Kubernetes adds to pods after defaulting: tolerations, status and QoS class.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fields::restore;

/// The node taints that every pod tolerates for five minutes.
const BORNE: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// Adds the fields of a new pod that have no owner. The pod is Pending, since there is no kubelet.
pub(super) fn complete(object: &mut Value) {
    tolerate(&mut object["spec"]);
    object["status"] = json!({"phase": "Pending", "qosClass": class(&object["spec"])});
}

/// Restores the fields that admission has set.
pub(super) fn changed(live: &Value, object: &mut Value) {
    for field in ["priority", "preemptionPolicy"] {
        if object["spec"][field].is_null() {
            restore(&live["spec"], &mut object["spec"], field);
        }
    }
    tolerate(&mut object["spec"]);
}

fn tolerate(spec: &mut Value) {
    for key in BORNE {
        let bears = |one: &Value| {
            let key_fits = one["key"] == key || one["key"].as_str().unwrap_or_default().is_empty();
            key_fits && (one["effect"] == "NoExecute" || one["effect"].as_str().unwrap_or_default().is_empty())
        };
        if spec["tolerations"].as_array().is_some_and(|all| all.iter().any(bears)) {
            continue;
        }
        let added = json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
        match &mut spec["tolerations"] {
            Value::Array(all) => all.push(added),
            none => *none = json!([added]),
        }
    }
}

/// The QoS class, from the requests and limits of CPU and memory.
fn class(spec: &Value) -> &'static str {
    let containers =
        ["containers", "initContainers"].into_iter().flat_map(|list| spec[list].as_array().into_iter().flatten());
    let (mut asked, mut guaranteed) = (BTreeSet::new(), true);
    for container in containers {
        let resources = &container["resources"];
        for what in ["cpu", "memory"] {
            let (request, limit) = (&resources["requests"][what], &resources["limits"][what]);
            if !is_nothing(request) || !is_nothing(limit) {
                asked.insert(what);
            }
            guaranteed &= !is_nothing(limit) && (request.is_null() || request == limit);
        }
    }
    match (asked.is_empty(), guaranteed) {
        (true, _) => "BestEffort",
        (false, true) => "Guaranteed",
        (false, false) => "Burstable",
    }
}

fn is_nothing(quantity: &Value) -> bool {
    quantity.as_str().is_none_or(|text| text == "0")
}

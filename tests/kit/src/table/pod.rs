//! The columns of pods.

use serde_json::{Value, json};

use super::column::{Column, count, items, number, or_none, text};

pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::name(),
        Column::known("Ready", "The aggregate readiness state of this pod for accepting traffic.", |pod, _| {
            json!(format!("{}/{}", ready(pod), count(pod, "/spec/containers")))
        }),
        Column::known("Status", "The aggregate status of the containers in this pod.", |pod, _| json!(status(pod))),
        Column::known("Restarts", "The number of times the containers in this pod have been restarted.", |pod, _| {
            json!(restarts(pod).to_string())
        }),
        Column::age(),
        Column::known("IP", "IP address allocated to the pod.", |pod, _| or_none(pod, "/status/podIP")).wide(),
        Column::known("Node", "The node the pod runs on.", |pod, _| or_none(pod, "/spec/nodeName")).wide(),
        Column::known("Nominated Node", "The node the pod may come to.", |pod, _| {
            or_none(pod, "/status/nominatedNodeName")
        })
        .wide(),
        Column::known("Readiness Gates", "Conditions that must be true, too.", |pod, _| json!(gates(pod))).wide(),
    ]
}

fn ready(pod: &Value) -> usize {
    items(pod, "/status/containerStatuses").iter().filter(|container| container["ready"] == true).count()
}

fn restarts(pod: &Value) -> i64 {
    items(pod, "/status/containerStatuses").iter().map(|container| number(container, "/restartCount")).sum()
}

/// The phase, or the reason why a container is not running; `Terminating` for a pod that is being deleted.
fn status(pod: &Value) -> String {
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        return if text(pod, "/status/reason") == "NodeLost" { "Unknown" } else { "Terminating" }.to_owned();
    }
    let reported = Some(text(pod, "/status/reason")).filter(|reason| !reason.is_empty());
    let hindered = items(pod, "/status/containerStatuses").iter().rev().filter_map(hindrance).next_back();
    hindered.unwrap_or_else(|| reported.unwrap_or(text(pod, "/status/phase")).to_owned())
}

fn hindrance(container: &Value) -> Option<String> {
    let reasons = ["/state/waiting/reason", "/state/terminated/reason"];
    let reason = reasons.into_iter().map(|pointer| text(container, pointer)).find(|reason| !reason.is_empty());
    if let Some(reason) = reason {
        return Some(reason.to_owned());
    }
    let ended = container.pointer("/state/terminated")?;
    match number(ended, "/signal") {
        0 => Some(format!("ExitCode:{}", number(ended, "/exitCode"))),
        signal => Some(format!("Signal:{signal}")),
    }
}

fn gates(pod: &Value) -> String {
    let gates = items(pod, "/spec/readinessGates");
    let is_true = |gate: &&Value| {
        let mut conditions = items(pod, "/status/conditions").iter();
        conditions.any(|condition| condition["type"] == gate["conditionType"] && condition["status"] == "True")
    };
    if gates.is_empty() {
        "<none>".to_owned()
    } else {
        format!("{}/{}", gates.iter().filter(is_true).count(), gates.len())
    }
}

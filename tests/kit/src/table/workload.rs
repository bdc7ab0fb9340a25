//! The columns of Deployments, StatefulSets, DaemonSets, ReplicaSets and Jobs.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::column::{Column, count, items, labels, number, text};

pub(super) fn columns(kind: &str) -> Vec<Column> {
    let mut columns = vec![Column::name()];
    columns.extend(match kind {
        "Deployment" => vec![
            replicas(),
            whole("Up-to-date", "Pods of the present template.", |d, _| json!(number(d, "/status/updatedReplicas"))),
            whole("Available", "Pods that have been ready for some time.", |d, _| {
                json!(number(d, "/status/availableReplicas"))
            }),
        ],
        "ReplicaSet" => vec![
            whole("Desired", "Pods wanted.", |set, _| json!(number(set, "/spec/replicas"))),
            whole("Current", "Pods there.", |set, _| json!(number(set, "/status/replicas"))),
            whole("Ready", "Pods ready.", |set, _| json!(number(set, "/status/readyReplicas"))),
        ],
        "StatefulSet" => vec![replicas()],
        "DaemonSet" => daemons(),
        "Job" => job(),
        "CronJob" => cron(),
        _ => return vec![Column::name(), Column::created()],
    });
    columns.push(Column::age());
    columns.extend(contents(kind));
    columns
}

fn whole(name: &str, description: &str, cell: fn(&Value, Timestamp) -> Value) -> Column {
    Column::known(name, description, cell).typed("integer")
}

fn replicas() -> Column {
    Column::known("Ready", "Number of the pod with ready state", |object, _| {
        json!(format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")))
    })
}

fn daemons() -> Vec<Column> {
    vec![
        whole("Desired", "Nodes that should run it.", |d, _| json!(number(d, "/status/desiredNumberScheduled"))),
        whole("Current", "Nodes that run it.", |d, _| json!(number(d, "/status/currentNumberScheduled"))),
        whole("Ready", "Nodes where it is ready.", |d, _| json!(number(d, "/status/numberReady"))),
        whole("Up-to-date", "Nodes with the present template.", |d, _| {
            json!(number(d, "/status/updatedNumberScheduled"))
        }),
        whole("Available", "Nodes where it has been ready for some time.", |d, _| {
            json!(number(d, "/status/numberAvailable"))
        }),
        Column::known("Node Selector", "The labels of its nodes.", |d, _| {
            labels(d, "/spec/template/spec/nodeSelector")
        }),
    ]
}

fn job() -> Vec<Column> {
    vec![
        Column::known("Status", "Status of the job.", |job, _| json!(job_status(job))),
        Column::known("Completions", "How many pods have to succeed, and how many have.", |job, _| {
            let wanted = if job["spec"]["completions"].is_null() { 1 } else { number(job, "/spec/completions") };
            json!(format!("{}/{wanted}", number(job, "/status/succeeded")))
        }),
        Column::known("Duration", "Time required to complete the job.", |job, now| json!(duration(job, now))),
    ]
}

fn job_status(job: &Value) -> &'static str {
    let is = |type_: &str| {
        let mut conditions = items(job, "/status/conditions").iter();
        conditions.any(|condition| condition["type"] == type_ && condition["status"] == "True")
    };
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if !job["metadata"]["deletionTimestamp"].is_null() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn duration(job: &Value, now: Timestamp) -> String {
    let time = |pointer: &str| text(job, pointer).parse::<Timestamp>().ok();
    let Some(start) = time("/status/startTime") else { return String::new() };
    let end = time("/status/completionTime").unwrap_or(now);
    age::printed(end.duration_since(start).as_secs())
}

fn cron() -> Vec<Column> {
    vec![
        Column::known("Schedule", "The schedule in Cron format.", |job, _| json!(text(job, "/spec/schedule"))),
        Column::known("Timezone", "The time zone of the schedule.", |job, _| {
            super::column::or_none(job, "/spec/timeZone")
        }),
        Column::known("Suspend", "Whether no further jobs are started.", |job, _| {
            json!(if job["spec"]["suspend"] == true { "True" } else { "False" })
        })
        .typed("boolean"),
        whole("Active", "Jobs running.", |job, _| json!(count(job, "/status/active"))),
        Column::known("Last Schedule", "When a job was started last.", |job, now| {
            let last = &job["status"]["lastScheduleTime"];
            if last.is_null() { json!("<none>") } else { age::since(last, now) }
        }),
    ]
}

/// Containers, images and the selector, in wide output.
fn contents(kind: &str) -> Vec<Column> {
    let mut columns = vec![
        Column::known("Containers", "Names of each container in the template.", |o, _| json!(template(o, "name")))
            .wide(),
        Column::known("Images", "Images referenced by each container in the template.", |o, _| {
            json!(template(o, "image"))
        })
        .wide(),
    ];
    if kind != "StatefulSet" {
        columns.push(Column::known("Selector", "The labels of its pods.", |o, _| selector(o)).wide());
    }
    columns
}

fn template(object: &Value, field: &str) -> String {
    let plain = items(object, "/spec/template/spec/containers").iter();
    let cron = items(object, "/spec/jobTemplate/spec/template/spec/containers").iter();
    plain.chain(cron).map(|container| container[field].as_str().unwrap_or_default()).collect::<Vec<_>>().join(",")
}

fn selector(object: &Value) -> Value {
    if object["spec"]["selector"]["matchExpressions"].is_array() {
        return json!(crate::selector::printed(&object["spec"]["selector"]));
    }
    labels(object, "/spec/selector/matchLabels")
}

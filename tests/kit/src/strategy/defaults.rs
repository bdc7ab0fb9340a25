//! Default values of built-in objects: workloads, their pods, and others.

use serde_json::{Value, json};

use super::fields::{each, fill};
use super::service;
use crate::registry::Kind;

/// The group of webhook configurations and admission policies.
const ADMISSION: &str = "admissionregistration.k8s.io";

/// Sets the defaults of a built-in kind.
pub(crate) fn defaults(kind: &Kind, object: &mut Value) {
    if kind.kind == "PriorityClass" && kind.is_builtin() {
        fill(object, json!({"preemptionPolicy": "PreemptLowerPriority"}));
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        (ADMISSION, "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration") => {
            let is_mutating = kind.kind.starts_with("Mutating");
            each(object, "webhooks", |hook| webhook(hook, is_mutating));
        }
        (ADMISSION, "ValidatingAdmissionPolicy") => {
            if let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object()) {
                fill(spec, json!({"failurePolicy": "Fail"}));
                match_resources(spec, "matchConstraints");
            }
        }
        (ADMISSION, "ValidatingAdmissionPolicyBinding") => {
            if let Some(spec) = object.get_mut("spec") {
                match_resources(spec, "matchResources");
            }
        }
        ("apiregistration.k8s.io", "APIService") => api_service(object),
        _ => {}
    }
    let defaults: fn(&mut Value) = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => bare,
        ("", "Service") => service::defaults,
        ("apps", "Deployment") => deployment,
        ("apps", "ReplicaSet") => |spec| workload(spec, json!({"replicas": 1})),
        ("apps", "StatefulSet") => stateful,
        ("apps", "DaemonSet") => daemon,
        ("batch", "Job") => job,
        ("batch", "CronJob") => cron,
        _ => return,
    };
    // The spec of these kinds is always present, even if empty: it is a struct in the Go type.
    fill(object, json!({"spec": {}}));
    if let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object()) {
        defaults(spec);
    }
}

fn webhook(hook: &mut Value, is_mutating: bool) {
    let own = json!({"failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
        "timeoutSeconds": 10});
    fill(hook, own);
    if is_mutating {
        fill(hook, json!({"reinvocationPolicy": "Never"}));
    }
    each(hook, "rules", |rule| fill(rule, json!({"scope": "*"})));
    if let Some(service) = hook.pointer_mut("/clientConfig/service") {
        fill(service, json!({"port": 443}));
    }
}

/// Sets the defaults of what a policy or a binding matches.
fn match_resources(spec: &mut Value, field: &str) {
    let Some(resources) = spec.get_mut(field).filter(|resources| resources.is_object()) else { return };
    fill(resources, json!({"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}));
    for rules in ["resourceRules", "excludeResourceRules"] {
        each(resources, rules, |rule| fill(rule, json!({"scope": "*"})));
    }
}

fn api_service(object: &mut Value) {
    if let Some(service) = object.pointer_mut("/spec/service").filter(|service| service.is_object()) {
        fill(service, json!({"port": 443}));
    }
}

/// Sets the defaults of a kind with a pod template.
fn workload(spec: &mut Value, own: Value) {
    fill(spec, own);
    if let Some(template) = spec.pointer_mut("/template/spec") {
        pod(template);
    }
}

fn deployment(spec: &mut Value) {
    workload(spec, json!({"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "strategy": {}}));
    let strategy = &mut spec["strategy"];
    fill(strategy, json!({"type": "RollingUpdate"}));
    if strategy["type"] == "RollingUpdate" {
        fill(strategy, json!({"rollingUpdate": {}}));
        fill(&mut strategy["rollingUpdate"], json!({"maxUnavailable": "25%", "maxSurge": "25%"}));
    }
}

fn stateful(spec: &mut Value) {
    let own =
        json!({"replicas": 1, "podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10, "updateStrategy": {}});
    workload(spec, own);
    let strategy = &mut spec["updateStrategy"];
    fill(strategy, json!({"type": "RollingUpdate"}));
    if strategy["type"] == "RollingUpdate" {
        fill(strategy, json!({"rollingUpdate": {}}));
        fill(&mut strategy["rollingUpdate"], json!({"partition": 0}));
    }
}

fn daemon(spec: &mut Value) {
    workload(spec, json!({"revisionHistoryLimit": 10, "updateStrategy": {}}));
    let strategy = &mut spec["updateStrategy"];
    fill(strategy, json!({"type": "RollingUpdate"}));
    if strategy["type"] == "RollingUpdate" {
        fill(strategy, json!({"rollingUpdate": {}}));
        fill(&mut strategy["rollingUpdate"], json!({"maxUnavailable": 1, "maxSurge": 0}));
    }
}

fn cron(spec: &mut Value) {
    let own = json!({"concurrencyPolicy": "Allow", "suspend": false, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1});
    fill(spec, own);
    if let Some(spec) = spec.pointer_mut("/jobTemplate/spec") {
        job(spec);
    }
}

fn job(spec: &mut Value) {
    if spec["completions"].is_null() && spec["parallelism"].is_null() {
        fill(spec, json!({"completions": 1}));
    }
    workload(spec, json!({"parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed", "suspend": false}));
}

/// Sets the defaults of a standalone pod, some of which do not apply to pod templates.
fn bare(spec: &mut Value) {
    fill(spec, json!({"enableServiceLinks": true}));
    for list in ["initContainers", "containers"] {
        each(spec, list, requests);
    }
    pod(spec);
}

fn pod(spec: &mut Value) {
    let own = json!({"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler"});
    fill(spec, own);
    for list in ["initContainers", "containers"] {
        each(spec, list, container);
    }
    each(spec, "volumes", volume);
}

fn container(container: &mut Value) {
    let pull = if is_latest(container["image"].as_str().unwrap_or_default()) { "Always" } else { "IfNotPresent" };
    let own = json!({"resources": {}, "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": pull});
    fill(container, own);
    each(container, "ports", |port| fill(port, json!({"protocol": "TCP"})));
    each(container, "env", |variable| {
        if let Some(field) = variable.pointer_mut("/valueFrom/fieldRef") {
            fill(field, json!({"apiVersion": "v1"}));
        }
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe) {
            fill(
                probe,
                json!({"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}),
            );
            if let Some(get) = probe.get_mut("httpGet") {
                fill(get, json!({"path": "/", "scheme": "HTTP"}));
            }
        }
    }
}

/// Sets the requests of a container to its limits where they are unset.
fn requests(container: &mut Value) {
    let limits = container["resources"]["limits"].clone();
    if limits.as_object().is_some_and(|limits| !limits.is_empty()) {
        fill(&mut container["resources"], json!({"requests": {}}));
        fill(&mut container["resources"]["requests"], limits);
    }
}

/// Whether the image has the tag `latest`, or neither tag nor digest.
fn is_latest(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or_default();
    let (name, digest) = name.split_once('@').map_or((name, None), |(name, digest)| (name, Some(digest)));
    match name.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => digest.is_none(),
    }
}

fn volume(volume: &mut Value) {
    let sources = volume.as_object().map(|fields| fields.keys().filter(|field| *field != "name").count());
    if sources == Some(0) {
        fill(volume, json!({"emptyDir": {}}));
    }
    if let Some(path) = volume.get_mut("hostPath") {
        fill(path, json!({"type": ""}));
    }
    for source in ["secret", "configMap", "projected", "downwardAPI"] {
        if let Some(source) = volume.get_mut(source) {
            fill(source, json!({"defaultMode": 420}));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_without_a_tag_is_always_pulled() {
        for image in ["nginx", "nginx:latest", "host:5000/nginx"] {
            assert!(is_latest(image), "{image}");
        }
        for image in ["nginx:1", "host:5000/nginx:1", "nginx@sha256:abc", "nginx:1@sha256:abc"] {
            assert!(!is_latest(image), "{image}");
        }
    }

    #[test]
    fn explicit_values_are_not_defaulted() {
        let mut spec = json!({"strategy": {"type": "Recreate"}, "replicas": 0, "template": {"spec": {"containers": [
            {"name": "c", "image": "i:1", "imagePullPolicy": "Never"}]}}});
        deployment(&mut spec);
        assert_eq!(spec["strategy"], json!({"type": "Recreate"}));
        assert_eq!((&spec["replicas"], &spec["revisionHistoryLimit"]), (&json!(0), &json!(10)));
        assert_eq!(spec["template"]["spec"]["containers"][0]["imagePullPolicy"], "Never");
    }
}

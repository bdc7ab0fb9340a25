//! Each rule is met by one object, and each changed field of that object violates it.

use serde_json::{Value, json};

use super::*;
use crate::dependency::{StatusHints, object_status};

fn of(api_version: &str, kind: &str, spec: &Value, status: &Value) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "generation": 1 }, "spec": spec, "status": status })
}

fn text(object: &Value) -> String {
    object_status(object, &StatusHints::default()).to_string()
}

/// Checks that the object is current, and what each change of one field makes of it.
fn check(object: &Value, changes: &[(&str, Value, &str)]) {
    assert_eq!(text(object), "it is current", "{object}");
    for (path, value, wanted) in changes {
        let mut changed = object.clone();
        *changed.pointer_mut(path).unwrap() = value.clone();
        assert_eq!(text(&changed), *wanted, "{path}");
    }
    // An object without a status.
    let mut new = object.clone();
    new["status"] = Value::Null;
    assert_ne!(text(&new), "it is current", "{new}");
}

#[test]
fn a_deployment_needs_its_replicas_and_conditions() {
    let spec = json!({ "replicas": 3, "progressDeadlineSeconds": 600 });
    let conditions = json!([
        { "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable" },
        { "type": "Available", "status": "True", "reason": "" },
    ]);
    let status = json!({ "observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3,
        "readyReplicas": 3, "conditions": conditions });
    let changes = [
        ("/status/replicas", json!(2), "2 of 3 replicas exist"),
        ("/status/replicas", json!(4), "1 replicas must still end"),
        ("/status/updatedReplicas", json!(1), "1 of 3 replicas are updated"),
        ("/status/availableReplicas", json!(1), "1 of 3 replicas are available"),
        ("/status/readyReplicas", json!(0), "0 of 3 replicas are ready"),
        ("/status/conditions/0/reason", json!("ReplicaSetUpdated"), "its new ReplicaSet is not available yet"),
        ("/status/conditions/0/reason", json!("ProgressDeadlineExceeded"), "its progress deadline is exceeded"),
        ("/status/conditions/1/status", json!("False"), "Available is not True"),
    ];
    let deployment = of("apps/v1", "Deployment", &spec, &status);
    check(&deployment, &changes);
    let mut without = deployment;
    without["spec"]["progressDeadlineSeconds"] = json!(i32::MAX);
    without["status"]["conditions"][0]["reason"] = json!("ReplicaSetUpdated");
    assert_eq!(text(&without), "it is current", "it has no deadline, so the reason does not change");
}

#[test]
fn a_stateful_set_needs_its_replicas_in_one_revision() {
    let spec =
        json!({ "replicas": 2, "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "partition": 0 } } });
    let status = json!({ "replicas": 2, "readyReplicas": 2, "currentReplicas": 2, "updatedReplicas": 0,
        "currentRevision": "a", "updateRevision": "a" });
    let changes = [
        ("/status/replicas", json!(1), "1 of 2 replicas exist"),
        ("/status/replicas", json!(3), "1 replicas must still end"),
        ("/status/readyReplicas", json!(1), "1 of 2 replicas are ready"),
        ("/status/currentReplicas", json!(1), "1 of 2 replicas are current"),
        ("/status/updateRevision", json!("b"), "its update is not complete"),
        ("/spec/updateStrategy/rollingUpdate/partition", json!(1), "0 of 1 replicas are updated"),
    ];
    let set = of("apps/v1", "StatefulSet", &spec, &status);
    check(&set, &changes);
    let mut by_hand = set;
    by_hand["spec"]["updateStrategy"]["type"] = json!("OnDelete");
    by_hand["status"] = Value::Null;
    assert_eq!(text(&by_hand), "it is current");
}

#[test]
fn the_other_workloads_need_their_replicas() {
    let status = json!({ "observedGeneration": 1, "desiredNumberScheduled": 2, "currentNumberScheduled": 2,
        "updatedNumberScheduled": 2, "numberAvailable": 2, "numberReady": 2 });
    let changes = [
        ("/status/observedGeneration", Value::Null, "its controller has not observed it yet"),
        ("/status/desiredNumberScheduled", Value::Null, "its Pods are not counted yet"),
        ("/status/currentNumberScheduled", json!(1), "1 of 2 replicas are scheduled"),
        ("/status/updatedNumberScheduled", json!(1), "1 of 2 replicas are updated"),
        ("/status/numberAvailable", json!(1), "1 of 2 replicas are available"),
        ("/status/numberReady", json!(1), "1 of 2 replicas are ready"),
    ];
    check(&of("apps/v1", "DaemonSet", &json!({}), &status), &changes);
    let status = json!({ "replicas": 1, "fullyLabeledReplicas": 1, "availableReplicas": 1, "readyReplicas": 1,
        "conditions": [{ "type": "ReplicaFailure", "status": "False" }] });
    let changes = [
        ("/status/conditions/0/status", json!("True"), "ReplicaFailure is True"),
        ("/status/fullyLabeledReplicas", json!(0), "0 of 1 replicas have all labels"),
        ("/status/availableReplicas", json!(0), "0 of 1 replicas are available"),
        ("/status/readyReplicas", json!(0), "0 of 1 replicas are ready"),
        ("/status/replicas", json!(2), "1 replicas must still end"),
    ];
    check(&of("apps/v1", "ReplicaSet", &json!({}), &status), &changes);
}

#[test]
fn a_pod_runs_or_has_succeeded() {
    let status = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }],
        "containerStatuses": [{ "name": "web", "state": { "waiting": { "reason": "ContainerCreating" } } }] });
    let changes = [
        ("/status/conditions/0/status", json!("False"), "it is Running and not ready"),
        ("/status/phase", json!("Pending"), "it is Pending and not ready"),
        ("/status/phase", json!("Failed"), "the Pod has failed"),
    ];
    let pod = of("v1", "Pod", &json!({}), &status);
    check(&pod, &changes);
    let mut looping = pod.clone();
    looping["status"]["conditions"][0]["status"] = json!("False");
    looping["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] = json!("CrashLoopBackOff");
    let failed = ObjectStatus::Failed("the container web ends again and again (CrashLoopBackOff)".into());
    assert_eq!(object_status(&looping, &StatusHints::default()), failed);
    let mut ended = pod;
    ended["status"] = json!({ "phase": "Succeeded" });
    assert_eq!(text(&ended), "it is current");
}

#[test]
fn the_other_kinds_need_their_phase_or_conditions() {
    let bound = json!({ "phase": "Bound" });
    check(
        &of("v1", "PersistentVolumeClaim", &json!({}), &bound),
        &[("/status/phase", json!("Lost"), "it is Lost, not Bound")],
    );
    let observed = json!({ "observedGeneration": 1 });
    check(&of("policy/v1", "PodDisruptionBudget", &json!({}), &observed), &[]);
    let conditions = |types: &[&str]| {
        let all: Vec<_> = types.iter().map(|type_| json!({ "type": type_, "status": "True" })).collect();
        json!({ "conditions": all })
    };
    let changes = [
        ("/status/conditions/0/status", json!("Unknown"), "NamesAccepted is not True yet"),
        (
            "/status/conditions/0/status",
            json!("False"),
            "its names are in use by another definition (NamesAccepted is False)",
        ),
        ("/status/conditions/1/status", json!("False"), "Established is not True yet"),
    ];
    let names = conditions(&["NamesAccepted", "Established"]);
    check(&of("apiextensions.k8s.io/v1", "CustomResourceDefinition", &json!({}), &names), &changes);
    let changes = [("/status/conditions/0/status", json!("False"), "Available is not True")];
    check(&of("apiregistration.k8s.io/v1", "APIService", &json!({}), &conditions(&["Available"])), &changes);
    let changes = [("/status/conditions/0/status", json!("False"), "the Job is not complete yet")];
    check(&of("batch/v1", "Job", &json!({}), &conditions(&["Complete"])), &changes);
    let failed = of("batch/v1", "Job", &json!({}), &conditions(&["Failed"]));
    assert_eq!(object_status(&failed, &StatusHints::default()), ObjectStatus::Failed("the Job has failed".into()));
    let service = |spec: Value| text(&of("v1", "Service", &spec, &Value::Null));
    assert_eq!(service(json!({ "type": "LoadBalancer" })), "it has no cluster address yet");
    assert_eq!(service(json!({ "type": "LoadBalancer", "clusterIP": "10.0.0.1" })), "it is current");
    assert_eq!(service(json!({ "type": "ClusterIP" })), "it is current");
}

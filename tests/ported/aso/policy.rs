//! Policies: the meaning of their values, and their precedence.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Fault;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::stage::{Outside, Stage, annotations};

/// The effective policy, from the status and the functions that ran.
pub(super) async fn effective(object: &Value, namespace: &Value, default: &Value) -> (String, Stage) {
    let mut stage = Stage::new().await;
    if namespace["error"].is_string() {
        stage.world.wire.fault(|call| {
            let lists = call.path.ends_with("/api/v1/namespaces") || call.path.matches('/').count() == 4;
            (lists && call.path.contains("/v1/namespaces")).then_some(Fault::Answer(403, None))
        });
    } else {
        let patch = Patch::Merge(json!({ "metadata": { "annotations": annotations(namespace, &Value::Null) } }));
        let namespaces = Api::<Namespace>::all(stage.world.client.clone());
        namespaces.patch(&stage.world.namespace, &PatchParams::default(), &patch).await.unwrap();
    }
    stage.create(json!({ "annotations": annotations(object, &Value::Null) }), json!({})).await;
    let default = default.as_str().filter(|text| !text.is_empty()).map(|text| text.parse::<Policy>().unwrap());
    stage.operate(|operator| default.into_iter().fold(operator, Operator::default_policy));
    tokio::time::sleep(Duration::from_secs(60)).await;
    (shown(&stage.object().await), stage)
}

pub(super) async fn parsed(given: Value) -> Value {
    let (policy, _stage) = effective(&given["value"], &Value::Null, &given["default"]).await;
    json!({ "ok": policy != "unknown", "policy": policy })
}

pub(super) async fn allows(given: Value) -> Value {
    let policy: Policy = given["policy"].as_str().unwrap().parse().unwrap();
    json!({ "modify": policy.may_modify(), "delete": policy.may_delete() })
}

pub(super) async fn resolved(given: Value) -> Value {
    let (policy, stage) = effective(&given["object"], &given["namespace"], &given["global"]).await;
    let (of_namespace, _other) = effective(&Value::Null, &given["namespace"], &given["global"]).await;
    let touched = ["create_or_update", "delete"].iter().any(|call| stage.script.count(call) > 0);
    json!({ "error": policy == "unknown" && !touched, "effective": policy, "namespace_policy": of_namespace })
}

/// The result for another object, whose reconciler does not use the policy of the first one.
pub(super) async fn for_another(given: Value) -> Value {
    let (resolved, other) = (&given["resolved"], &given["other"]);
    let mut stage = Stage::new().await;
    let ours = stage.world.namespace.clone();
    let namespaces = Api::<Namespace>::all(stage.world.client.clone());
    let policy = annotations(&resolved["namespace_policy"], &Value::Null);
    let patch = Patch::Merge(json!({ "metadata": { "annotations": policy } }));
    namespaces.patch(&ours, &PatchParams::default(), &patch).await.unwrap();
    let theirs = if other["namespace"] == resolved["namespace"] { ours.clone() } else { "another".to_owned() };
    if theirs != ours {
        let namespace = serde_json::from_value(json!({ "metadata": { "name": theirs } })).unwrap();
        namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    }
    stage.create(json!({ "annotations": annotations(&resolved["effective"], &Value::Null) }), json!({})).await;
    let mut second = Outside::new("y", serde_json::from_value(json!({})).unwrap());
    second.metadata.annotations = serde_json::from_value(annotations(&other["annotation"], &Value::Null)).unwrap();
    let objects = Api::<Outside>::namespaced(stage.world.client.clone(), &theirs);
    objects.create(&PostParams::default(), &second).await.unwrap();
    let default = resolved["global"].as_str().unwrap().parse().unwrap();
    stage.operate(|operator| operator.default_policy(default).namespaces([&*ours, &*theirs]));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(shown(&stage.object().await), resolved["effective"], "the first object");
    let second = serde_json::to_value(objects.get("y").await.unwrap()).unwrap();
    json!({ "policy": shown(&second), "error": second["status"]["conditions"].is_null() })
}

/// The effective policy in the status.
fn shown(object: &Value) -> String {
    object["status"]["observedInputs"]["policy"].as_str().unwrap_or("manage").to_owned()
}

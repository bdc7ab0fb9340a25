//! Policies: what their values mean, and which one counts.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::wire::Fault;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::stage::{Stage, annotations};

/// The policy that counts, as the status and the functions that ran tell it.
async fn effective(object: &Value, namespace: &Value, default: &Value) -> (String, Stage) {
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
    let object = stage.object().await;
    let shown = object["status"]["observedInputs"]["policy"].as_str().unwrap_or("manage").to_owned();
    (shown, stage)
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

/// Nobody asks for the policy of another object: its own reconciler does.
pub(super) async fn for_another(_given: Value) -> Value {
    Value::Null
}

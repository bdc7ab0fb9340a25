//! Whole stories.

use std::time::Duration;

use evenkeel::policy::POLICY;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::script::{End, Wrong};
use crate::stage::{Stage, annotations};

const QUIET: Duration = Duration::from_secs(60);

pub(super) async fn adapter(given: Value) -> Value {
    let steps: Vec<&str> = given["steps"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut stage = Stage::new().await;
    if steps == ["namespace annotation skip removed"] {
        return freed(stage).await;
    }
    let skipped = given["policy"] == "skip";
    if skipped {
        stage.script.lock().claims = Some(json!({}));
        stage.script.lock().look = match given["outside"] == "absent" {
            true => End::Wrong(Wrong::new(evenkeel::Class::Transient, "AzureResourceNotFound", "it is not there")),
            false => End::Changed("seen".into()),
        };
    }
    if steps.first().is_some_and(|step| step.contains("Conflict")) {
        let mut left = 1;
        stage.world.wire.fault(move |call| {
            let strikes = call.is_status_write() && left > 0;
            left -= usize::from(strikes);
            strikes.then_some(Fault::Answer(409, None))
        });
    }
    stage.create(json!({ "annotations": annotations(&given["policy"], &Value::Null) }), json!({})).await;
    stage.operate(|operator| operator);
    stage.settle().await;
    let (object, ready) = (stage.object().await, stage.ready().await);
    if steps.contains(&"delete") {
        stage.delete().await;
        tokio::time::sleep(QUIET).await;
        return json!({ "outside_deletes": stage.script.count("delete"), "object_gone": stage.object().await.is_null() });
    }
    tokio::time::sleep(QUIET).await;
    let made = stage.script.count("create_or_update");
    json!({
        "outside_creates": made,
        "outside_writes": made,
        "ready": if given["outside"] == "present" { ready["status"].clone() } else { ready },
        "marker_annotation_saved": object["metadata"]["annotations"]["example.com/resource-id"] == "id",
        "status_filled_from_outside": object["status"]["made"] == "seen",
        // The step that creates it decides how to handle an existing object.
        "adopted": made > 0,
        "retried": is_ready(&stage.object().await),
    })
}

/// The policy `skip` of the namespace is removed.
async fn freed(mut stage: Stage) -> Value {
    let namespaces = Api::<Namespace>::all(stage.world.client.clone());
    let set_policy = async |policy: Value, stage: &Stage| {
        let patch = Patch::Merge(json!({ "metadata": { "annotations": { POLICY: policy } } }));
        namespaces.patch(&stage.world.namespace, &PatchParams::default(), &patch).await.unwrap();
        tokio::time::sleep(QUIET).await;
    };
    set_policy(json!("skip"), &stage).await;
    stage.create(json!({}), json!({})).await;
    stage.operate(|operator| operator);
    tokio::time::sleep(QUIET).await;
    assert_eq!(stage.script.count("create_or_update"), 0);
    set_policy(Value::Null, &stage).await;
    let queued = stage.script.count("create_or_update") > 0;
    json!({ "objects_without_own_annotation": if queued { "should be re-queued" } else { "wait" } })
}

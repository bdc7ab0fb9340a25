//! The status subresource and the generation.

use std::time::Duration;

use http_body_util::BodyExt;
use kube::api::{Patch, PatchParams, PostParams};
use kube::client::Body;
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, holds, refused, same};
use crate::env::{Env, with};
use crate::rule::rules;

rules![
    a_create_ignores_status,
    a_write_to_the_object_ignores_status,
    a_status_write_ignores_other_fields,
    generation_counts_only_spec_changes,
    generation_counts_the_start_of_deletion,
    without_the_subresource_status_is_an_ordinary_field,
    kinds_without_a_spec_have_no_generation,
    the_status_of_an_absent_object_is_not_found,
    a_status_write_at_an_old_version_conflicts,
    a_deployment_counts_generations,
    the_event_of_a_status_write_has_the_text_of_its_response,
];

fn generation(object: &Value) -> &Value {
    &object["metadata"]["generation"]
}

async fn a_create_ignores_status(env: &Env) -> Verdict {
    let body = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": "a"},
        "spec": {}, "status": {"phase": "mine"}});
    let made = env.post(&env.path(""), &body).await?.is(201)?.body;
    same("status", &made["status"], &Value::Null)
}

async fn a_write_to_the_object_ignores_status(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let written = with(&first, json!({"spec": {"size": 2}, "status": {"phase": "mine"}}));
    let put = env.put(&env.path("/a"), &written).await?.is(200)?.body;
    same("status after a replace", &put["status"], &Value::Null)?;
    same("size", &put["spec"]["size"], 2)?;
    let merged = env.merge(&env.path("/a"), &json!({"status": {"phase": "mine"}})).await?.is(200)?.body;
    same("status after a patch", &merged["status"], &Value::Null)
}

async fn a_status_write_ignores_other_fields(env: &Env) -> Verdict {
    env.widget("a", json!({"size": 1})).await?;
    let patch =
        Patch::Merge(json!({"metadata": {"labels": {"l": "1"}}, "spec": {"size": 2}, "status": {"phase": "ready"}}));
    let patched = env.widgets().patch_status("a", &PatchParams::default(), &patch).await?;
    same("status", &patched.data["status"]["phase"], "ready")?;
    same("size", &patched.data["spec"]["size"], 1)?;
    same("labels", patched.metadata.labels.clone(), None)?;
    let replaced = with(&patched, json!({"spec": {"size": 3}, "status": {"phase": "done"}}));
    let put = env.put(&env.path("/a/status"), &replaced).await?.is(200)?.body;
    same("status", &put["status"]["phase"], "done")?;
    same("size", &put["spec"]["size"], 1)
}

async fn generation_counts_only_spec_changes(env: &Env) -> Verdict {
    let path = env.path("/a");
    env.widget("a", json!({"size": 1})).await?;
    let labelled = env.merge(&path, &json!({"metadata": {"labels": {"l": "1"}}})).await?.is(200)?.body;
    same("after a label", generation(&labelled), 1)?;
    let sized = env.merge(&path, &json!({"spec": {"size": 2}})).await?.is(200)?.body;
    same("after a change of the spec", generation(&sized), 2)?;
    let same_again = env.merge(&path, &json!({"spec": {"size": 2}})).await?.is(200)?.body;
    same("after no change", generation(&same_again), 2)?;
    let status = env.merge(&env.path("/a/status"), &json!({"status": {"phase": "x"}})).await?.is(200)?.body;
    same("after a status", generation(&status), 2)
}

async fn generation_counts_the_start_of_deletion(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    env.merge(&env.path("/a"), &json!({"metadata": {"finalizers": ["conform.evenkeel.dev/f"]}})).await?.is(200)?;
    let deleting = env.send("DELETE", &env.path("/a"), "", "").await?.is(200)?.body;
    same("generation", generation(&deleting), 2)
}

async fn without_the_subresource_status_is_an_ordinary_field(env: &Env) -> Verdict {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    env.define(&Env::definition(&env.group(), "Plain", &free, &json!({}))).await?;
    let path = format!("/apis/{}/v1/namespaces/{}/plains", env.group(), env.namespace);
    let body = json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Plain", "metadata": {"name": "a"}, "status": {"phase": "x"}});
    let made = env.post(&path, &body).await?.is(201)?.body;
    same("status", &made["status"]["phase"], "x")?;
    let changed = env.merge(&format!("{path}/a"), &json!({"status": {"phase": "y"}})).await?.is(200)?.body;
    same("generation", generation(&changed), 2)?;
    env.merge(&format!("{path}/a/status"), &json!({"status": {"phase": "z"}})).await?.is(404).map(|_| ())
}

async fn kinds_without_a_spec_have_no_generation(env: &Env) -> Verdict {
    let map = env.maps().create(&PostParams::default(), &env.map("a")).await?;
    same("generation", map.metadata.generation, None)
}

async fn the_status_of_an_absent_object_is_not_found(env: &Env) -> Verdict {
    let patch = Patch::Merge(json!({"status": {"phase": "x"}}));
    refused(env.widgets().patch_status("a", &PatchParams::default(), &patch).await, 404, "NotFound").map(|_| ())
}

async fn a_status_write_at_an_old_version_conflicts(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    env.merge(&env.path("/a"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    let late = with(&first, json!({"status": {"phase": "late"}}));
    env.put(&env.path("/a/status"), &late).await?.refuses(409, "Conflict").map(|_| ())
}

async fn a_deployment_counts_generations(env: &Env) -> Verdict {
    let path = format!("/apis/apps/v1/namespaces/{}/deployments", env.namespace);
    let made = env.post(&path, &deployment()).await?.is(201)?.body;
    same("at creation", generation(&made), 1)?;
    let change = json!({"spec": {"template": {"metadata": {"labels": {"b": "c"}}}}});
    let changed = env.merge(&format!("{path}/d"), &change).await?.is(200)?.body;
    same("after a change", generation(&changed), 2)?;
    let labelled: Result<Value, Broken> = env
        .merge(&format!("{path}/d"), &json!({"metadata": {"labels": {"x": "y"}}}))
        .await?
        .is(200)
        .map(|answer| answer.body);
    same("after a label", generation(&labelled?), 2)
}

/// The Deployment is paused, so that the controllers of a real server write as little as possible during the rule.
pub(crate) fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": 0, "paused": true, "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
}

/// By this a client knows the event of its own write, and by the end of the text that its status was stored as it was sent.
async fn the_event_of_a_status_write_has_the_text_of_its_response(env: &Env) -> Verdict {
    let made = env.widget("a", json!({"size": 1})).await?;
    let since = made.metadata.resource_version.unwrap_or_default();
    let path = env.path(&format!("?watch=true&resourceVersion={since}"));
    let mut events = env.client.send(http::Request::get(path).body(Body::empty())?).await?.into_body();
    let status = r#","status":{"conditions":[{"message":"a \"b\"","status":"True","type":"Ready"}],"phase":"x"}}"#;
    let body = r#"{"apiVersion":"conform.evenkeel.dev/v1","kind":"Widget","metadata":{"name":"a"}"#.to_owned() + status;
    let path = env.path("/a/status?fieldManager=conform&force=true");
    let request = http::Request::patch(path).header("Content-Type", "application/apply-patch+yaml");
    let response = env.client.send(request.body(Body::from(body.into_bytes()))?).await?.into_body();
    let response = String::from_utf8(response.collect().await?.to_bytes().to_vec())?;
    holds("the response ends with the status", response.trim_end().ends_with(status))?;
    let mut event = Vec::new();
    while !event.ends_with(b"\n") {
        let frame = tokio::time::timeout(Duration::from_secs(10), events.frame()).await?.ok_or("the watch ended")??;
        event.extend_from_slice(frame.data_ref().ok_or("trailers")?);
    }
    let expected = format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", response.trim_end());
    same("event", String::from_utf8(event)?, expected)
}

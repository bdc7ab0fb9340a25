//! `hello` in plain kube-rs, for comparison: the same ConfigMap, conditions, events and retries, hand-written.
//!
//! `cargo run -p examples --bin plain` runs it against the current kubeconfig with the CRD of `hello`. A test checks that both look the
//! same to users.
#![allow(missing_docs, unreachable_pub, reason = "it shows the way by hand, in a program of one file")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "demo.evenkeel.dev",
    version = "v1",
    kind = "Greeting",
    namespaced,
    status = "GreetingStatus",
    schema = "disabled"
)]
pub struct GreetingSpec {
    pub name: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GreetingStatus {
    pub observed_generation: Option<i64>,
    pub conditions: Vec<Condition>,
}

const MANAGER: &str = "plain";

struct Context {
    client: Client,
    recorder: Recorder,
    failures: Mutex<HashMap<String, u32>>,
}

async fn publish(greeting: &Greeting, client: &Client) -> kube::Result<()> {
    let owner = greeting.controller_owner_ref(&()).into_iter().collect();
    let metadata =
        ObjectMeta { name: Some(greeting.name_any()), owner_references: Some(owner), ..ObjectMeta::default() };
    let data = Some([("text".to_owned(), format!("Hello, {}!", greeting.spec.name))].into());
    let map = ConfigMap { metadata, data, ..ConfigMap::default() };
    let maps = Api::<ConfigMap>::namespaced(client.clone(), &greeting.namespace().unwrap_or_default());
    maps.patch(&greeting.name_any(), &PatchParams::apply(MANAGER).force(), &Patch::Apply(&map)).await?;
    Ok(())
}

fn reason(error: &kube::Error) -> &'static str {
    match error {
        kube::Error::Api(status) => match status.code {
            409 => "Conflict",
            404 => "NotFound",
            403 => "Forbidden",
            400 | 422 => "Invalid",
            429 | 503 => "ServerBusy",
            _ => "CallFailed",
        },
        _ => "CallFailed",
    }
}

fn find<'a>(greeting: &'a Greeting, type_: &str) -> Option<&'a Condition> {
    greeting.status.as_ref()?.conditions.iter().find(|condition| condition.type_ == type_)
}

fn condition(greeting: &Greeting, type_: &str, is: bool, reason: &str, message: &str) -> Condition {
    let status = if is { "True" } else { "False" };
    let before = find(greeting, type_).filter(|before| before.status == status);
    Condition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: greeting.metadata.generation,
        last_transition_time: before
            .map_or_else(|| Time(Timestamp::now()), |before| before.last_transition_time.clone()),
    }
}

fn status(greeting: &Greeting, outcome: &kube::Result<()>) -> GreetingStatus {
    let before = greeting.status.as_ref().and_then(|status| status.observed_generation);
    let (is, reason, message) = match outcome {
        Ok(()) => (true, "Succeeded", "the greeting is in its ConfigMap".to_owned()),
        Err(error) => (false, reason(error), error.to_string()),
    };
    let retried = condition(greeting, "Reconciling", true, "ProgressingWithRetry", &message);
    let ready = condition(greeting, "Ready", is, reason, &message);
    let published = condition(greeting, "Published", is, reason, &message);
    GreetingStatus {
        observed_generation: if is { greeting.metadata.generation } else { before },
        conditions: [retried].into_iter().filter(|_| !is).chain([ready, published]).collect(),
    }
}

async fn publish_event(greeting: &Greeting, status: &GreetingStatus, cx: &Context) -> kube::Result<()> {
    let Some(ready) = status.conditions.iter().find(|condition| condition.type_ == "Ready") else { return Ok(()) };
    if find(greeting, "Ready").is_some_and(|before| (&before.status, &before.reason) == (&ready.status, &ready.reason))
    {
        return Ok(());
    }
    let event = Event {
        type_: if ready.status == "True" { EventType::Normal } else { EventType::Warning },
        reason: ready.reason.clone(),
        note: Some(ready.message.clone()),
        action: "Reconcile".to_owned(),
        secondary: None,
    };
    cx.recorder.publish(&event, &greeting.object_ref(&())).await
}

async fn reconcile(greeting: Arc<Greeting>, cx: Arc<Context>) -> kube::Result<Action> {
    if greeting.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let outcome = publish(&greeting, &cx.client).await;
    let status = status(&greeting, &outcome);
    if greeting.status.as_ref() != Some(&status) {
        let api = Api::<Greeting>::namespaced(cx.client.clone(), &greeting.namespace().unwrap_or_default());
        let patch = json!({ "apiVersion": Greeting::api_version(&()), "kind": Greeting::kind(&()), "status": status });
        let params = PatchParams::apply(MANAGER).force();
        api.patch_status(&greeting.name_any(), &params, &Patch::Apply(&patch)).await?;
        publish_event(&greeting, &status, &cx).await?;
    }
    outcome?;
    cx.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&greeting.uid().unwrap_or_default());
    Ok(Action::requeue(Duration::from_secs(600)))
}

#[allow(clippy::needless_pass_by_value, reason = "as the controller calls it")]
fn error_policy(greeting: Arc<Greeting>, error: &kube::Error, cx: Arc<Context>) -> Action {
    tracing::warn!(%error, object = %greeting.name_any(), "failed");
    let mut failures = cx.failures.lock().unwrap_or_else(PoisonError::into_inner);
    let failures = failures.entry(greeting.uid().unwrap_or_default()).or_default();
    *failures += 1;
    Action::requeue(Duration::from_secs(1 << (*failures - 1).min(9)).min(Duration::from_secs(600)))
}

pub async fn run(client: Client) {
    let recorder = Recorder::new(client.clone(), Reporter { controller: MANAGER.to_owned(), instance: None });
    let context = Context { client: client.clone(), recorder, failures: Mutex::default() };
    Controller::new(Api::<Greeting>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client), watcher::Config::default())
        .with_config(Config::default().concurrency(16))
        .shutdown_on_signal()
        .run(reconcile, error_policy, Arc::new(context))
        .for_each(|_| std::future::ready(()))
        .await;
}

#[tokio::main]
async fn main() -> kube::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    run(Client::try_default().await?).await;
    Ok(())
}

//! How long a cluster takes to start, a definition to be Established, and a week to pass in which a watch rests:
//! `cargo run --release -p evenkeel-testkit --example start`.

use std::time::{Duration, Instant};

use evenkeel_testkit::{Cluster, until};
use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
use kube::runtime::watcher;
use kube::{Api, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rounds after the first one, which also loads what all clusters share.
const ROUNDS: usize = 50;

/// A kind of usual size.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ex.dev", version = "v1", kind = "Widget", namespaced)]
struct WidgetSpec {
    /// How many.
    replicas: Option<i32>,
    /// What they are called.
    names: Vec<String>,
}

async fn round() -> (Duration, Duration) {
    let began = Instant::now();
    let cluster = Cluster::start().await;
    let started = began.elapsed();
    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
    definitions.create(&PostParams::default(), &Widget::crd()).await.expect("the definition is taken");
    until(&definitions, Widget::crd_name(), Duration::from_secs(5), |definition| {
        let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
        conditions.into_iter().flatten().any(|c| c.type_ == "Established" && c.status == "True")
    })
    .await;
    (started, began.elapsed())
}

fn tell(what: &str, first: Duration, mut rest: Vec<Duration>) {
    rest.sort();
    println!("{what}: first {first:?}, then median {:?}, longest {:?}", rest[ROUNDS / 2], rest[ROUNDS - 1]);
}

/// A watch of kube renews itself each 290 s; all other time is skipped.
async fn week() -> Duration {
    let cluster = Cluster::start().await;
    let secrets: Api<Secret> = Api::all(cluster.client());
    let watch = tokio::spawn(watcher(secrets, watcher::Config::default()).for_each(|_| std::future::ready(())));
    let began = Instant::now();
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(7 * 24 * 3600)).await;
    tokio::time::resume();
    watch.abort();
    began.elapsed()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let first = round().await;
    let mut rest = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        rest.push(round().await);
    }
    let (starts, established) = rest.into_iter().unzip();
    tell("start                ", first.0, starts);
    tell("start to Established ", first.1, established);
    println!("a week               : {:?}", week().await);
}

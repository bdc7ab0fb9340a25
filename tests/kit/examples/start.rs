//! How long a cluster takes to start, and a definition to be Established: `cargo run -p evenkeel-testkit --example start`.

use std::time::{Duration, Instant};

use evenkeel_testkit::{Cluster, until};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PostParams;
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
}

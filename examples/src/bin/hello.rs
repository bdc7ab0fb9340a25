//! The operator of the README: publishes a greeting in a ConfigMap.
//!
//! `cargo run -p examples --bin hello -- crds` prints its CRD; without `crds` it runs against the current kubeconfig.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "demo.evenkeel.dev", version = "v1", kind = "Greeting", namespaced, status = "GreetingStatus")]
pub struct GreetingSpec {
    pub name: String,
}

#[status]
pub struct GreetingStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum GreetingCondition {
    /// The greeting is in its ConfigMap.
    #[condition(positive)]
    Published,
}

#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(greeting: &Greeting, cx: &mut Cx) -> Result<(), ApiError> {
    let mut map = ConfigMap::default();
    map.metadata.name = greeting.metadata.name.clone();
    map.data = Some([("text".to_owned(), format!("Hello, {}!", greeting.spec.name))].into());
    cx.apply(&map).await.map(drop)
}

#[reconciler(conditions = GreetingCondition, requeue = "10m")]
pub async fn greeting(greeting: &Greeting, cx: &mut Pass<'_>) -> PassResult {
    publish(greeting, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    Operator::new("greeter").reconciler::<greeting>(()).run_cli().await
}

//! Labels namespaces: a reconciler of a built-in, cluster-scoped kind.
//!
//! `cargo run -p examples --bin labeller -- --once` labels one namespace of an API server in this process.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use evenkeel::Bare;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, ResourceExt};

const TIER: &str = "demo.evenkeel.dev/tier";
const NAMESPACE: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: prod-shop, labels: {demo.evenkeel.dev/labelled: 'yes'}}
";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum LabelCondition {
    /// The namespace has the label of its tier.
    #[condition(positive)]
    Labelled,
}

/// Derives the label from the name of the namespace.
#[claim]
pub async fn set_tier(namespace: &mut Bare<Namespace>) -> Result<(), ApiError> {
    let tier = if namespace.name_any().starts_with("prod-") { "production" } else { "development" };
    namespace.labels_mut().insert(TIER.to_owned(), tier.to_owned());
    Ok(())
}

#[sub_reconciler(sets(on::Labelled))]
pub async fn labelled(_: &Bare<Namespace>, _cx: &mut Cx) -> Result<(), ApiError> {
    Ok(())
}

#[reconciler(conditions = LabelCondition, claim = set_tier, labels = "demo.evenkeel.dev/labelled=yes")]
pub async fn labeller(namespace: &Bare<Namespace>, cx: &mut Pass<'_>) -> PassResult {
    labelled(namespace, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let operator = Operator::new("labeller").reconciler::<labeller>(());
    examples::once::main(operator, NAMESPACE, async |client| {
        let namespace = Api::<Namespace>::all(client.clone()).get("prod-shop").await?;
        Ok(namespace.labels().get(TIER).map(|tier| format!("namespace prod-shop has the label {TIER}={tier}")))
    })
    .await
}

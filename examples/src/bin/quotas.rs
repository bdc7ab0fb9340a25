//! Gives the namespaces of teams a quota: a watcher of a built-in kind.
//!
//! `cargo run -p examples --bin quotas -- --once` gives one namespace of an API server in this process its quota.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{Namespace, ResourceQuota, ResourceQuotaSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Api, ResourceExt};

const QUOTA: &str = "team";
const NAMESPACE: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {demo.evenkeel.dev/team: web}}
";

/// Keeps the quotas in step with the labels of the namespaces.
pub struct Quotas {
    pods: BTreeMap<&'static str, u32>,
}

#[watcher(
    bare,
    finalizer = "demo.evenkeel.dev/quotas",
    labels = "demo.evenkeel.dev/team",
    leave = "delete",
    owns(ResourceQuota, namespaces = any)
)]
impl Quotas {
    async fn add(&self, namespace: &Namespace, cx: &mut Cx) -> Result<(), ApiError> {
        let team = &namespace.labels()["demo.evenkeel.dev/team"];
        let pods = self.pods.get(&**team).copied().unwrap_or(10);
        let quota = ResourceQuota {
            metadata: ObjectMeta { name: Some(QUOTA.into()), ..ObjectMeta::default() },
            spec: Some(ResourceQuotaSpec {
                hard: Some([("pods".into(), Quantity(pods.to_string()))].into()),
                ..ResourceQuotaSpec::default()
            }),
            ..ResourceQuota::default()
        };
        cx.apply_in(&namespace.name_any(), &quota).await?;
        Ok(())
    }

    /// The namespace is being deleted, or has no team any more.
    async fn delete(&self, namespace: &Namespace, cx: &mut Cx) -> Result<(), ApiError> {
        cx.delete_in::<ResourceQuota>(&namespace.name_any(), QUOTA).await
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quotas = Quotas { pods: [("web", 50)].into() };
    let operator = Operator::new("quotas").watcher::<Quotas>(quotas);
    examples::once::main(operator, NAMESPACE, async |client| {
        let quota = Api::<ResourceQuota>::namespaced(client.clone(), "shop").get_opt(QUOTA).await?;
        let pods = quota.and_then(|quota| quota.spec?.hard?.remove("pods"));
        Ok(pods.map(|Quantity(pods)| format!("namespace shop may run {pods} pods")))
    })
    .await
}

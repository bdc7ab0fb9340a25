//! The operator: the kind `Shop`, and its one step, which keeps the objects of `manifests/`.

use evenkeel::dependents::{Dependents, DependentsError, Policies, Templates};
use evenkeel::prelude::*;
use kube::ResourceExt;
use serde_json::json;

/// The manifests of a shop, as part of the program.
const MANIFESTS: Templates = evenkeel::templates!("src/bin/component/manifests");

/// A web shop.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "demo.evenkeel.dev", version = "v1", kind = "Shop", namespaced, status = "ShopStatus")]
pub struct ShopSpec {
    /// The image of the web servers.
    pub image: String,
    /// The number of web servers.
    #[serde(default)]
    pub replicas: Option<i32>,
    /// The discount of the promotion, in percent. Unset: there is none.
    #[serde(default)]
    pub discount: Option<i32>,
    /// The text of the banner. Unset: there is none.
    #[serde(default)]
    pub banner: Option<String>,
    /// The policies for the objects of the shop.
    #[serde(default)]
    pub policies: Policies,
}

/// The observed state of the shop.
#[status(dependents)]
pub struct ShopStatus {}

/// The conditions, most important first.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ShopCondition {
    /// All objects are applied as rendered.
    #[condition(positive)]
    Applied,
    /// All objects are ready.
    #[condition(positive)]
    Healthy,
}

/// The errors of the step.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ShopError {
    /// An object is not as rendered, or not ready.
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

/// Renders the manifests and keeps the cluster as they say.
#[sub_reconciler(
    sets(on::Applied, on::Healthy),
    dependents(templates(MANIFESTS), policies = spec.policies, ready_within = "10m")
)]
pub async fn install(shop: &Shop, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    wanted.render(&MANIFESTS, &json!({ "name": shop.name_any(), "spec": shop.spec }));
    Ok(cx.converge(wanted).await?)
}

/// Keeps the objects of one shop.
#[reconciler(conditions = ShopCondition)]
pub async fn shop(shop: &Shop, cx: &mut Pass<'_>) -> PassResult {
    install(shop, cx).await?;
    Ok(())
}

/// The operator for shops.
pub fn operator() -> Operator {
    Operator::new("shop-operator").reconciler::<shop>(())
}

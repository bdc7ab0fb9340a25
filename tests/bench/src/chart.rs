//! A component whose dependents come from templates, and its operator written with evenkeel.

use evenkeel::dependents::{Dependents, DependentsError, Templates};
use evenkeel::prelude::*;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::kind::NAMESPACE;

const MANIFESTS: Templates = evenkeel::templates!("charts");

/// The name of the chart.
pub const NAME: &str = "shop";

/// What a chart should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Chart", namespaced, status = "ChartStatus")]
pub struct ChartSpec {
    /// The number of ConfigMaps.
    pub maps: usize,
    /// The number of Deployments.
    pub deployments: usize,
    /// The content of each ConfigMap.
    pub settings: String,
    /// The revision.
    pub revision: u32,
}

/// What a chart is.
#[evenkeel::status(dependents)]
pub struct ChartStatus {}

/// A chart as a user writes it.
#[must_use]
pub fn chart(maps: usize, deployments: usize) -> Value {
    let settings = "level: info\nworkers: 4\n".repeat(40);
    json!({
        "apiVersion": "bench.evenkeel.dev/v1", "kind": "Chart", "metadata": { "name": NAME, "namespace": NAMESPACE },
        "spec": { "maps": maps, "deployments": deployments, "settings": settings, "revision": 1 },
    })
}

/// The condition of a chart.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ChartCondition {
    /// All dependents are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ChartError {
    /// A dependent is not as wanted.
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

/// Brings the dependents in line.
#[sub_reconciler(sets(on::Applied), dependents(templates(MANIFESTS)))]
pub async fn install(chart: &Chart, cx: &mut Cx) -> Result<Dependents, ChartError> {
    let mut wanted = cx.wanted();
    wanted.render(&MANIFESTS, &json!({ "name": chart.name_any(), "spec": chart.spec }));
    Ok(cx.converge(wanted).await?)
}

/// A reconciler of charts.
#[reconciler(conditions = ChartCondition)]
pub async fn charts(chart: &Chart, cx: &mut Pass<'_>) -> PassResult {
    install(chart, cx).await?;
    Ok(())
}

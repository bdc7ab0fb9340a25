//! The kind of these tests, with a field for each form of a schema.

use std::collections::{BTreeMap, BTreeSet};

use evenkeel::prelude::*;
use schemars::JsonSchema;

/// A store of artifacts.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "rules.tests.evenkeel.dev", version = "v1", kind = "Depot", namespaced, status = "DepotStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) struct DepotSpec {
    #[schemars(length(max = 64))]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) tier: Tier,
    pub(crate) secret: Option<Secret>,
    pub(crate) service_account: Option<String>,
    pub(crate) replicas: i32,
    #[serde(default)]
    pub(crate) spare: u8,
    #[serde(default)]
    pub(crate) ratio: f64,
    #[serde(default)]
    #[schemars(length(max = 8), inner(length(max = 16)))]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 8), inner(length(max = 16)), extend("x-kubernetes-list-type" = "set"))]
    pub(crate) zones: BTreeSet<String>,
    /// A list without limits in the schema, whose order counts there.
    #[serde(default)]
    pub(crate) areas: BTreeSet<String>,
    #[serde(default)]
    #[schemars(extend("maxProperties" = 8), inner(length(max = 16)))]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub(crate) ports: Vec<Port>,
    /// Another case than that of its neighbours.
    #[serde(rename = "max-size")]
    pub(crate) max_size: Option<i64>,
    /// Another word than in the schema.
    #[serde(rename = "colors")]
    pub(crate) colour: Option<String>,
    /// A word that CEL reserves.
    pub(crate) namespace: Option<String>,
    #[serde(default)]
    pub(crate) paused: bool,
    /// Without a default in the schema.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 16))]
    pub(crate) note: String,
    #[serde(default)]
    pub(crate) limits: Limits,
}

#[derive(JsonSchema, Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize, Serialize)]
pub(crate) enum Tier {
    #[default]
    Bronze,
    #[serde(rename = "silver-plate")]
    Silver,
    Gold,
}

#[derive(JsonSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Secret {
    #[schemars(length(max = 16))]
    pub(crate) name: String,
    #[schemars(length(max = 16))]
    pub(crate) key: Option<String>,
}

#[derive(JsonSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Port {
    #[schemars(length(max = 16))]
    pub(crate) name: String,
    pub(crate) number: u16,
    #[schemars(length(max = 16))]
    pub(crate) protocol: Option<String>,
}

#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Limits {
    #[serde(default)]
    pub(crate) cpu: i64,
    #[serde(default)]
    pub(crate) memory: i64,
}

#[status]
pub(crate) struct DepotStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum DepotCondition {
    /// The depot is open.
    #[condition(positive)]
    Open,
}

#[sub_reconciler(sets(on::Open))]
async fn open(_depot: &Depot, _cx: &mut Cx<'_, open>) -> Result<(), std::convert::Infallible> {
    Ok(())
}

#[reconciler(conditions = DepotCondition)]
pub(crate) async fn depot(depot: &Depot, cx: &mut Pass<'_>) -> PassResult {
    open(depot, cx).await?;
    Ok(())
}

//! `Site`, version v1: what is stored and reconciled.

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{CustomResource, KubeSchema, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A web site of a team.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "app.evenkeel.dev", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
#[serde(rename_all = "camelCase")]
pub struct SiteSpec {
    /// The team in the same namespace.
    pub team: String,
    /// The hosts at which the site is served. The first one is its main host.
    pub hosts: Vec<String>,
    /// How large the site is.
    #[serde(default)]
    pub size: Size,
}

/// The size of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Size {
    /// One server.
    #[default]
    Small,
    /// Three servers.
    Large,
}

/// The state of a site.
#[status]
pub struct SiteStatus {
    /// The address of the main host.
    pub address: Option<String>,
}

/// The condition of a site.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum SiteCondition {
    /// The hosts of the site are in its ConfigMap.
    #[condition(positive)]
    Published,
}

/// Writes the hosts into a ConfigMap for the web servers.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let map = ConfigMap {
        metadata: ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() },
        data: Some(BTreeMap::from([("hosts".to_owned(), site.spec.hosts.join("\n"))])),
        ..ConfigMap::default()
    };
    cx.apply(&map).await?;
    cx.status().address = site.spec.hosts.first().map(|host| format!("https://{host}"));
    Ok(())
}

/// Publishes sites.
#[reconciler(conditions = SiteCondition)]
pub async fn site(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    publish(site, cx).await?;
    Ok(())
}

//! The kind `DNSZone`: what users write, and what the operator reports.

use evenkeel::prelude::*;

/// The desired state.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "dns.example.com", version = "v1alpha1", kind = "DNSZone")]
#[kube(namespaced, status = "DNSZoneStatus")]
#[serde(rename_all = "camelCase")]
pub struct DNSZoneSpec {
    /// The text of the ConfigMap.
    pub text: String,
}

/// The observed state.
#[status]
pub struct DNSZoneStatus {
    /// The name of the ConfigMap.
    pub config_map: Option<String>,
}

/// The conditions, most important first. Ready is computed from them.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum DNSZoneCondition {
    /// The ConfigMap contains the text.
    #[condition(positive)]
    Published,
}

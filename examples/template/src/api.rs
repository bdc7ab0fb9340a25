//! The kind `{{kind}}`: what users write, and what the operator reports.

use evenkeel::prelude::*;

/// The desired state.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "{{group}}", version = "v1alpha1", kind = "{{kind}}")]
#[kube(namespaced, status = "{{kind}}Status")]
#[serde(rename_all = "camelCase")]
pub struct {{kind}}Spec {
    /// The text of the ConfigMap.
    pub text: String,
}

/// The observed state.
#[status]
pub struct {{kind}}Status {
    /// The name of the ConfigMap.
    pub config_map: Option<String>,
}

/// The conditions, most important first. Ready is computed from them.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum {{kind}}Condition {
    /// The ConfigMap contains the text.
    #[condition(positive)]
    Published,
}

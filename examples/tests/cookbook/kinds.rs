//! The kind that the recipes share.

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;

/// A web site.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "cookbook.evenkeel.dev", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
#[serde(rename_all = "camelCase")]
pub struct SiteSpec {
    /// The host at which the site is served.
    #[serde(default)]
    pub host: String,
    /// The pages of the site.
    #[serde(default)]
    pub pages: Vec<String>,
    /// The image of the web server.
    #[serde(default)]
    pub image: String,
    /// The ConfigMap with the settings of the site.
    #[serde(default)]
    pub config: Option<String>,
    /// The Secret with the login of the site, which may be in another namespace.
    #[serde(default)]
    pub login: Option<Reference>,
    /// The namespaces that have a copy of the settings.
    #[serde(default)]
    pub namespaces: Vec<String>,
    /// The account at the DNS provider.
    #[serde(default)]
    pub account: String,
    /// The time between two checks of the site.
    #[serde(default)]
    pub interval: Option<Interval>,
    /// The hour of the day, in UTC, at which the site is built.
    #[serde(default)]
    pub hour: Option<u8>,
    /// The sites that must be ready first.
    #[serde(default)]
    pub after: Vec<Reference>,
    /// Whether the site is left as it is.
    #[serde(default)]
    pub suspend: bool,
}

/// The state of a site.
#[status]
pub struct SiteStatus {
    /// The address of the site.
    pub url: Option<String>,
    /// The identifier of the DNS record.
    pub record: Option<String>,
}

/// The condition of a site in most recipes.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum SiteCondition {
    /// The site is served.
    #[condition(positive)]
    Served,
}

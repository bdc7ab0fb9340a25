//! What the objects take from the operator.

use std::time::Duration;

use k8s_openapi::api::rbac::v1::Role;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::config_text::ConfigText;
#[cfg(feature = "webhooks")]
use crate::admission::WebhookConfigurations;
use crate::introspection::Roles;
use crate::monitoring::Monitored;
use crate::rule::AdmissionPolicy;

/// What the objects take from the operator.
pub(crate) struct Parts {
    pub(crate) name: String,
    /// The name of what several Deployments of the operator do not share: with a hash of the label selector, if there is one.
    pub(crate) instance: String,
    pub(crate) version: Option<String>,
    pub(crate) definitions: Vec<CustomResourceDefinition>,
    pub(crate) roles: Roles,
    pub(crate) policies: Vec<AdmissionPolicy>,
    /// What the webhook server needs; `None`: there is none.
    pub(crate) hooks: Option<HookParts>,
    /// The role for the lease, if one pod of several must be chosen.
    pub(crate) lease_role: Role,
    /// Whether the program itself asks for a lease.
    pub(crate) elects: bool,
    /// The namespaces that the operator watches; empty: all.
    pub(crate) watched: Vec<String>,
    /// The configuration file of the program.
    pub(crate) config: Option<ConfigText>,
    /// Whether the listener asks for tokens.
    pub(crate) listen_auth: bool,
    /// Whether the listener has TLS.
    pub(crate) listen_tls: bool,
    /// How long passes may take after a stop signal.
    pub(crate) shutdown_timeout: Duration,
    /// Whether a step calls something outside of the cluster.
    pub(crate) is_external: bool,
    /// What alerts and the dashboard are made from.
    pub(crate) monitored: Monitored,
    /// The hash of everything in the objects that the program determines.
    pub(crate) wiring: String,
}

/// What the webhook server needs.
pub(crate) struct HookParts {
    #[cfg(feature = "webhooks")]
    pub(crate) configurations: WebhookConfigurations,
    /// Whether requests of users fail while no pod answers.
    pub(crate) must_answer: bool,
    /// The roles by which the operator keeps its certificate.
    pub(crate) roles: Roles,
}

//! The webhooks of the stored configurations.

use std::time::Duration;

use serde::Deserialize;

use super::condition::Condition;
use super::select::Selection;
use crate::registry::Storage;
use crate::state::Server;
use crate::webhook_address::Client;

/// The sort of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Mutating,
    Validating,
}

/// One webhook of a configuration, with the defaults of the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hook {
    pub(super) name: String,
    pub(super) client_config: Client,
    #[serde(flatten)]
    pub(super) selection: Selection,
    #[serde(default)]
    pub(super) match_conditions: Vec<Condition>,
    #[serde(default)]
    failure_policy: String,
    #[serde(default)]
    timeout_seconds: Option<u64>,
    #[serde(default)]
    reinvocation_policy: String,
    #[serde(default)]
    admission_review_versions: Vec<String>,
}

impl Hook {
    /// Whether the write continues if the call fails.
    pub(super) fn ignores_failures(&self) -> bool {
        self.failure_policy == "Ignore"
    }

    /// Whether the webhook is called again if a later one changes the object.
    pub(super) fn is_reinvoked(&self) -> bool {
        self.reinvocation_policy == "IfNeeded"
    }

    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.unwrap_or(10))
    }

    /// The version of the review: the first one that the server knows.
    pub(super) fn review_version(&self) -> &str {
        let known = |version: &&String| matches!(version.as_str(), "v1" | "v1beta1");
        self.admission_review_versions.iter().find(known).map_or("v1", String::as_str)
    }
}

/// Returns all webhooks of one sort: by the name of their configuration, then in its order.
pub(super) fn all(server: &Server, sort: Sort) -> Vec<Hook> {
    let plural = match sort {
        Sort::Mutating => "mutatingwebhookconfigurations",
        Sort::Validating => "validatingwebhookconfigurations",
    };
    let storage = Storage::new("admissionregistration.k8s.io", plural);
    if server.store.is_empty(&storage) {
        return Vec::new();
    }
    let configurations = server.store.list(&storage, None).items;
    let hooks = configurations.iter().flat_map(|configuration| configuration["webhooks"].as_array()).flatten();
    hooks.filter_map(|hook| Hook::deserialize(hook).ok()).collect()
}

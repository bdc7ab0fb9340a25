//! The kinds of the cases, and how a call for their objects fails.

use std::time::Duration;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A kind with our status.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Record", namespaced, status = "RecordStatus")]
pub(crate) struct RecordSpec {
    /// The content.
    pub(super) text: String,
}

#[status]
pub(crate) struct RecordStatus {
    /// The generation that the service has.
    pub(super) last_applied: Option<i64>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum RecordCondition {
    /// The service has the content.
    #[condition(positive)]
    Sent,
}

/// A kind without a status of ours.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "systems.evenkeel.dev", version = "v1", kind = "Foreign", namespaced)]
pub(crate) struct ForeignSpec {
    /// The content.
    pub(super) text: String,
}

/// An object with a text.
pub(super) trait Texted: ResourceExt {
    fn text(&self) -> String;

    /// An object of the kind.
    fn object(name: &str, text: &str) -> Value;
}

impl Texted for Record {
    fn text(&self) -> String {
        self.spec.text.clone()
    }

    fn object(name: &str, text: &str) -> Value {
        json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Record", "metadata": { "name": name },
            "spec": { "text": text } })
    }
}

impl Texted for Foreign {
    fn text(&self) -> String {
        self.spec.text.clone()
    }

    fn object(name: &str, text: &str) -> Value {
        json!({ "apiVersion": "systems.evenkeel.dev/v1", "kind": "Foreign", "metadata": { "name": name },
            "spec": { "text": text } })
    }
}

impl Texted for ConfigMap {
    fn text(&self) -> String {
        self.data.as_ref().and_then(|data| data.get("text")).cloned().unwrap_or_default()
    }

    fn object(name: &str, text: &str) -> Value {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "text": text } })
    }
}

/// When a failed call is repeated, where the watcher has a policy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Policy {
    /// Upstream's default policy, as an author would write it here: six retries after 5 s and twice as long each.
    #[default]
    Upstream,
    /// Each second, up to this number of retries.
    UpTo(u32),
    /// Always after this time.
    After(Duration),
}

/// How a call failed.
#[derive(Clone, Debug, thiserror::Error, ReconcileError)]
pub(super) enum Failed {
    #[error("{text}")]
    #[class(transient)]
    AsPlanned { text: String, policy: Policy },
}

/// The retry policy of a watcher.
pub(super) fn pace(Failed::AsPlanned { policy, .. }: &Failed, tries: u32) -> Option<Duration> {
    match *policy {
        Policy::Upstream => (tries < 6).then(|| Duration::from_secs(5 << tries)),
        Policy::UpTo(most) => (tries < most).then_some(Duration::from_secs(1)),
        Policy::After(pause) => Some(pause),
    }
}

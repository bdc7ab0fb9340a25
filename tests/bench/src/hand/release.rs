//! A release as the hand-written operators hold it: with a status of their own.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::{Deserialize, Serialize};

use super::Work;
use crate::kind::{Entry, Release, ReleaseSpec, applied, inventory};

/// The kind of the benches with the status of a hand-written operator.
#[derive(Resource, Clone, Debug, Default, Deserialize, Serialize)]
#[resource(inherit = Release)]
pub struct HandRelease {
    pub metadata: ObjectMeta,
    pub spec: ReleaseSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<HandStatus>,
}

/// What a release is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandStatus {
    pub conditions: Vec<Condition>,
    pub inventory: Vec<Entry>,
    pub last_applied_revision: Option<String>,
    pub observed_generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
}

/// The status that a pass computes. A condition that is as before keeps its time.
pub(super) fn found(release: &HandRelease, work: Work) -> HandStatus {
    let revision = applied(&release.spec);
    let held = release.status.as_ref().and_then(|status| status.conditions.first());
    let since = held.filter(|held| held.status == "True").map(|held| held.last_transition_time.clone());
    let ready = Condition {
        type_: "Ready".to_owned(),
        status: "True".to_owned(),
        reason: "Applied".to_owned(),
        message: format!("applied {revision}"),
        observed_generation: release.metadata.generation,
        last_transition_time: since.unwrap_or_else(|| Time(Timestamp::now())),
    };
    HandStatus {
        conditions: vec![ready],
        inventory: inventory(),
        last_applied_revision: Some(revision),
        observed_generation: release.metadata.generation,
        stamp: work.stamps.then(|| format!("{:?}", tokio::time::Instant::now())),
    }
}

/// The body of a status apply.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusPatch<'s> {
    api_version: &'static str,
    kind: &'static str,
    status: &'s HandStatus,
}

impl<'s> StatusPatch<'s> {
    pub(super) const fn new(status: &'s HandStatus) -> Self {
        Self { api_version: "bench.evenkeel.dev/v1", kind: "Release", status }
    }
}

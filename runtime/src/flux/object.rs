//! The object of a run, as the classic form reads it.

use kube::Resource;
use kube::core::object::HasStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Stamp};

/// The annotation that requests an immediate run; Flux's, so that ports stay compatible.
pub const REQUESTED_AT: &str = "reconcile.fluxcd.io/requestedAt";

/// The status fields of the classic form. Flatten it into the author's status: `#[serde(flatten)] pub flux: flux::FluxStatus`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FluxStatus {
    /// The generation of the spec that was last reconciled to a final result; -1 for a new object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The conditions of the object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The token of the last request that was handled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}

/// A status that contains a [`FluxStatus`].
pub trait HasFluxStatus: Default {
    /// The contained status.
    fn flux_status(&self) -> &FluxStatus;
    /// The contained status, mutable.
    fn flux_status_mut(&mut self) -> &mut FluxStatus;
}

impl HasFluxStatus for FluxStatus {
    fn flux_status(&self) -> &FluxStatus {
        self
    }

    fn flux_status_mut(&mut self) -> &mut FluxStatus {
        self
    }
}

/// An object of the classic form: any kind with `#[derive(CustomResource)]` whose status implements [`HasFluxStatus`].
pub trait Object: Resource<DynamicType = ()> {
    /// The conditions.
    fn conditions(&self) -> &[Condition];

    /// The [`FluxStatus`] of the object; an empty status is added if there is none.
    fn flux_status_mut(&mut self) -> &mut FluxStatus;

    /// The generation of the last final result; zero if there is none, as in Go.
    fn observed_generation(&self) -> i64;

    /// The last handled request.
    fn last_handled_reconcile_at(&self) -> Option<&str>;

    /// The generation.
    fn generation(&self) -> i64 {
        self.meta().generation.unwrap_or_default()
    }

    /// The stamp for conditions that are set in this run.
    fn stamp(&self) -> Stamp {
        Stamp::new(self.generation(), crate::clock::now())
    }

    /// The request in the annotation.
    fn requested_at(&self) -> Option<&str> {
        self.meta().annotations.as_ref()?.get(REQUESTED_AT).map(String::as_str)
    }

    /// Whether the object is being deleted.
    fn is_deleting(&self) -> bool {
        self.meta().deletion_timestamp.is_some()
    }
}

impl<K> Object for K
where
    K: Resource<DynamicType = ()> + HasStatus,
    K::Status: HasFluxStatus,
{
    fn conditions(&self) -> &[Condition] {
        self.status().map_or(&[], |status| &status.flux_status().conditions)
    }

    fn flux_status_mut(&mut self) -> &mut FluxStatus {
        self.status_mut().get_or_insert_default().flux_status_mut()
    }

    fn observed_generation(&self) -> i64 {
        self.status().and_then(|status| status.flux_status().observed_generation).unwrap_or_default()
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        self.status()?.flux_status().last_handled_reconcile_at.as_deref()
    }
}

/// The processor that records a handled request: copies the annotation into the status.
///
/// Without the annotation, the last handled request stays.
pub fn record_reconcile_request<K: Object>(object: &mut K) {
    if let Some(request) = object.requested_at().map(ToOwned::to_owned) {
        object.flux_status_mut().last_handled_reconcile_at = Some(request);
    }
}

//! A reconciler for the tests in this folder.

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};

use super::reconciler_info::ReconcilerInfo;
use crate::backoff::Backoff;
use crate::condition::{ConditionInfo, Polarity};
use crate::outcome::reporting::{Actions, VariantInfo};
use crate::pipeline::object::StatusStore;
use crate::wiring::{How, KindInfo, Relation, StepWiring, Wiring};

pub(super) const FETCH: StepWiring = StepWiring {
    name: "fetch",
    doc: "Fetches \"it\".\nSlowly.",
    sets: &[0, 1],
    relations: &[Relation::new(How::WatchesByName, Some(KindInfo::of::<Secret>))],
    errors: &[
        VariantInfo::new("InvalidUrl", "stalled", "No retry helps.\n\nWrite `https://host/path`.", Actions::STALLED),
        VariantInfo::new("Busy", "transient", "It is busy.", Actions::TRANSIENT),
    ],
    ..StepWiring::EMPTY
};

const STORE: StepWiring = StepWiring {
    name: "store",
    sets: &[2],
    clears: &[1],
    external: true,
    relations: &[
        Relation::new(How::Owns, Some(KindInfo::of::<ConfigMap>)),
        Relation::new(How::Reads, Some(KindInfo::of::<Node>)),
    ],
    ..StepWiring::EMPTY
};

const WIRING: Wiring = Wiring {
    name: "things",
    doc: "Keeps things.",
    conditions: &[
        ConditionInfo { doc: "It was fetched.", ..ConditionInfo::new("Fetched", Polarity::Positive) },
        ConditionInfo::new("Outdated", Polarity::Negative),
        ConditionInfo::new("Stored", Polarity::Positive),
    ],
    steps: &[FETCH, STORE],
    ..Wiring::EMPTY
};

/// A reconciler whose kind is Pod.
pub(super) fn known() -> ReconcilerInfo {
    ReconcilerInfo {
        wiring: WIRING,
        kind: KindInfo::of::<k8s_openapi::api::core::v1::Pod>(),
        status: StatusStore::Object,
        backoff: Backoff::FAILURE,
        field_manager: "op/things".into(),
        finalizer: Some("core.kubernetes.io/op".into()),
    }
}

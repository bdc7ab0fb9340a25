//! The PodDisruptionBudget, which lets a node be drained one replica at a time.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::labels::Source;

/// A pod that is not ready may always be evicted: it would otherwise keep its node for ever.
pub(super) fn disruption_budget(source: Source<'_>) -> Option<PodDisruptionBudget> {
    let spec = PodDisruptionBudgetSpec {
        max_unavailable: Some(IntOrString::Int(1)),
        selector: Some(LabelSelector { match_labels: Some(source.own_selector()), ..LabelSelector::default() }),
        unhealthy_pod_eviction_policy: Some("AlwaysAllow".to_owned()),
        ..PodDisruptionBudgetSpec::default()
    };
    let metadata = source.own_meta();
    let budget = PodDisruptionBudget { metadata, spec: Some(spec), ..PodDisruptionBudget::default() };
    source.elects().then_some(budget)
}

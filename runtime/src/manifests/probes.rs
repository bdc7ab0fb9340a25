//! The probes of the pod.

use k8s_openapi::api::core::v1::{Container, HTTPGetAction, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::service::METRICS;

/// Tries of the startup probe, every five seconds: five minutes for the first lists of a large cluster.
const START: i32 = 60;

/// Adds the probes, at the port of the metrics.
pub(super) fn add(container: &mut Container) {
    container.startup_probe =
        Some(Probe { failure_threshold: Some(START), period_seconds: Some(5), ..probe("/healthz") });
    container.liveness_probe =
        Some(Probe { failure_threshold: Some(3), period_seconds: Some(10), ..probe("/healthz") });
    container.readiness_probe = Some(Probe { failure_threshold: Some(3), period_seconds: Some(5), ..probe("/readyz") });
}

fn probe(path: &str) -> Probe {
    let port = IntOrString::String(METRICS.to_owned());
    Probe {
        http_get: Some(HTTPGetAction { path: Some(path.to_owned()), port, ..HTTPGetAction::default() }),
        timeout_seconds: Some(2),
        ..Probe::default()
    }
}

//! The probes of the pod.

use k8s_openapi::api::core::v1::{Container, HTTPGetAction, Probe};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::labels::Source;
use super::service::METRICS;

/// Tries of the startup probe, every five seconds: five minutes for the first lists of a large cluster.
const START: i32 = 60;

/// Adds the probes, at the port of the metrics.
pub(super) fn add(container: &mut Container, source: Source<'_>) {
    let probe = |path: &str| probe(path, source.parts.listen_tls);
    container.startup_probe =
        Some(Probe { failure_threshold: Some(START), period_seconds: Some(5), ..probe("/healthz") });
    container.liveness_probe =
        Some(Probe { failure_threshold: Some(3), period_seconds: Some(10), ..probe("/healthz") });
    container.readiness_probe = Some(Probe { failure_threshold: Some(3), period_seconds: Some(5), ..probe("/readyz") });
}

fn probe(path: &str, tls: bool) -> Probe {
    let port = IntOrString::String(METRICS.to_owned());
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.to_owned()),
            port,
            // The kubelet does not check the certificate.
            scheme: tls.then(|| "HTTPS".to_owned()),
            ..HTTPGetAction::default()
        }),
        timeout_seconds: Some(2),
        ..Probe::default()
    }
}

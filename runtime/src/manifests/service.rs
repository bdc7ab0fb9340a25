//! The Services in front of the pods: metrics, and webhooks if there are any.

use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::labels::Source;

/// The name of the port for metrics and probes.
pub(super) const METRICS: &str = "metrics";
/// The name of the port for webhooks.
pub(super) const WEBHOOKS: &str = "webhooks";
/// The port at which API servers call webhooks.
const HTTPS: i32 = 443;

/// Pods that are not ready get no calls: an API server would call pods that do not listen yet.
pub(super) fn services(source: Source<'_>) -> Vec<Service> {
    let metrics = service(source, METRICS, i32::from(source.options.listen.port()));
    let webhooks = source.parts.hooks.iter().map(|_| service(source, WEBHOOKS, HTTPS));
    std::iter::once(metrics).chain(webhooks).collect()
}

fn service(source: Source<'_>, port: &str, number: i32) -> Service {
    let ports = ServicePort {
        name: Some(port.to_owned()),
        port: number,
        target_port: Some(IntOrString::String(port.to_owned())),
        protocol: Some("TCP".to_owned()),
        ..ServicePort::default()
    };
    let mut metadata = source.meta(&format!("-{port}"));
    let kind = if port == METRICS { METRICS } else { WEBHOOKS };
    metadata.labels.get_or_insert_default().insert(COMPONENT.to_owned(), kind.to_owned());
    let spec = ServiceSpec { selector: Some(source.selector()), ports: Some(vec![ports]), ..ServiceSpec::default() };
    Service { metadata, spec: Some(spec), ..Service::default() }
}

/// Which of the Services it is: the ServiceMonitor selects one of them.
pub(super) const COMPONENT: &str = "app.kubernetes.io/component";

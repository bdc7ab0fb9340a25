//! The ServiceMonitor, by which the Prometheus operator finds the metrics.

use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::json;

use super::labels::Source;
use super::service::{COMPONENT, METRICS};

/// The token of Prometheus itself, in its own pod.
const PROMETHEUS_TOKEN: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/// It selects the Service of the metrics in its own namespace.
pub(super) fn service_monitor(source: Source<'_>) -> DynamicObject {
    let mut labels = source.selector();
    labels.insert(COMPONENT.to_owned(), METRICS.to_owned());
    let mut endpoint = json!({ "port": METRICS, "path": "/metrics" });
    if source.parts.listen_tls {
        endpoint["scheme"] = json!("https");
        // The operator makes the certificate itself, and Prometheus does not have its authority.
        endpoint["tlsConfig"] = json!({ "insecureSkipVerify": true });
    }
    if source.parts.listen_auth {
        endpoint["bearerTokenFile"] = json!(PROMETHEUS_TOKEN);
    }
    let spec = json!({ "selector": { "matchLabels": labels }, "endpoints": [endpoint] });
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("monitoring.coreos.com", "v1", "ServiceMonitor"));
    let mut object = DynamicObject::new(&source.name(""), &resource).data(json!({ "spec": spec }));
    object.metadata = source.meta("");
    object
}

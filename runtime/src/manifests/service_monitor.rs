//! The ServiceMonitor, by which the Prometheus operator finds the metrics.

use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::json;

use super::labels::Source;
use super::service::{COMPONENT, METRICS};

/// It selects the Service of the metrics in its own namespace.
pub(super) fn service_monitor(source: Source<'_>) -> DynamicObject {
    let mut labels = source.selector();
    labels.insert(COMPONENT.to_owned(), METRICS.to_owned());
    let spec = json!({
        "selector": { "matchLabels": labels },
        "endpoints": [{ "port": METRICS, "path": "/metrics" }],
    });
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("monitoring.coreos.com", "v1", "ServiceMonitor"));
    let mut object = DynamicObject::new(&source.name(""), &resource).data(json!({ "spec": spec }));
    object.metadata = source.meta("");
    object
}

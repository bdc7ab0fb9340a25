//! The PrometheusRule with the alerts of the operator.

use kube::core::DynamicObject;

use super::labels::Source;
use super::service::METRICS;
use crate::monitoring::{AlertEdits, Monitored, alert_set};

/// Its rules are for the Service of the metrics, whose name becomes that of the job.
pub(super) fn alerts(source: Source<'_>, edits: &AlertEdits) -> Option<DynamicObject> {
    let set = alert_set(&monitored(source), &source.name(&format!("-{METRICS}")), edits);
    // A threshold that is no number; the command `alerts` reports it.
    let mut object = set.prometheus_rule().ok()?;
    object.metadata = source.meta("");
    Some(object)
}

/// The operator as it is installed: whether replicas elect a leader depends on the options.
pub(super) fn monitored(source: Source<'_>) -> Monitored {
    Monitored { elects: source.elects(), ..source.parts.monitored.clone() }
}

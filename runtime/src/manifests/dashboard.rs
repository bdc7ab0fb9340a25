//! The ConfigMap with the dashboard, which the sidecar of Grafana finds by its label.

use k8s_openapi::api::core::v1::ConfigMap;

use super::alerts::monitored;
use super::labels::Source;
use crate::monitoring::dashboard;

/// The label that the sidecar of Grafana's chart looks for unless it is configured otherwise.
///
/// Source: <https://github.com/grafana/helm-charts>, `sidecar.dashboards.label`.
const LABEL: (&str, &str) = ("grafana_dashboard", "1");

pub(super) fn config_map(source: Source<'_>) -> ConfigMap {
    let mut metadata = source.meta("-dashboard");
    metadata.labels.get_or_insert_default().insert(LABEL.0.to_owned(), LABEL.1.to_owned());
    let data = [(format!("{}.json", source.name("")), format!("{:#}\n", dashboard(&monitored(source))))];
    ConfigMap { metadata, data: Some(data.into()), ..ConfigMap::default() }
}

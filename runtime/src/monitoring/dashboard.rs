//! The dashboard of an operator, as JSON of Grafana.

use serde_json::{Value, json};

use super::monitored::{Monitored, job};
use super::panel::{datasource, layout};
use super::query::one_of;
use super::rows::rows;

/// The version of the JSON, that of Grafana 11. Later ones read it, too.
///
/// Source: <https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/>.
const SCHEMA: u64 = 39;

/// The longest identifier that Grafana accepts.
const LONGEST: usize = 40;

/// The dashboard. Its variables select the data source, the job and the namespace.
pub(crate) fn dashboard(monitored: &Monitored) -> Value {
    let uid: String = format!("evenkeel-{}", monitored.name).chars().take(LONGEST).collect();
    json!({
        "uid": uid,
        "title": monitored.name,
        "description": format!("The operator {}: its passes, queues, objects and calls. Printed by the command `dashboard`.", monitored.name),
        "tags": ["evenkeel", "operator"],
        "schemaVersion": SCHEMA,
        "editable": true,
        "refresh": "30s",
        "time": { "from": "now-6h", "to": "now" },
        "timezone": "browser",
        "annotations": { "list": [] },
        "templating": { "list": variables(monitored) },
        "panels": layout(&rows(monitored)),
    })
}

/// The variables. The jobs are those that have the reconcilers of this operator.
fn variables(monitored: &Monitored) -> [Value; 3] {
    let controllers = monitored.controllers();
    let series = match controllers.is_empty() {
        true => "evenkeel_broken_watches".to_owned(),
        false => format!("workqueue_depth{{{}}}", one_of("controller", &controllers)),
    };
    let query = |name: &str, label: &str, series: &str| {
        let query = format!("label_values({series}, {name})");
        json!({
            "name": name, "label": label, "type": "query", "datasource": datasource(), "definition": query,
            "query": { "query": query, "refId": name }, "refresh": 2, "sort": 1, "hide": 0,
        })
    };
    let mut job_variable = query("job", "Job", &series);
    let default = job(&monitored.name);
    job_variable["current"] = json!({ "text": default, "value": default });
    let mut namespace = query("namespace", "Namespace", "evenkeel_broken_watches{job=\"$job\"}");
    namespace["includeAll"] = true.into();
    namespace["multi"] = true.into();
    // Also the series without a namespace, of a Prometheus that does not add it.
    namespace["allValue"] = ".*".into();
    namespace["current"] = json!({ "text": "All", "value": "$__all" });
    let source =
        json!({ "name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "hide": 0 });
    [source, job_variable, namespace]
}

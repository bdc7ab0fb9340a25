//! The alerts as rules of Prometheus: a rule file, and an object of the Prometheus operator.

use std::collections::BTreeMap;
use std::io;

use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde::Serialize;

use super::alert::{Alert, duration};
use super::alert_set::AlertSet;

/// A group of rules, which Prometheus evaluates together.
#[derive(Serialize)]
struct Group {
    name: String,
    rules: Vec<Rule>,
}

/// A rule. The order of the fields is that of the documentation of Prometheus.
#[derive(Serialize)]
struct Rule {
    alert: String,
    expr: String,
    #[serde(rename = "for")]
    lasts: String,
    labels: BTreeMap<&'static str, String>,
    annotations: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
struct Groups {
    groups: [Group; 1],
}

impl AlertSet {
    /// The rule file of Prometheus, as `alerts` prints it.
    ///
    /// # Errors
    /// A text that the author changed cannot be written as YAML.
    pub fn rule_file(&self) -> io::Result<String> {
        serde_saphyr::to_string(&self.groups()).map_err(io::Error::other)
    }

    /// The rules as a PrometheusRule of the Prometheus operator, as `alerts --output prometheus-rule` prints it. It has the name of the
    /// operator and no namespace.
    ///
    /// # Errors
    /// A threshold that the author changed is no number.
    pub fn prometheus_rule(&self) -> Result<DynamicObject, serde_json::Error> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("monitoring.coreos.com", "v1", "PrometheusRule"));
        let spec = serde_json::to_value(self.groups())?;
        let mut object = DynamicObject::new(&self.operator, &resource).data(serde_json::json!({ "spec": spec }));
        object.metadata.labels = Some([("app.kubernetes.io/name".to_owned(), self.operator.clone())].into());
        Ok(object)
    }

    fn groups(&self) -> Groups {
        let rules = self.alerts.iter().map(|alert| self.rule(alert)).collect();
        Groups { groups: [Group { name: self.operator.clone(), rules }] }
    }

    fn rule(&self, alert: &Alert) -> Rule {
        let texts = [("summary", Some(&alert.summary)), ("description", Some(&alert.description))];
        let url = self.runbook_url(alert);
        let annotations = texts.into_iter().chain([("runbook_url", url.as_ref())]);
        Rule {
            alert: self.full_name(alert),
            expr: alert.expression(),
            lasts: duration(alert.lasts),
            labels: [("operator", self.operator.clone()), ("severity", alert.severity.clone())].into(),
            annotations: annotations.filter_map(|(name, text)| Some((name, text?.clone()))).collect(),
        }
    }
}

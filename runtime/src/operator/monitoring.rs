//! The alerts and the dashboard of an operator, and the commands that print them.

use clap::{Args, ValueEnum};

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::print::{unwritten, yaml};
use crate::monitoring::{AlertSet, Monitored, alert_set, dashboard, job, runbook};

/// The arguments of the command `alerts`.
#[derive(Debug, Args)]
pub(super) struct AlertArgs {
    /// The output format
    #[arg(short, long, default_value = "rules", value_name = "FORMAT")]
    output: AlertFormat,
    /// The job under which Prometheus has the metrics [default: the metrics Service of `manifests`, `<operator>-metrics`]
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AlertFormat {
    /// A rule file of Prometheus
    Rules,
    /// A PrometheusRule of the Prometheus operator
    PrometheusRule,
}

/// What alerts and the dashboard take from the operator.
pub(super) fn monitored(operator: &Operator) -> Monitored {
    #[cfg(feature = "webhooks")]
    let (reviews, converts) = (!operator.reviews.functions.is_empty(), !operator.reviews.spokes.is_empty());
    #[cfg(not(feature = "webhooks"))]
    let (reviews, converts) = (false, false);
    #[cfg(feature = "webhooks")]
    let serves_webhooks = !operator.reviews.is_empty();
    #[cfg(not(feature = "webhooks"))]
    let serves_webhooks = false;
    Monitored {
        name: operator.name.to_string(),
        reconcilers: operator.introspect(),
        elects: operator.replicas.is_some(),
        reviews,
        converts,
        serves_webhooks,
    }
}

/// The alerts for metrics that Prometheus has under this job, or under that of `manifests`.
pub(super) fn alert_set_of(operator: &Operator, given: Option<&str>) -> AlertSet {
    let named = given.map_or_else(|| job(&operator.name), ToOwned::to_owned);
    alert_set(&monitored(operator), &named, &operator.edits.alerts)
}

/// The dashboard of Grafana.
pub(super) fn dashboard_of(operator: &Operator) -> serde_json::Value {
    dashboard(&monitored(operator))
}

/// Prints the alerts.
pub(super) fn alerts_text(operator: &Operator, args: &AlertArgs) -> Result<String> {
    let set = alert_set_of(operator, args.job.as_deref());
    match args.output {
        AlertFormat::Rules => set.rule_file().map_err(unwritten),
        AlertFormat::PrometheusRule => {
            let rule = set.prometheus_rule().map_err(|error| {
                let headline = format!("the alerts cannot be written: {error}");
                Error::new(Reason::Manifests, headline, "check what `.alerts(..)` of the program changes")
            })?;
            yaml([&rule]).map_err(unwritten)
        }
    }
}

/// Prints the dashboard.
pub(super) fn dashboard_text(operator: &Operator) -> String {
    format!("{:#}\n", dashboard_of(operator))
}

/// The sections about alerts for the page of `docs`, with those of replicas: `manifests --replicas 2` turns these on.
pub(super) fn runbook_of(operator: &Operator) -> Option<String> {
    let monitored = Monitored { elects: true, ..monitored(operator) };
    (!monitored.is_empty()).then(|| runbook(&alert_set(&monitored, &job(&operator.name), &operator.edits.alerts)))
}

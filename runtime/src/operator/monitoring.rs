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

/// Prints the alerts.
pub(super) fn alerts_text(operator: &Operator, args: &AlertArgs) -> Result<String> {
    let set = match &args.job {
        Some(job) => operator.alert_set_for(job),
        None => operator.alert_set(),
    };
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
    format!("{:#}\n", operator.dashboard())
}

/// The sections about alerts for the page of `docs`, with those of replicas: `manifests --replicas 2` turns these on.
pub(super) fn runbook_of(operator: &Operator) -> Option<String> {
    let monitored = Monitored { elects: true, ..monitored(operator) };
    (!monitored.is_empty()).then(|| runbook(&alert_set(&monitored, &job(&operator.name), &operator.edits.alerts)))
}

impl Operator {
    /// Changes the alerts that `alerts` and `manifests` print, such as their thresholds. The functions run in the order of the calls.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use evenkeel::Operator;
    /// use evenkeel::monitoring::{Alert, AlertName};
    ///
    /// let operator = Operator::new("source-controller").alerts(|set| {
    ///     set.runbooks = Some("https://git.example.com/source-controller/blob/main/docs.md".into());
    ///     set.change(AlertName::NotReady, |alert| alert.lasts = Duration::from_secs(2 * 3600));
    ///     set.alerts.retain(|alert| alert.name != "Panics");
    ///     set.alerts.push(Alert::new("Disk", "mirror_used_bytes / mirror_size_bytes > 0.9", "The disk is nearly full"));
    /// });
    /// ```
    ///
    /// The [guide](crate::guide::monitoring) describes the alerts.
    #[must_use = "an operator does nothing until it is run"]
    pub fn alerts(mut self, edit: impl Fn(&mut AlertSet) + Send + Sync + 'static) -> Self {
        self.edits.alerts.add(edit);
        self
    }

    /// The alerts, as `alerts` prints them, for metrics that Prometheus has under the job `<operator>-metrics`.
    ///
    /// Those about the leader are among them if the operator has [replicas](Self::replicas).
    #[must_use]
    pub fn alert_set(&self) -> AlertSet {
        self.alert_set_for(&job(&self.name))
    }

    /// The same for another job.
    #[must_use]
    pub fn alert_set_for(&self, job: &str) -> AlertSet {
        alert_set(&monitored(self), job, &self.edits.alerts)
    }

    /// The dashboard of Grafana, as `dashboard` prints it.
    #[must_use]
    pub fn dashboard(&self) -> serde_json::Value {
        dashboard(&monitored(self))
    }
}

//! An alert: a query, a threshold and a time.

use std::time::Duration;

/// An alert: it fires if the value of the query is beyond the threshold for some time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alert {
    /// The name, before which the rules have that of the operator: `Stalled` is printed as `GreeterStalled`.
    pub name: String,
    /// The value, in PromQL. The labels of the result become labels of the alert.
    pub query: String,
    /// The side of the threshold on which the alert fires.
    pub comparison: Comparison,
    /// The threshold, in the unit of the query.
    pub threshold: f64,
    /// How long the value must be beyond the threshold, in whole seconds. Zero: the alert fires at the first such value.
    pub lasts: Duration,
    /// The label `severity`, by which Alertmanager routes alerts; `critical` or `warning` unless it is changed.
    pub severity: String,
    /// What is wrong, in a few words.
    pub summary: String,
    /// What is wrong and where. It may contain templates of Prometheus, such as `{{ $labels.kind }}`.
    pub description: String,
    /// What the alert means, what to look at, and how to fix it: Markdown for the section of the page that `docs` prints.
    pub runbook: String,
}

/// The side of a threshold on which an alert fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// Values that are greater than the threshold.
    Above,
    /// Values that are less than the threshold.
    Below,
}

/// The alerts that evenkeel prints. [`AlertSet::change`](super::AlertSet::change) changes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AlertName {
    /// No metrics of the operator arrive. Threshold: 0, for 5 minutes.
    Down,
    /// Objects need a change by a user. Threshold: the number of objects; 0, for 15 minutes.
    Stalled,
    /// Objects have a condition whose status is bad. Threshold: the number of objects; 0, for 30 minutes.
    NotReady,
    /// Passes fail. Threshold: the share of passes that fail; 0.5, for 15 minutes.
    Failing,
    /// Objects wait long for their pass. Threshold: the 99th percentile in seconds; 60, for 15 minutes.
    Queue,
    /// A pass does not end. Threshold: its running time in seconds; 600, which is twice the default time limit.
    Stuck,
    /// A step panicked. Threshold: the number of panics within 15 minutes; 0.
    Panics,
    /// Watches are failing. Threshold: the number of watches; 0, for 5 minutes.
    WatchBroken,
    /// No replica is the leader. Threshold: the number of leaders; 1, for 2 minutes.
    NoLeader,
    /// Several replicas are leaders. Threshold: the number of leaders; 1, for 1 minute.
    TwoLeaders,
    /// The certificate of the webhook server expires. Threshold: seconds until then; 14 days, for 1 hour.
    CertificateSoon,
    /// Another program removes the bundle from the webhook configurations. Threshold: writes within an hour; 5.
    BundleRepairs,
    /// Functions fail to review writes. Threshold: the number of reviews within 15 minutes; 0.
    ReviewsFailing,
    /// Objects cannot be converted. Threshold: the number of conversions within 15 minutes; 0.
    ConversionsFailing,
}

impl AlertName {
    /// The name of the alert without that of the operator.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Down => "Down",
            Self::Stalled => "Stalled",
            Self::NotReady => "NotReady",
            Self::Failing => "Failing",
            Self::Queue => "Queue",
            Self::Stuck => "Stuck",
            Self::Panics => "Panics",
            Self::WatchBroken => "WatchBroken",
            Self::NoLeader => "NoLeader",
            Self::TwoLeaders => "TwoLeaders",
            Self::CertificateSoon => "CertificateSoon",
            Self::BundleRepairs => "BundleRepairs",
            Self::ReviewsFailing => "ReviewsFailing",
            Self::ConversionsFailing => "ConversionsFailing",
        }
    }
}

impl Alert {
    /// An alert that fires at once if the value of the query is above 0, with the severity `warning` and without a runbook.
    pub fn new(name: impl Into<String>, query: impl Into<String>, summary: impl Into<String>) -> Self {
        let summary = summary.into();
        Self {
            name: name.into(),
            query: query.into(),
            comparison: Comparison::Above,
            threshold: 0.0,
            lasts: Duration::ZERO,
            severity: "warning".to_owned(),
            description: summary.clone(),
            summary,
            runbook: String::new(),
        }
    }

    /// One of the alerts that evenkeel prints.
    pub(super) fn known(name: AlertName, query: String, (summary, description): (&str, &str), runbook: &str) -> Self {
        let alert = Self::new(name.as_str(), query, summary);
        Self { description: description.to_owned(), runbook: runbook.to_owned(), ..alert }
    }

    pub(super) fn critical(self) -> Self {
        Self { severity: "critical".to_owned(), ..self }
    }

    pub(super) fn above(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }

    pub(super) fn below(self, threshold: f64) -> Self {
        Self { comparison: Comparison::Below, threshold, ..self }
    }

    pub(super) fn for_minutes(self, minutes: u64) -> Self {
        Self { lasts: Duration::from_secs(60 * minutes), ..self }
    }

    /// The condition as an expression of PromQL.
    pub(super) fn expression(&self) -> String {
        let sign = match self.comparison {
            Comparison::Above => '>',
            Comparison::Below => '<',
        };
        format!("({}) {sign} {}", self.query, self.threshold)
    }
}

/// The duration as Prometheus writes it, in the greatest unit that fits.
pub(super) fn duration(lasts: Duration) -> String {
    match lasts.as_secs() {
        0 => "0s".to_owned(),
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_the_greatest_unit_that_fits() {
        let text = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!([0, 30, 60, 90, 5400, 7200].map(text), ["0s", "30s", "1m", "90s", "90m", "2h"]);
    }

    #[test]
    fn a_query_of_the_author_stays_one_value() {
        let alert = Alert::new("Disk", "free or total", "The disk is full").below(0.5);
        assert_eq!(alert.expression(), "(free or total) < 0.5");
    }
}
